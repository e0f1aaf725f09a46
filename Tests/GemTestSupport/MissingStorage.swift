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

  package var isKeyedByCustomer: Bool { storage.isKeyedByCustomer }
  package var laneCount: Int { storage.laneCount }

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

  func project() throws(LedgerError) -> ProjectRow {
    try asked().project()
  }
  func catalogVersion() throws(LedgerError) -> Int64 {
    try asked().catalogVersion()
  }
  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try asked(kind).catalogRows(kind)
  }
  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try asked(kind, code).catalogRow(kind, code: code)
  }
  func environments() throws(LedgerError) -> [EnvironmentRow] {
    try asked().environments()
  }
  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    try asked(id).customer(id)
  }
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try asked(id, hash).customer(id, hash: hash)
  }
  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try asked(number).customer(number: number)
  }
  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try asked(number, limit).customers(after: number, limit: limit)
  }
  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try asked(number).mergedCustomers(into: number)
  }
  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    try asked(number).merges(into: number)
  }
  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try asked(number).addedIDs(of: number)
  }
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    try asked(number).account(number)
  }
  func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try asked(customer).accounts(of: customer)
  }
  func openLots(_ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int) throws(LedgerError) -> [LotRow] {
    try asked(account, paid, after as Any, limit).openLots(account, paid: paid, after: after, limit: limit)
  }
  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
    try asked(number).lot(number)
  }
  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try asked(number).lotAttributes(number)
  }
  func pooledLot(_ account: AccountNumber, source: LotSource, environment: Int64) throws(LedgerError) -> LotRow? {
    try asked(account, source, environment).pooledLot(account, source: source, environment: environment)
  }
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try asked(key, customer, hash).key(key, customer: customer, hash: hash)
  }
  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    try asked(identity).purchase(identity)
  }
  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try asked(customer, below, limit).purchases(of: customer, below: below, limit: limit)
  }
  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try asked(identity).refundEvidence(identity)
  }
  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
    try asked(purchase).refunds(of: purchase)
  }
  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try asked(transaction).refundParts(of: transaction)
  }
  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    try asked(item, customer).owned(item, customer: customer)
  }
  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    try asked(customer).ownedItems(of: customer)
  }
  func recordSums() throws(LedgerError) -> RecordSums? {
    try asked().recordSums()
  }
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 {
    try asked(sequence).last(sequence)
  }
  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try asked(number).transaction(number)
  }
  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? {
    try asked(number).entry(number)
  }
  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    try asked(transaction).entries(of: transaction)
  }
  func transactionsWithoutEntries(of customer: CustomerNumber, below: TransactionNumber, limit: Int) throws(LedgerError)
    -> [TransactionNumber]
  {
    try asked(customer, below, limit).transactionsWithoutEntries(of: customer, below: below, limit: limit)
  }
  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    try asked(entry).allocations(of: entry)
  }
  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    try asked(transaction).note(transaction)
  }
  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try asked(transaction).items(of: transaction)
  }
  func checkpoint(_ account: AccountNumber, version: Int64) throws(LedgerError) -> CheckpointRow? {
    try asked(account, version).checkpoint(account, version: version)
  }
  func events(of transaction: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError)
    -> [JournalEventRow]
  {
    try asked(transaction, owners).events(of: transaction, ofAny: owners)
  }
  func events(about target: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [JournalEventRow]
  {
    try asked(target, owners).events(about: target, ofAny: owners)
  }
  func events(of customer: CustomerNumber, below: TransactionNumber, limit: Int) throws(LedgerError)
    -> [JournalEventRow]
  {
    try asked(customer, below, limit).events(of: customer, below: below, limit: limit)
  }
  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    try asked(number, owners).hold(number, ofAny: owners)
  }
  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try asked(customer).holds(of: customer)
  }
  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try asked(key, customer).count(key, of: customer)
  }
  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try asked(customer).counts(of: customer)
  }
  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    try asked(code).order(code)
  }
  func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
    try asked(purchase).order(purchase: purchase)
  }
  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try asked(key, customer).order(key: key, customer: customer)
  }
  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try asked(customer, below, limit).orders(of: customer, below: below, limit: limit)
  }
  func orders(_ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int) throws(LedgerError)
    -> [OrderRow]
  {
    try asked(state, after, dueUntil, limit).orders(state, after: after, dueUntil: dueUntil, limit: limit)
  }
  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    try asked(number).purchase(number: number)
  }
  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    try asked(token).customer(token: token)
  }
  func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    try asked(purchase).entitlementHolder(purchase: purchase)
  }
  func entitlements(of customer: CustomerNumber, below purchase: Int64, limit: Int) throws(LedgerError) -> [Int64] {
    try asked(customer, purchase, limit).entitlements(of: customer, below: purchase, limit: limit)
  }
}
