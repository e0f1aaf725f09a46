#if Receipts
public import GemLedger

/// The secret that both ends of a webhook know (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64.
///
/// It is not part of any description, so that no log can show it.
public struct WebhookSecret: Sendable, CustomStringConvertible, CustomReflectable {
  /// How many bytes a secret has.
  public static let byteCounts = 24...64
  private static let prefix = "whsec_"

  let bytes: [UInt8]

  /// Reads a secret, with its prefix or without.
  ///
  /// - Throws: `LedgerError` with `configuration` where it is none.
  public init(_ text: String) throws(LedgerError) {
    let digits = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
    guard let bytes = Base64.decode(digits), Self.byteCounts.contains(bytes.count) else {
      throw LedgerError(.configuration, "A webhook's secret is \"whsec_\" and 24 to 64 bytes in base64.")
    }
    self.bytes = bytes
  }

  /// Makes a new secret.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
  }

  /// The secret's text, to be shown once.
  public var text: String { Self.prefix + Base64.text(bytes) }

  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Says that there is one.
  public var description: String { "\(Self.prefix)..." }
}
#endif
