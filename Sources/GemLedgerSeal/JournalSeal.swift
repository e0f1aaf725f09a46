#if Receipts
internal import GemLedger
internal import SystemCrypto

/// The journal up to one instant under one SHA-256 digest: it shows later that nothing of it was changed, removed or
/// inserted since.
///
/// Later bookings, erasures and copies leave it true.
public struct JournalSeal: Hashable, Sendable, CustomStringConvertible {
  /// A hash tree: how many records it has, and the hash over all of them.
  struct Tree: Hashable, Sendable {
    var count: Int64
    var root: SHA256Digest
  }

  /// How many transactions it covers.
  public var transactionCount: Int64 { transactions.count }
  /// The digest of all, in 64 hexadecimal digits: what a journal is known by in public.
  public let digest: String
  let transactions: Tree
  let purchases: Tree
  let customers: Tree
  let position: FeedPosition

  init(transactions: Tree, purchases: Tree, customers: Tree, position: FeedPosition) {
    self.transactions = transactions
    self.purchases = purchases
    self.customers = customers
    self.position = position
    digest =
      RecordHashes().digest(
        of: Self.head(transactions: transactions, purchases: purchases, customers: customers, position)
      ).hex
  }

  /// The seal in six lines, the digest last: it is the SHA-256 of the lines before it.
  public var description: String { head + "\(Line.digest) \(digest)\n" }

  /// The lines that the digest is of.
  var head: String { Self.head(transactions: transactions, purchases: purchases, customers: customers, position) }

  private static func head(transactions: Tree, purchases: Tree, customers: Tree, _ position: FeedPosition) -> String {
    """
    \(title)
    \(Line.transactions) \(transactions.count) \(transactions.root.hex)
    \(Line.purchases) \(purchases.count) \(purchases.root.hex)
    \(Line.customers) \(customers.count) \(customers.root.hex)
    \(Line.position) \(Base64URL.text(position.bytes))

    """
  }

  private enum Line: String {
    case transactions, purchases, customers, position, digest
  }

  /// The first line of every seal.
  package static let title = "gemledger seal 2"
}

// MARK: Reading

extension JournalSeal {
  /// Takes the text of a seal back; nil for any other text, also for one whose digest is of other lines.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.byteCountMax, let seal = Self.read(text), seal.description.hasBytes(of: text) else {
      return nil
    }
    self = seal
  }

  /// The seal whose lines up to the digest these are.
  init?(head: String) {
    guard let seal = Self.read(head), seal.head.hasBytes(of: head) else { return nil }
    self = seal
  }

  private static func read(_ text: String) -> Self? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 5, lines[0] == title, let transactions = tree(lines[1]), let purchases = tree(lines[2]),
      let customers = tree(lines[3]), let word = lines[4].split(separator: " ").last,
      let bytes = Base64URL.decode(String(word)), let position = FeedPosition(bytes: bytes)
    else { return nil }
    return Self(transactions: transactions, purchases: purchases, customers: customers, position: position)
  }

  private static func tree(_ line: Substring) -> Tree? {
    let words = line.split(separator: " ")
    guard words.count == 3, let count = Int64(words[1]), count >= 0, let root = SHA256Digest(hex: words[2]) else {
      return nil
    }
    return Tree(count: count, root: root)
  }

  /// No seal is longer.
  package static let byteCountMax = 4096
}

/// The digest of one customer's id, notes and keys.
///
/// Kept beside a seal, those of all customers let it prove the rest after some of them were erased.
public struct CustomerDigest: Hashable, Sendable, CustomStringConvertible {
  /// The customer's number inside the ledger.
  public let number: Int64
  let leaf: SHA256Digest

  init(number: Int64, leaf: SHA256Digest) {
    self.number = number
    self.leaf = leaf
  }

  /// Number and digest, in one line without its end.
  public var description: String { "\(number) \(leaf.hex)" }

  /// Takes the line back; nil for any other text.
  public init?(_ line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let number = Int64(words[0]), number > 0, let leaf = SHA256Digest(hex: words[1]) else {
      return nil
    }
    self.init(number: number, leaf: leaf)
    guard description.hasBytes(of: line) else { return nil }
  }
}
#endif
