#if Receipts
public import GemLedger

/// The secret shared by both ends of a webhook (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64.
///
/// Its descriptions omit it, so that no log can show it.
public struct WebhookSecret: Sendable, CustomStringConvertible, CustomReflectable {
  /// The allowed sizes in bytes.
  public static let byteCounts = 24...64
  private static let prefix = "whsec_"

  let bytes: [UInt8]

  /// Reads a secret, with or without its prefix.
  ///
  /// - Throws: `LedgerError` with `configuration` for an invalid secret.
  public init(_ text: String) throws(LedgerError) {
    let digits = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
    guard let bytes = Base64.decode(digits), Self.byteCounts.contains(bytes.count) else {
      throw LedgerError(.configuration, "A webhook's secret must be \"whsec_\" and 24 to 64 bytes in base64.")
    }
    self.bytes = bytes
  }

  /// Creates a new secret.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
  }

  /// The secret's text, to be shown once.
  public var text: String { Self.prefix + Base64.text(bytes) }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The prefix without the secret.
  public var description: String { "\(Self.prefix)..." }
}
#endif
