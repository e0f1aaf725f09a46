package import GemLedger
internal import Synchronization

/// A storage that loads for a group nothing but what the group's commands asked for, as one across a network may.
///
/// Whatever a command reads for the first time is missing: all rules are run again and again from the group's start.
package final class MissingStorage: LedgerStorage {
  /// What becomes of a look-up that a command lacked.
  package enum Load: Sendable {
    case loaded
    /// It stays missing.
    case forgotten
    case damaged
  }

  private let storage: any LedgerStorage
  private let load: @Sendable (String) -> Load
  private let rounds = Mutex([Int]())

  /// - Parameter load: What becomes of a look-up, given its name and values.
  package init(
    _ storage: any LedgerStorage, load: @escaping @Sendable (_ question: String) -> Load = { _ in .loaded }
  ) {
    self.storage = storage
    self.load = load
  }

  /// How often each group loaded rows since this was read last.
  package func takeRounds() -> [Int] {
    rounds.withLock { rounds in
      defer { rounds = [] }
      return rounds
    }
  }

  package var traits: StorageTraits { storage.traits }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try storage.commit(lanes: lanes) { (base) throws(LedgerError) -> R in
      let session = MissingSession(base, load: load)
      defer { rounds.withLock { $0.append(session.rounds) } }
      return try body(session)
    }
  }

  package func close() { storage.close() }
}

/// The session of a ``MissingStorage``.
private final class MissingSession: StorageSession {
  private let base: any StorageSession
  private let load: (String) -> MissingStorage.Load
  private(set) var rounds = 0
  /// Whether a group is being decided; others, such as a change of the catalog, read what they need.
  private var isDeciding = false
  private var loaded: Set<String> = []
  private var missing: Set<String> = []

  init(_ base: any StorageSession, load: @escaping (String) -> MissingStorage.Load) {
    self.base = base
    self.load = load
  }

  private func asked(
    _ values: Any..., question: String = #function
  ) throws(LedgerError) -> any StorageSession {
    guard isDeciding else { return base }
    let question = "\(question) \(values)"
    if loaded.contains(question) { return base }
    missing.insert(question)
    throw .rowsMissing
  }

  func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
    isDeciding = true
    return try base.prefetch(commands)
  }

  func loadMissing() throws(LedgerError) -> Bool {
    let wanted = missing.filter { load($0) != .forgotten }
    guard !wanted.isEmpty else { return false }
    if wanted.contains(where: { load($0) == .damaged }) { throw LedgerError(.storageDamaged, "A row is damaged.") }
    loaded.formUnion(wanted)
    missing = []
    rounds += 1
    return true
  }

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    isDeciding = false
    try base.write(changes)
  }

  func sequences() throws(LedgerError) -> Sequences { try base.sequences() }
  func scan() throws(LedgerError) -> any StorageScan { try base.scan() }

  // MARK: Rows

  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    try asked(keys, question: index.name).rows(index, keys)
  }
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    try asked(key, place as Any, limit, question: "page of \(index.name)").page(index, key, after: place, limit: limit)
  }
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try asked(id, hash).customer(id, hash: hash)
  }
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? { try asked(number).account(number) }
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try asked(key, customer, hash).key(key, customer: customer, hash: hash)
  }
  func project() throws(LedgerError) -> ProjectRow { try asked().project() }
  func catalogVersion() throws(LedgerError) -> Int64 { try asked().catalogVersion() }
  func recordSums() throws(LedgerError) -> RecordSums? { try asked().recordSums() }
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 { try asked(sequence).last(sequence) }
}
