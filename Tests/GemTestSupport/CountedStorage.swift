package import GemLedger
internal import Synchronization

/// A storage that is as hard to ask as one across a network: it counts the questions that a read asks, and finds a row
/// by its customer only where it is asked for by one.
package final class CountedStorage: LedgerStorage {
  private let storage: any LedgerStorage
  private let counts: JournalCounts?
  private let emptyIndex: String?
  private let questions = Mutex([String: Int]())

  /// - Parameters:
  ///   - counts: The row counts of the journal that it reports; nil where numbers have no gaps.
  ///   - emptyIndex: The name of an index that lacks all rows.
  package init(_ storage: any LedgerStorage, counts: JournalCounts? = nil, emptyIndex: String? = nil) {
    self.storage = storage
    self.counts = counts
    self.emptyIndex = emptyIndex
  }

  /// How often each question was asked since this was read last.
  package func takeQuestions() -> [String: Int] {
    questions.withLock { questions in
      defer { questions = [:] }
      return questions
    }
  }

  package var traits: StorageTraits { storage.traits }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    try storage.lanes(of: commands)
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read { (snapshot) throws(LedgerError) -> R in
      try body(
        CountedSnapshot(snapshot, counts: counts, emptyIndex: emptyIndex) { question in
          self.questions.withLock { $0[question, default: 0] += 1 }
        })
    }
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R { try storage.commit(lanes: lanes, body) }

  package func close() { storage.close() }
}

/// The snapshot of a ``CountedStorage``.
final class CountedSnapshot: StorageSnapshot {
  private let base: any StorageSnapshot
  private let counts: JournalCounts?
  private let emptyIndex: String?
  private let count: (String) -> Void

  init(
    _ base: any StorageSnapshot, counts: JournalCounts?, emptyIndex: String?, count: @escaping (String) -> Void
  ) {
    self.base = base
    self.counts = counts
    self.emptyIndex = emptyIndex
    self.count = count
  }

  private func counted(_ question: String = #function) -> any StorageSnapshot {
    count(question)
    return base
  }

  func scan() throws(LedgerError) -> any StorageScan { CountedScan(try base.scan(), count: count) }

  // MARK: Rows

  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    let snapshot = counted(index.name)
    return index.name == emptyIndex ? [] : try snapshot.rows(index, try right(index.id, keys))
  }

  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    try counted("page of \(index.name)").page(index, key, after: place, limit: limit)
  }

  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try counted().customer(id, hash: hash)
  }
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? { try counted().account(number) }
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try counted().key(key, customer: customer, hash: hash)
  }

  /// Those of the keys whose owners are the rows' own.
  private func right(_ index: ObjectIdentifier, _ keys: [IndexKey]) throws(LedgerError) -> [IndexKey] {
    var right: [IndexKey] = []
    for key in keys {
      guard let owner = key.owner else {
        right.append(key)
        continue
      }
      let own: CustomerNumber? =
        switch index {
        case TransactionRow.byNumber.id, EntryRow.ofTransaction.id, RefundPartRow.ofTransaction.id:
          try base.transaction(key.first)?.customer
        case EntryRow.byNumber.id, AllocationRow.ofEntry.id: try base.entry(key.first)?.account.customer
        case PurchaseRow.byNumber.id, RefundRow.ofPurchase.id: try base.purchase(number: key.first)?.customer
        default: owner
        }
      if own == owner { right.append(key) }
    }
    return right
  }

  // MARK: The project, numbers and sums

  func project() throws(LedgerError) -> ProjectRow { try counted().project() }
  func catalogVersion() throws(LedgerError) -> Int64 { try counted().catalogVersion() }
  func sequences() throws(LedgerError) -> Sequences { try counted().sequences() }
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 { try counted().last(sequence) }
  func recordSums() throws(LedgerError) -> RecordSums? { try counted().recordSums() }
  func journalCounts() throws(LedgerError) -> JournalCounts? { counts }
}
