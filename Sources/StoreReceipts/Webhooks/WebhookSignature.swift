#if Receipts
public import GemLedger
internal import SystemCrypto

/// A signed webhook message: the three headers of Standard Webhooks.
///
/// ```swift
/// let headers = try WebhookSignature(body, id: "msg_1", at: now, secrets: [secret])
/// try headers.check(body, secrets: [old, new], now: now)
/// ```
///
/// The signature covers the body's bytes: do not parse and serialize a body before the check.
public struct WebhookSignature: Hashable, Sendable {
  /// The maximum difference between a message's time and the receiver's, in seconds.
  public static let toleranceSeconds: Int64 = 300
  /// The maximum size of a header, in bytes.
  private static let signatureByteCountMax = 4096

  /// `webhook-id`: the message's identity, the same for every attempt.
  public let id: String
  /// `webhook-timestamp`: when this attempt was made, in seconds since 1970.
  public let timestamp: String
  /// `webhook-signature`: signatures with their versions, separated by spaces.
  public let signatures: String

  /// The headers of a received message.
  public init(id: String, timestamp: String, signatures: String) {
    self.id = id
    self.timestamp = timestamp
    self.signatures = signatures
  }

  /// Signs a message with each secret: during a change of secrets, receivers know one of two.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for an id that is empty or contains a dot, which would let two
  ///   messages have one signature.
  public init(
    _ body: [UInt8], id: String, at instant: Timestamp, secrets: [WebhookSecret]
  ) throws(LedgerError) {
    guard !id.isEmpty, !id.utf8.contains(ASCII.dot), !ControlCharacters.occur(in: id) else {
      throw .invalid("A webhook message's id must be a text without dots and control characters.")
    }
    let timestamp = String(instant.milliseconds / 1000)
    let signed = Self.signedBytes(id, timestamp, body)
    let signatures = secrets.map { Self.version + Base64.text(Crypto.authenticationCode(of: signed, key: $0.bytes)) }
    self.init(id: id, timestamp: timestamp, signatures: signatures.joined(separator: " "))
  }

  /// Checks that a holder of one of the secrets signed the message recently.
  ///
  /// Signatures of other versions are ignored.
  ///
  /// - Throws: `LedgerError` with `unauthenticated`; the detail `check` is, in order of precedence, `headers`,
  ///   `timestamp`, or `signature`.
  public func check(_ body: [UInt8], secrets: [WebhookSecret], now: Timestamp) throws(LedgerError) {
    guard !id.isEmpty, !timestamp.isEmpty, !signatures.isEmpty, signatures.utf8.count <= Self.signatureByteCountMax
    else { throw Self.refused("headers", "it lacks webhook-id, webhook-timestamp or webhook-signature") }
    guard let seconds = Int64(timestamp), String(seconds) == timestamp,
      seconds.subtractingReportingOverflow(now.milliseconds / 1000).partialValue.magnitude <= Self.toleranceSeconds
    else { throw Self.refused("timestamp", "its time differs from the receiver's by more than five minutes") }
    let signed = Self.signedBytes(id, timestamp, body)
    let expected = secrets.map { Crypto.authenticationCode(of: signed, key: $0.bytes) }
    let isSigned = signatures.split(separator: " ").contains { signature in
      guard signature.hasPrefix(Self.version), let code = Base64.decode(String(signature.dropFirst(Self.version.count)))
      else { return false }
      return expected.contains { Crypto.areEqual($0, code) }
    }
    guard isSigned else { throw Self.refused("signature", "none of its signatures matches") }
  }

  /// The version with HMAC and SHA-256.
  private static let version = "v1,"

  private static func signedBytes(_ id: String, _ timestamp: String, _ body: [UInt8]) -> [UInt8] {
    Array(id.utf8) + [ASCII.dot] + Array(timestamp.utf8) + [ASCII.dot] + body
  }

  private static func refused(_ check: String, _ what: String) -> LedgerError {
    LedgerError(.unauthenticated, "The webhook message is refused: \(what).", details: [.text("check", check)])
  }
}
#endif
