internal import GemLedger

/// Reads of a whole ledger, page by page, and SQLite's own check of the file.
final class SQLiteScan: CopyReads {
  private let tables: SQLiteTables

  init(_ tables: SQLiteTables) { self.tables = tables }

  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    try IntegrityCheck(statements: tables.statements).begin()
  }

  // MARK: Journal

  func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try tables.journal.transactions(after: after, limit: limit)
  }
  func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try tables.journal.entries(after: after, limit: limit)
  }
  func allocations(after: AllocationRow?, limit: Int) throws(LedgerError) -> [AllocationRow] {
    try tables.journal.allocations(after: after, limit: limit)
  }
  func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
    try tables.journal.notes(after: after, limit: limit)
  }
  func merges(after: TransactionNumber, limit: Int) throws(LedgerError) -> [MergeRow] {
    try tables.journal.merges(after: after, limit: limit)
  }
  func events(after: JournalEventRow?, limit: Int) throws(LedgerError) -> [JournalEventRow] {
    try tables.events.events(after: after, limit: limit)
  }
  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try tables.keys.keys(after: after, limit: limit)
  }
  func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try tables.keys.keys(wanted, after: after, limit: limit)
  }

  // MARK: Purchases and refunds

  func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try tables.purchases.purchases(after: after, limit: limit)
  }
  func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try tables.refunds.refunds(after: after, limit: limit)
  }
  func refundParts(after: RefundPartRow?, limit: Int) throws(LedgerError) -> [RefundPartRow] {
    try tables.refunds.refundParts(after: after, limit: limit)
  }
  func refundStates(after: Int64, limit: Int) throws(LedgerError) -> [RefundStateRow] {
    try tables.refunds.refundStates(after: after, limit: limit)
  }
  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
    try tables.refunds.refundEvidence(after: after, limit: limit)
  }

  // MARK: Accounts, lots, items

  func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    try tables.accounts.accounts(after: after, limit: limit)
  }
  func checkpoints(after: CheckpointRow?, limit: Int) throws(LedgerError) -> [CheckpointRow] {
    try tables.accounts.checkpoints(after: after, limit: limit)
  }
  func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try tables.lots.lots(after: after, limit: limit)
  }
  func lotAttributes(after: LotNumber, limit: Int) throws(LedgerError) -> [LotAttributesRow] {
    try tables.lots.lotAttributes(after: after, limit: limit)
  }
  func itemEntries(after: ItemEntryRow?, limit: Int) throws(LedgerError) -> [ItemEntryRow] {
    try tables.items.itemEntries(after: after, limit: limit)
  }
  func ownedItems(after: OwnedItemRow?, limit: Int) throws(LedgerError) -> [OwnedItemRow] {
    try tables.items.ownedItems(after: after, limit: limit)
  }
  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try tables.holds.holds(after: after, limit: limit)
  }
  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    try tables.counters.counts(after: after, limit: limit)
  }

  // MARK: Customers, catalog

  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    try tables.customers.customerIDs(after: after, limit: limit)
  }
  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
    try tables.accountTokens.accountTokens(after: after, limit: limit)
  }
  func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] { try tables.catalog.catalogVersions() }
  func copyProgress() throws(LedgerError) -> CopyProgress? { try tables.copies.copyProgress() }
}
