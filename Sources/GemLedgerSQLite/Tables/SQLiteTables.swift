internal import GemLedger

/// The tables of a ledger's file, used through one connection.
struct SQLiteTables {
  let statements: StatementRunner
  let cache = RowCache()
  let catalog: CatalogTable
  let customers: CustomerTable
  let accountTokens: AccountTokenTable
  let accounts: AccountTable
  let lots: LotTable
  let journal: JournalTable
  let events: JournalEventTable
  let sequences: SequenceTable
  let keys: KeyTable
  let purchases: PurchaseTable
  let entitlements: EntitlementTable
  let items: ItemTable
  let refunds: RefundTable
  let orders: OrderTable
  let holds: HoldTable
  let counters: CounterTable
  let documents: DocumentTable
  let lists: CustomerListTable
  let copies: CopyTable
  let sums: RecordSumsTable

  init(_ connection: SQLiteConnection, isCopy: Bool, sizes: TableSizes) {
    statements = StatementRunner(connection)
    catalog = CatalogTable(statements: statements)
    customers = CustomerTable(statements: statements, catalog: catalog, cache: cache, sizes: sizes)
    accountTokens = AccountTokenTable(statements: statements)
    accounts = AccountTable(statements, cache, isCopy: isCopy, sizes: sizes)
    lots = LotTable(statements: statements)
    journal = JournalTable(statements: statements, runUp: sizes.runUp)
    events = JournalEventTable(statements: statements)
    copies = CopyTable(statements, isCopy: isCopy)
    sequences = SequenceTable(statements: statements, copies: copies)
    keys = KeyTable(statements, cache)
    purchases = PurchaseTable(statements: statements)
    entitlements = EntitlementTable(statements: statements)
    items = ItemTable(statements: statements)
    refunds = RefundTable(statements: statements)
    orders = OrderTable(statements: statements)
    lists = CustomerListTable(statements, sizes: sizes)
    holds = HoldTable(statements: statements, lists: lists)
    counters = CounterTable(statements: statements)
    documents = DocumentTable(statements: statements)
    sums = RecordSumsTable(statements: statements)
  }
}
