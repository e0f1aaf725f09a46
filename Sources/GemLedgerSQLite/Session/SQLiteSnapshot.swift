internal import GemLedger

/// One state of the file, for reads within a transaction of its connection.
class SQLiteSnapshot: StorageSnapshot {
  final let tables: SQLiteTables

  init(_ tables: SQLiteTables) { self.tables = tables }

  // MARK: Rows

  final func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    try tables.rows(index, keys)
  }
  final func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    try tables.page(index, key, after: place, limit: limit)
  }
  final func scan() throws(LedgerError) -> any StorageScan { SQLiteScan(tables) }
  final func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try tables.customers.customer(id, hash: hash)
  }
  final func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? { try tables.accounts.account(number) }
  final func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try tables.keys.key(key, customer: customer)
  }

  // MARK: The project

  final func project() throws(LedgerError) -> ProjectRow { try tables.catalog.project() }
  final func catalogVersion() throws(LedgerError) -> Int64 { try tables.catalog.catalogVersion() }

  // MARK: Numbers and sums

  final func sequences() throws(LedgerError) -> Sequences { try tables.sequences.sequences() }
  final func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 { try tables.sequences.last(sequence) }
  final func recordSums() throws(LedgerError) -> RecordSums? { try tables.sums.recordSums() }
  final func journalCounts() throws(LedgerError) -> JournalCounts? { try tables.sequences.journalCounts() }
}
