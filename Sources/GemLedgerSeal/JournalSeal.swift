#if Receipts
internal import GemLedger
internal import SystemCrypto

/// A SHA-256 digest over the journal up to one instant, which later reveals changed, removed or inserted records.
///
/// Later bookings, erasures and copies do not invalidate it.
public struct JournalSeal: Hashable, Sendable, CustomStringConvertible {
  /// A hash tree: its number of records and its root hash.
  struct Tree: Hashable, Sendable {
    var count: Int64
    var root: SHA256Digest
  }

  /// The number of transactions that the seal covers.
  public var transactionCount: Int64 { transactions.count }
  /// The seal's digest, in 64 hexadecimal digits; publish this value.
  public let digest: String
  let transactions: Tree
  let purchases: Tree
  let customers: Tree
  /// The tree of store statements; nil if there are none.
  let statements: Tree?
  let position: FeedPosition
  /// The lines under the digest.
  let head: String

  init(transactions: Tree, purchases: Tree, customers: Tree, statements: Tree?, position: FeedPosition) {
    self.transactions = transactions
    self.purchases = purchases
    self.customers = customers
    self.statements = statements
    self.position = position
    let trees: [(Line, Tree?)] = [
      (.transactions, transactions), (.purchases, purchases), (.customers, customers), (.statements, statements),
    ]
    let lines = trees.compactMap { (line, tree) in tree.map { "\(line) \($0.count) \($0.root.hex)" } }
    let title = statements == nil ? Self.titleWithoutStatements : Self.title
    head = ([title] + lines + ["\(Line.position) \(Base64URL.text(position.bytes))", ""]).joined(separator: "\n")
    digest = RecordHashes().digest(of: head).hex
  }

  /// The seal as six or seven lines, the last of which is the SHA-256 digest of the lines before it.
  public var description: String { head + "\(Line.digest) \(digest)\n" }

  private enum Line: String {
    case transactions, purchases, customers, statements, position, digest
  }

  /// The first line of a seal with store statements, and without.
  private static let (title, titleWithoutStatements) = ("gemledger seal 3", "gemledger seal 2")
  /// The prefix of every seal.
  package static let titlePrefix = "gemledger seal "
}

// MARK: Reading

extension JournalSeal {
  /// Parses a seal; returns nil for malformed text or if the digest does not match the lines.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.byteCountMax, let seal = Self.read(text), seal.description.hasBytes(of: text) else {
      return nil
    }
    self = seal
  }

  /// Parses the lines of a seal without its digest line.
  init?(head: String) {
    guard let seal = Self.read(head), seal.head.hasBytes(of: head) else { return nil }
    self = seal
  }

  private static func read(_ text: String) -> Self? {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard let title = lines.popFirst(), title == Self.title || title == titleWithoutStatements,
      let transactions = lines.popFirst().flatMap(tree), let purchases = lines.popFirst().flatMap(tree),
      let customers = lines.popFirst().flatMap(tree)
    else { return nil }
    let statements = title == Self.title ? lines.popFirst().flatMap(tree) : nil
    guard let word = lines.popFirst()?.split(separator: " ").last, let bytes = Base64URL.decode(String(word)),
      let position = FeedPosition(bytes: bytes)
    else { return nil }
    return Self(
      transactions: transactions, purchases: purchases, customers: customers, statements: statements,
      position: position)
  }

  private static func tree(_ line: Substring) -> Tree? {
    let words = line.split(separator: " ")
    guard words.count == 3, let count = Int64(words[1]), count >= 0, let root = SHA256Digest(hex: words[2]) else {
      return nil
    }
    return Tree(count: count, root: root)
  }

  /// The maximum size of a seal in bytes.
  package static let byteCountMax = 4096
}

/// The digest of one customer's id, notes and keys.
///
/// Store the digests of all customers with the seal: they prove the remaining customers after some were erased.
public struct CustomerDigest: Hashable, Sendable, CustomStringConvertible {
  /// The customer's number inside the ledger.
  public let number: Int64
  let leaf: SHA256Digest

  init(number: Int64, leaf: SHA256Digest) {
    self.number = number
    self.leaf = leaf
  }

  /// Number and digest as one line, without a line feed.
  public var description: String { "\(number) \(leaf.hex)" }

  /// Parses the line; returns nil for any other text.
  public init?(_ line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let number = Int64(words[0]), number > 0, let leaf = SHA256Digest(hex: words[1]) else {
      return nil
    }
    self.init(number: number, leaf: leaf)
    guard description.hasBytes(of: line) else { return nil }
  }
}

/// The digest of one store statement.
///
/// Store the digests of all statements with the seal: they later show that no statement is missing.
public struct StatementDigest: Hashable, Sendable, CustomStringConvertible {
  let leaf: SHA256Digest

  init(_ leaf: SHA256Digest) { self.leaf = leaf }

  /// The digest in 64 hexadecimal digits as one line, without a line feed.
  public var description: String { leaf.hex }

  /// Parses the line; returns nil for any other text.
  public init?(_ line: String) {
    guard let leaf = SHA256Digest(hex: Substring(line)), leaf.hex.hasBytes(of: line) else { return nil }
    self.leaf = leaf
  }
}
#endif
