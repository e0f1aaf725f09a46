internal import GemLedger

/// Many rows by their numbers.
///
/// A reader of a whole ledger asks for numbers that lie near each other: then stepping from one row to the next costs a
/// tenth of looking each up.
class SQLiteBatchReads {
  final let tables: SQLiteTables

  init(_ tables: SQLiteTables) { self.tables = tables }

  final func journalCounts() throws(LedgerError) -> JournalCounts? { try tables.sequences.journalCounts() }
  final func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber? {
    try tables.customers.customerNumber(after: after, skipping: count)
  }
  final func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    try tables.customers.customers(wanted)
  }
  final func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    try tables.customers.addedIDs(of: customers)
  }
  final func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    try tables.lots.lotAttributes(wanted)
  }
  final func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try tables.journal.transactions(wanted)
  }
  final func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    try tables.journal.entries(wanted)
  }
  final func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    try tables.entitlements.entitlementHolders(of: purchases)
  }
}
