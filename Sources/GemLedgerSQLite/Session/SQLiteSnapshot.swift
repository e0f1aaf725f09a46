internal import GemLedger

/// One state of the file, for reads within a transaction of its connection.
class SQLiteSnapshot: SQLiteBatchReads, StorageSnapshot {
  final func scan() throws(LedgerError) -> any StorageScan { SQLiteScan(tables) }

  // MARK: Catalog

  final func project() throws(LedgerError) -> ProjectRow { try tables.catalog.project() }
  final func catalogVersion() throws(LedgerError) -> Int64 { try tables.catalog.catalogVersion() }
  final func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try tables.catalog.catalogRows(kind)
  }
  final func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try tables.catalog.catalogRow(kind, code: code)
  }
  final func environments() throws(LedgerError) -> [EnvironmentRow] { try tables.catalog.environments() }

  // MARK: Customers and accounts

  final func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? { try tables.customers.customer(id) }
  final func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try tables.customers.customer(number: number)
  }
  final func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    try tables.accountTokens.customer(token: token)
  }
  final func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try tables.customers.customers(after: number, limit: limit)
  }
  final func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    try tables.journal.merges(into: number)
  }
  final func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try tables.customers.mergedCustomers(into: number)
  }
  final func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try tables.customers.addedIDs(of: number)
  }
  final func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? { try tables.accounts.account(number) }
  final func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try tables.accounts.accounts(of: customer)
  }
  final func checkpoint(_ account: AccountNumber, version: Int64) throws(LedgerError) -> CheckpointRow? {
    try tables.accounts.checkpoint(account, version: version)
  }

  // MARK: Lots and items

  final func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try tables.lots.openLots(account, paid: paid, after: after, limit: limit)
  }
  final func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? { try tables.lots.lot(number) }
  final func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try tables.lots.lotAttributes(number)
  }
  final func pooledLot(_ account: AccountNumber, source: LotSource, environment: Int64) throws(LedgerError) -> LotRow? {
    try tables.lots.pooledLot(account, source: source, environment: environment)
  }
  final func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    try tables.items.owned(item, customer: customer)
  }
  final func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    try tables.items.ownedItems(of: customer)
  }
  final func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try tables.items.items(of: transaction)
  }

  // MARK: Keys, purchases, refunds

  final func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try tables.keys.key(key, customer: customer, hash: hash)
  }
  final func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    try tables.purchases.purchase(identity)
  }
  final func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    try tables.purchases.purchase(number: number)
  }
  final func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try tables.purchases.purchases(of: customer, below: below, limit: limit)
  }
  final func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    try tables.entitlements.entitlementHolder(purchase: purchase)
  }
  final func entitlements(
    of customer: CustomerNumber, below purchase: Int64, limit: Int
  ) throws(LedgerError) -> [Int64] {
    try tables.entitlements.entitlements(of: customer, below: purchase, limit: limit)
  }
  final func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try tables.refunds.refundEvidence(identity)
  }
  final func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] { try tables.refunds.refunds(of: purchase) }
  final func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try tables.refunds.refundParts(of: transaction)
  }

  // MARK: Orders

  final func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? { try tables.orders.order(code) }
  final func order(purchase: Int64) throws(LedgerError) -> OrderRow? { try tables.orders.order(purchase: purchase) }
  final func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try tables.orders.order(key: key, customer: customer)
  }
  final func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try tables.orders.orders(of: customer, below: below, limit: limit)
  }
  final func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try tables.orders.orders(state, after: after, dueUntil: dueUntil, limit: limit)
  }
  // MARK: Journal

  final func sequences() throws(LedgerError) -> Sequences { try tables.sequences.sequences() }
  final func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 { try tables.sequences.last(sequence) }
  final func recordSums() throws(LedgerError) -> RecordSums? { try tables.sums.recordSums() }
  final func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try tables.journal.transaction(number)
  }
  final func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? { try tables.journal.entry(number) }
  final func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    try tables.journal.entries(of: transaction)
  }
  final func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    try tables.journal.entries(of: transaction)
  }
  final func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    try tables.lists.transactionsWithoutEntries(of: customer, below: below, limit: limit)
  }
  final func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    try tables.journal.allocations(of: entry)
  }
  final func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    try tables.journal.note(transaction)
  }

  // MARK: Events, holds, counters

  final func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    try tables.events.events(of: transaction)
  }
  final func events(
    about target: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    try tables.events.events(about: target)
  }
  final func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    try tables.events.events(of: customer, below: below, limit: limit)
  }
  final func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    try tables.holds.hold(number)
  }
  final func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try tables.holds.holds(of: customer)
  }
  final func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try tables.counters.count(key, of: customer)
  }
  final func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try tables.counters.counts(of: customer)
  }
}
