internal import GemLedger

/// The state of the journal at one instant, as one word: it shows later whether the journal still begins with the same
/// transactions.
///
/// Later bookings, erasures and copies leave it true.
public struct JournalSeal: Hashable, Sendable, CustomStringConvertible {
  /// How many transactions it covers.
  public let transactions: Int64
  let digest: Int64
  let position: FeedPosition

  init(transactions: Int64, digest: Int64, position: FeedPosition) {
    self.transactions = transactions
    self.digest = digest
    self.position = position
  }

  /// The seal as one word of letters, digits, `-`, `_` and `.`, at most 700 characters.
  public var description: String {
    "\(Self.version).\(transactions).\(Self.text(digest)).\(Base64URL.text(position.bytes))"
  }

  /// Takes the text of a seal back; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 700, parts.count == 4, parts[0] == Self.version, let transactions = Int64(parts[1]),
      transactions >= 0, parts[2].utf8.count == 16, let digest = UInt64(parts[2], radix: 16),
      let bytes = Base64URL.decode(String(parts[3])), let position = FeedPosition(bytes: bytes)
    else { return nil }
    self.init(transactions: transactions, digest: Int64(bitPattern: digest), position: position)
    guard description == text else { return nil }
  }

  static func text(_ digest: Int64) -> String { HexForm.hex(UInt64(bitPattern: digest), digits: 16) }

  private static let version = "seal1"
  /// How the text of every seal begins.
  package static let prefix = version + "."
}
