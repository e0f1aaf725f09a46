#if Receipts
public import GemLedger
internal import SystemCrypto

/// A proof that one transaction is in a sealed journal.
///
/// Checking it needs only the seal's digest, not the ledger.
///
/// It holds all records of the transaction (its line, purchase, customer with id, note and keys) and the hashes on the
/// path from each record to the seal. It contains only hashes of other transactions.
public struct InclusionProof: Hashable, Sendable {
  /// One record and its path to the root.
  struct Record: Hashable, Sendable {
    let section: SealWalk.Section
    /// The hashed line, byte for byte.
    let line: String
    let index: Int64
    let path: [SHA256Digest]
  }

  /// The seal of the journal that the transaction is in.
  public let seal: JournalSeal
  let records: [Record]

  /// The maximum size of a proof in bytes.
  package static let byteCountMax = 64 << 20
}

// MARK: As text

extension InclusionProof {
  /// The proof as one line of JSON with `seal` (the lines under the digest) and `records`.
  ///
  /// Each record has `tree`, `record`, `index` and `path`.
  public var text: String { json.text() }

  private var json: JSONValue {
    [
      "type": .string(Self.type), "seal": .string(seal.head), "digest": .string(seal.digest),
      "records": .array(
        records.map { record in
          [
            "tree": .string(record.section.rawValue), "record": .string(record.line), "index": .integer(record.index),
            "path": .array(record.path.map { .string($0.hex) }),
          ]
        }),
    ]
  }

  /// Parses a proof without checking it.
  ///
  /// - Throws: `LedgerError` with `books_wrong` for malformed text, the same code as for an invalid proof.
  public init(_ text: String) throws(LedgerError) {
    guard text.utf8.count <= Self.byteCountMax, let proof = Self.read(text) else {
      throw LedgerError(
        .booksWrong, "This is no inclusion proof, or was changed. \"gemctl seal prove\" makes one.")
    }
    self = proof
  }

  private static func read(_ text: String) -> Self? {
    // Any unreadable text is an invalid proof, whatever the parser's error.
    guard let object = (try? JSONValue.parse(text))?.object,
      let seal = object["seal"]?.text.flatMap(JournalSeal.init(head:)),
      object["type"]?.text == Self.type, object["digest"]?.text == seal.digest, let values = object["records"]?.array
    else { return nil }
    let records = values.compactMap { $0.object.flatMap(record) }
    return Set(records).count == values.count ? Self(seal: seal, records: records) : nil
  }

  private static let type = "inclusion_proof"

  private static func record(_ object: JSONObject) -> Record? {
    guard let section = object["tree"]?.text.flatMap(SealWalk.Section.init), let line = object["record"]?.text,
      let index = object["index"]?.integer, let values = object["path"]?.array, values.count <= 63
    else { return nil }
    let path = values.compactMap { $0.text.flatMap { SHA256Digest(hex: $0) } }
    return path.count == values.count ? Record(section: section, line: line, index: index, path: path) : nil
  }
}

// MARK: Checking

/// The proven records of one transaction, each as a line of JSON in export format.
public struct ProvenTransaction: Hashable, Sendable {
  /// The transaction, without its note.
  public let transaction: String
  /// The line of its purchase; nil if it credited none.
  public let purchase: String?
  /// The line with its customer's number and id; nil if customers were erased before the proof was made.
  public let customer: String?
  /// The line with its reference, reason and actor; nil if it has none of them.
  public let note: String?
  /// The idempotency keys that it was booked under.
  public let keys: [String]
}

extension InclusionProof {
  /// Checks that every record leads to the seal and belongs to the one transaction.
  ///
  /// Compare the digest of ``seal`` with one that you know from elsewhere: a proof proves nothing about any other
  /// journal.
  ///
  /// - Throws: `LedgerError` with `books_wrong` and a message that names the mismatch.
  public func check() throws(LedgerError) -> ProvenTransaction {
    let hashes = RecordHashes()
    let transaction = try only(.transactions)
    guard let transaction else { throw Self.broken("it holds no transaction") }
    let own = try Members(transaction.line)
    let (number, customer) = (try own.integer("number"), try own.integer("customer"))
    try Self.check(transaction, in: seal.transactions, hashes)

    let purchase = try only(.purchases)
    if let purchase {
      try Self.check(purchase, in: seal.purchases, hashes)
      try Members(purchase.line).expect("transaction", number)
    }
    let owner = try only(.customers)
    let notes = try only(.notes)
    let keys = records.filter { $0.section == .keys }
    if let owner {
      try Self.check(owner, in: seal.customers, hashes)
      let members = try Members(owner.line)
      try members.expect("number", customer)
      for record in [notes].compactMap(\.self) + keys {
        try Self.check(record, in: try members.tree(record.section.rawValue), hashes)
        try Members(record.line).expect("transaction", number)
      }
    } else if notes != nil || !keys.isEmpty {
      throw Self.broken("it holds a note or a key without the customer's record")
    }
    return ProvenTransaction(
      transaction: transaction.line, purchase: purchase?.line, customer: owner?.line, note: notes?.line,
      keys: keys.map(\.line))
  }

  private func only(_ section: SealWalk.Section) throws(LedgerError) -> Record? {
    let found = records.filter { $0.section == section }
    guard found.count <= 1 else { throw Self.broken("it holds more than one record of the tree \(section.rawValue)") }
    return found.first
  }

  private static func check(
    _ record: Record, in tree: JournalSeal.Tree, _ hashes: RecordHashes
  ) throws(LedgerError) {
    let root = MerkleTree.root(
      of: hashes.leaf(record.line), at: record.index, path: record.path, count: tree.count, hashes)
    guard root == tree.root else {
      throw broken("the record of the tree \(record.section.rawValue) is not one that was sealed")
    }
  }

  static func broken(_ what: String) -> LedgerError {
    LedgerError(.booksWrong, "The proof does not hold: \(what).")
  }

  /// The members of one record.
  private struct Members {
    private let object: JSONObject

    init(_ line: String) throws(LedgerError) {
      guard let object = (try? JSONValue.parse(line))?.object else { throw broken("a record is no JSON object") }
      self.object = object
    }

    func integer(_ name: String) throws(LedgerError) -> Int64 {
      guard let value = object[name]?.integer else { throw broken("a record has no \(name)") }
      return value
    }

    func expect(_ name: String, _ value: Int64) throws(LedgerError) {
      guard try integer(name) == value else { throw broken("its records are of different transactions") }
    }

    func tree(_ name: String) throws(LedgerError) -> JournalSeal.Tree {
      guard let tree = object[name]?.object, let count = tree["count"]?.integer,
        let root = tree["root"]?.text.flatMap({ SHA256Digest(hex: $0) })
      else { throw broken("the customer's record has no \(name)") }
      return JournalSeal.Tree(count: count, root: root)
    }
  }
}
#endif
