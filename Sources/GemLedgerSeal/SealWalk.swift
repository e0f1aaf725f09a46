#if Receipts
internal import GemLedger
internal import GemLedgerArchive
internal import GemLedgerAudit
internal import SystemCrypto

/// Reads the journal once and builds the trees of a seal.
///
/// A record is a line in export format, so other programs can read it. Data that an erasure removes is hashed
/// separately: each customer has one record with the id and the roots of two trees, over its notes and its keys. The
/// records of transactions and purchases never change.
final class SealWalk {
  /// The kinds of records, each with one tree; notes and keys have one tree for each customer.
  enum Section: String {
    case transactions, purchases, customers, notes, keys
  }

  let hashes = RecordHashes()
  private let snapshot: any StorageSnapshot
  private let scan: any StorageScan
  private let definitions: CurrencyDefinitions
  /// The end of the covered part of the journal; nil for the whole journal.
  private let position: FeedPosition?
  /// The transaction to prove.
  private let wanted: TransactionRow?

  private(set) var end = FeedPosition()
  private(set) var transactions = MerkleTree()
  private(set) var purchases = MerkleTree()
  /// The trees of the customer of the transaction to prove.
  private(set) var wantedCustomer = (notes: MerkleTree(), keys: MerkleTree())
  /// The records of the transaction to prove, within a section in the order of its leaves.
  private(set) var found: [(section: Section, line: String)] = []
  /// The customers with erasures that are not covered; a merged customer is erased with its survivor.
  private var laterErasures: Set<CustomerNumber> = []
  /// For each customer, the customers that it was ever merged into.
  private var survivors: [CustomerNumber: [CustomerNumber]] = [:]
  private var covered: Set<CustomerNumber> = []
  private let notes = IntegerMap<MerkleTree>()
  private let isDense: Bool

  private lazy var lines = JournalLines(writer, definitions)
  private lazy var writer = ExportWriter.ofLines { [unowned self] line in
    leaf = hashes.leaf(line)
    if isLineWanted { wantedLine = String(decoding: line, as: UTF8.self) }
  }
  /// The hash of the last written line, and the line's text if needed.
  private var leaf: SHA256Digest
  private var isLineWanted = false
  private var wantedLine = ""
  /// The key lines of the transaction to prove.
  private var wantedKeys: [SHA256Digest: String] = [:]

  init(
    _ snapshot: any StorageSnapshot, _ definitions: CurrencyDefinitions, upTo position: FeedPosition?,
    proving wanted: TransactionRow? = nil
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.position = position
    self.wanted = wanted
    scan = try snapshot.scan()
    isDense = try snapshot.journalCounts() == nil
    leaf = hashes.ofNothing
  }

  /// - Parameter progress: Called with the number of transactions read and their total.
  func addJournal(_ progress: (Int64, Int64) -> Void) throws(LedgerError) {
    let total =
      if let counts = try snapshot.journalCounts() {
        counts.transactions
      } else {
        try snapshot.sequences().transaction
      }
    for row in try snapshot.environments() { writer.environments[row.number] = row.environment }
    try addTransactions { progress(min($0, total), total) }
    try addPurchases()
    if !laterErasures.isEmpty { try readMerges() }
  }

  private func covers(_ number: TransactionNumber) -> Bool { position?.covers(number) ?? true }

  // MARK: Transactions and purchases

  private func addTransactions(_ progress: (Int64) -> Void) throws(LedgerError) {
    var parts = TransactionScans(scan, after: 0, passesOverLost: true)
    var attributes = LotAttributesSource(
      snapshot, scan: isDense && snapshot.commitsInOrder ? scan : nil, after: nil)
    var newLots = NewLots(isDense: isDense)
    var count: Int64 = 0
    try scan.pages(after: .blank) { (rows: [TransactionRow]) throws(LedgerError) in
      var page: [ExportedTransaction] = []
      page.reserveCapacity(rows.count)
      for row in rows {
        guard covers(row.number) else {
          if row.kind == .erase { laterErasures.insert(row.customer) }
          continue
        }
        var transaction = try parts.next(row)
        transaction.newLots = newLots.note(transaction)
        page.append(transaction)
      }
      try attributes.load(page)
      for transaction in page { try add(transaction, attributes.rows(of: transaction.newLots)) }
      self.end.advance(past: page.lazy.map(\.row.number), isOrdered: snapshot.commitsInOrder)
      count += Int64(rows.count)
      progress(count)
    }
  }

