package import GemLedger
internal import Synchronization

/// A storage that is as hard to ask as one across a network: it counts the questions that a read asks, and finds a row
/// by its customer only where it is asked for by one.
package final class CountedStorage: LedgerStorage {
  private let storage: any LedgerStorage
  private let counts: JournalCounts?
  private let questions = Mutex([String: Int]())

  /// - Parameter counts: The row counts of the journal that it reports; nil where numbers have no gaps.
  package init(_ storage: any LedgerStorage, counts: JournalCounts? = nil) {
    self.storage = storage
    self.counts = counts
  }

  /// How often each question was asked since this was read last.
  package func takeQuestions() -> [String: Int] {
    questions.withLock { questions in
      defer { questions = [:] }
      return questions
    }
  }

  package var laneCount: Int { storage.laneCount }
  package var locksLanesTogether: Bool { storage.locksLanesTogether }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    try storage.lanes(of: commands)
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read { (snapshot) throws(LedgerError) -> R in
      try body(
        CountedSnapshot(snapshot, counts: counts) { question in
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
  private let count: (String) -> Void

  init(_ base: any StorageSnapshot, counts: JournalCounts?, count: @escaping (String) -> Void) {
    self.base = base
    self.counts = counts
    self.count = count
  }

  private func counted(_ question: String = #function) -> any StorageSnapshot {
    count(question)
    return base
  }

  func scan() throws(LedgerError) -> any StorageScan { CountedScan(try base.scan(), count: count) }

  // MARK: Many rows

  func journalCounts() throws(LedgerError) -> JournalCounts? { counts }

  func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    try counted().customers(wanted)
  }

  func customers(named wanted: [CustomerID]) throws(LedgerError) -> [CustomerID: FoundCustomer] {
    try counted().customers(named: wanted)
  }

  func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    try counted().addedIDs(of: customers)
  }

  func accounts(of customers: [CustomerNumber]) throws(LedgerError) -> [AccountRow] {
    try counted().accounts(of: customers)
  }

  func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    try counted().lotAttributes(wanted)
  }

  func checkpoints(_ wanted: [CheckpointAddress]) throws(LedgerError) -> [CheckpointAddress: CheckpointRow] {
    try counted().checkpoints(wanted)
  }

  func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try counted().transactions(transactions(at: wanted))
  }

  func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    try counted().entries(entries(at: wanted))
  }

  func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]] {
    try counted().entries(of: self.transactions(at: transactions))
  }

  func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]] {
    try counted().allocations(of: self.entries(at: entries))
  }

  func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber> {
    try counted().transactionsWithoutEntries(wanted)
  }

  func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow] {
    try counted().purchases(purchases(at: wanted))
  }

  func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    try counted().entitlementHolders(of: self.purchases(at: purchases))
  }

  func refundEvidence(
    of purchases: [PurchaseIdentity]
  ) throws(LedgerError) -> [PurchaseIdentity: [RefundEvidenceRow]] {
    try counted().refundEvidence(of: purchases)
  }

  func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]] {
    try counted().refunds(of: self.purchases(at: purchases))
  }

  func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]] {
    try counted().refundParts(of: self.transactions(at: transactions))
  }

  func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try counted().events(of: transactions)
  }

  func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try counted().events(about: targets)
  }

  // MARK: The places that are right

  private func transactions(at positions: [RowAddress]) throws(LedgerError) -> [RowAddress] {
    try right(positions) { (number) throws(LedgerError) in try base.transaction(number)?.customer }
  }

  private func entries(at positions: [RowAddress]) throws(LedgerError) -> [RowAddress] {
    try right(positions) { (number) throws(LedgerError) in try base.entry(number)?.account.customer }
  }

  private func purchases(at positions: [RowAddress]) throws(LedgerError) -> [RowAddress] {
    try right(positions) { (number) throws(LedgerError) in try base.purchase(number: number)?.customer }
  }

  private func right(
    _ positions: [RowAddress], _ customer: (Int64) throws(LedgerError) -> CustomerNumber?
  ) throws(LedgerError) -> [RowAddress] {
    var right: [RowAddress] = []
    for position in positions {
      let isRight = position.customer == nil ? true : try customer(position.number) == position.customer
      if isRight { right.append(position) }
    }
    return right
  }

  // MARK: Single rows

  func project() throws(LedgerError) -> ProjectRow { try counted().project() }
  func catalogVersion() throws(LedgerError) -> Int64 { try counted().catalogVersion() }
  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try counted().catalogRows(kind)
  }
  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try counted().catalogRow(kind, code: code)
  }
  func environments() throws(LedgerError) -> [EnvironmentRow] { try counted().environments() }
  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? { try counted().customer(id) }
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try counted().customer(id, hash: hash)
  }
  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try counted().customer(number: number)
  }
  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try counted().customers(after: number, limit: limit)
  }
  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try counted().mergedCustomers(into: number)
  }
  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] { try counted().merges(into: number) }
  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try counted().addedIDs(of: number)
  }
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? { try counted().account(number) }
  func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try counted().accounts(of: customer)
  }
  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try counted().openLots(account, paid: paid, after: after, limit: limit)
  }
  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? { try counted().lot(number) }
  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try counted().lotAttributes(number)
  }
  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow? {
    try counted().pooledLot(account, source: source, environment: environment)
  }
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try counted().key(key, customer: customer, hash: hash)
  }
  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    try counted().purchase(identity)
  }
  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try counted().purchases(of: customer, below: below, limit: limit)
  }
  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try counted().refundEvidence(identity)
  }
  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] { try counted().refunds(of: purchase) }
  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try counted().refundParts(of: transaction)
  }
  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    try counted().owned(item, customer: customer)
  }
  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    try counted().ownedItems(of: customer)
  }
  func sequences() throws(LedgerError) -> Sequences { try counted().sequences() }
  func recordSums() throws(LedgerError) -> RecordSums? { try counted().recordSums() }
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 { try counted().last(sequence) }
  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try counted().transaction(number)
  }
  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? { try counted().entry(number) }
  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    try counted().entries(of: transaction)
  }
  func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    try counted().transactionsWithoutEntries(of: customer, below: below, limit: limit)
  }
  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    try counted().allocations(of: entry)
  }
  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    try counted().note(transaction)
  }
  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try counted().items(of: transaction)
  }
  func checkpoint(_ account: AccountNumber, version: Int64) throws(LedgerError) -> CheckpointRow? {
    try counted().checkpoint(account, version: version)
  }
  func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    try counted().events(of: transaction, ofAny: owners)
  }
  func events(about target: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [JournalEventRow]
  {
    try counted().events(about: target, ofAny: owners)
  }
  func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    try counted().events(of: customer, below: below, limit: limit)
  }
  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    try counted().hold(number, ofAny: owners)
  }
  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] { try counted().holds(of: customer) }
  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try counted().count(key, of: customer)
  }
  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] { try counted().counts(of: customer) }
  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? { try counted().order(code) }
  func order(purchase: Int64) throws(LedgerError) -> OrderRow? { try counted().order(purchase: purchase) }
  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try counted().order(key: key, customer: customer)
  }
  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try counted().orders(of: customer, below: below, limit: limit)
  }
  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try counted().orders(state, after: after, dueUntil: dueUntil, limit: limit)
  }
  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? { try counted().purchase(number: number) }
  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    try counted().customer(token: token)
  }
  func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    try counted().entitlementHolder(purchase: purchase)
  }
  func entitlements(
    of customer: CustomerNumber, below purchase: Int64, limit: Int
  ) throws(LedgerError) -> [Int64] {
    try counted().entitlements(of: customer, below: purchase, limit: limit)
  }
}
