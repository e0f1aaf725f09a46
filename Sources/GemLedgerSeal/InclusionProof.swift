#if Receipts
public import GemLedger
internal import SystemCrypto

/// A proof that one transaction is in a sealed journal.
///
/// Whoever knows the seal's digest can check it without the ledger.
///
/// It holds the records that belong to the transaction (its own line, that of its purchase, its customer's with the id,
/// its note and its keys), and the hashes that lead from each to the seal. Of other transactions it holds hashes alone.
public struct InclusionProof: Hashable, Sendable {
  /// One record and its way to the root.
  struct Record: Hashable, Sendable {
    let section: SealWalk.Section
    /// The line that was hashed, byte by byte.
    let line: String
    let index: Int64
    let path: [SHA256Digest]
  }

  /// The seal of the journal that the transaction is in.
  public let seal: JournalSeal
  let records: [Record]

  /// No proof is longer.
  package static let byteCountMax = 64 << 20
}

// MARK: As text

extension InclusionProof {
  /// The proof as one line of JSON: `seal`, the lines that the digest is the SHA-256 of, and `records` with `tree`,
  /// `record`, `index` and `path`.
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

  /// Reads the text of a proof; nothing of it is proven yet.
  ///
  /// - Throws: `LedgerError` with `books_wrong` for a text of another form, as for every proof that proves nothing.
  public init(_ text: String) throws(LedgerError) {
    guard text.utf8.count <= Self.byteCountMax, let proof = Self.read(text) else {
      throw LedgerError(
        .booksWrong, "This is no inclusion proof, or was changed. \"gemctl seal prove\" makes one.")
    }
    self = proof
  }

  private static func read(_ text: String) -> Self? {
    // What cannot be read is no proof, whatever the reason.
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

/// What an inclusion proof proves of one transaction, each as a line of JSON in the form of an export.
public struct ProvenTransaction: Hashable, Sendable {
  /// The transaction, without its note.
  public let transaction: String
  /// Its purchase, where it credited one.
  public let purchase: String?
  /// Its customer's number and id; nil where customers were erased before the proof was made.
  public let customer: String?
  /// Its reference, reason and actor, where it has any.
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
  /// - Throws: `LedgerError` with `books_wrong`, and what does not fit.
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

  /// The members of a record that is proven, or about to be.
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