  private func add(_ transaction: ExportedTransaction, _ newLots: [LotAttributesRow]) throws(LedgerError) {
    let row = transaction.row
    cover(transaction)
    isLineWanted = row.number == wanted?.number
    try lines.begin(transaction, newLots: newLots)
    try writer.end()
    add(to: &transactions, .transactions)
    guard let note = transaction.note else { return }
    writer.begin("note")
    writer.integer("transaction", row.number)
    lines.members(of: note)
    try writer.end()
    var tree = notes[row.customer] ?? MerkleTree()
    add(to: &tree, .notes)
    notes[row.customer] = tree
  }

  /// Records the customers that the transaction names.
  private func cover(_ transaction: ExportedTransaction) {
    covered.insert(transaction.row.customer)
    if let merge = transaction.merge { covered.insert(merge.from) }
    for (entry, _) in transaction.entries { covered.insert(entry.account.customer) }
    for item in transaction.items { covered.insert(item.customer) }
    for event in transaction.events { covered.insert(event.customer) }
  }

  private func add(to tree: inout MerkleTree, _ section: Section) {
    tree.add(leaf, isFollowed: isLineWanted, hashes)
    if isLineWanted { found.append((section, wantedLine)) }
  }

  private func addPurchases() throws(LedgerError) {
    try scan.pages(after: .blank) { (page: [PurchaseRow]) throws(LedgerError) in
      for row in page where covers(row.transaction) {
        isLineWanted = row.transaction == wanted?.number
        try lines.write(row)
        add(to: &purchases, .purchases)
      }
    }
  }

  // MARK: Statements of stores

  /// Returns the hash of each statement's immutable identity, without dates and contents, in ascending order.
  ///
  /// Statements have no position in the journal's order; later ones are inserted between them.
  func statements() throws(LedgerError) -> [SHA256Digest] {
    isLineWanted = false
    var leaves: [SHA256Digest] = []
    try scan.pages { (page: [EvidenceRow]) throws(LedgerError) in
      for row in page where row.kind != .held {
        writer.begin("evidence")
        lines.identify(row)
        try writer.end()
        leaves.append(leaf)
      }
    }
    return leaves.sorted()
  }

  // MARK: Customers

  /// Whether any customer was erased in a transaction that is not covered.
  var hasLaterErasures: Bool { !laterErasures.isEmpty }

  /// Whether this customer, or a customer that it was merged into, was erased later.
  func wasErasedLater(_ customer: CustomerNumber) -> Bool {
    var (found, next): (Set<CustomerNumber>, [CustomerNumber]) = ([], [customer])
    while let number = next.popLast() {
      if laterErasures.contains(number) { return true }
      if found.insert(number).inserted { next += survivors[number] ?? [] }
    }
    return false
  }

  private func readMerges() throws(LedgerError) {
    try scan.pages(after: .blank) { (page: [MergeRow]) throws(LedgerError) in
      for row in page { survivors[row.from, default: []].append(row.into) }
    }
  }

  /// Calls the body with the digest of each customer in the journal, in order of customer numbers.
  func forEachCustomer(
    _ body: (CustomerDigest) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var keys = KeyLeaves(scan) { [unowned self] (row) throws(LedgerError) in try leaf(of: row) }
    try CustomerRow.eachPage(in: snapshot) { (page) throws(LedgerError) in
      for row in page where covered.contains(row.number) {
        try body(try digest(of: row, try keys.take(row.number)))
      }
    }
  }

  /// Returns the hash of a key that a covered transaction was booked under; nil for other keys.
  private func leaf(of key: KeyRow) throws(LedgerError) -> SHA256Digest? {
    guard let number = key.bookedTransaction, covers(number) else { return nil }
    isLineWanted = number == wanted?.number
    try lines.write("key", key)
    if isLineWanted { wantedKeys[leaf] = wantedLine }
    return leaf
  }

  private func digest(of row: CustomerRow, _ keys: [SHA256Digest]) throws(LedgerError) -> CustomerDigest {
    isLineWanted = row.number == wanted?.customer
    var tree = MerkleTree()
    for leaf in keys {
      let line = isLineWanted ? wantedKeys[leaf] : nil
      tree.add(leaf, isFollowed: line != nil, hashes)
      if let line { found.append((.keys, line)) }
    }
    if isLineWanted { wantedCustomer = (notes[row.number] ?? MerkleTree(), tree) }
    writer.begin("customer")
    lines.members(of: row)
    write("notes", notes[row.number])
    write("keys", tree)
    try writer.end()
    if isLineWanted { found.append((.customers, wantedLine)) }
    return CustomerDigest(number: row.number, leaf: leaf)
  }

  private func write(_ name: StaticString, _ tree: MerkleTree?) {
    guard let tree, tree.count > 0 else { return }
    writer.object(name) {
      writer.integer("count", tree.count)
      writer.text("root", tree.root(hashes).hex)
    }
  }
}
#endif
