internal import GemLedger

/// Reads of a whole ledger, page by page, and SQLite's check of the file.
final class SQLiteScan: StorageScan {
  private let tables: SQLiteTables
  private var plain = PlainPage()

  init(_ tables: SQLiteTables) { self.tables = tables }

  /// The signal of the check that was begun; nil before.
  var stopSign: ReadCancellation? { tables.statements.connection.stopSign }

  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    try IntegrityCheck(statements: tables.statements).begin()
  }

  func keyPages(_ kind: KeyKind, _ body: ([KeyRow]) throws(LedgerError) -> Void) throws(LedgerError) {
    try tables.keys.pages(kind, of: ScanPage.size, body)
  }

  func newestKeys(
    after number: TransactionNumber, digests: UInt64, limit: Int
  ) throws(LedgerError) -> [KeyRow]? {
    try tables.keys.newest(after: number, digests: digests, limit: limit)
  }

  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row] {
    switch Row.self {
    case is TransactionRow.Type:
      let after = (after as? TransactionRow)?.number ?? 0
      return try Row.rows(tables.journal.transactions(after: after, limit: limit, &plain))
    case is EntryRow.Type:
      return try Row.rows(tables.journal.entries(after: (after as? EntryRow)?.number ?? 0, limit: limit, &plain))
    case is AccountRow.Type:
      let after = (after as? AccountRow)?.number ?? AccountNumber(rawValue: 0)
      return try Row.rows(tables.accounts.accounts(after: after, limit: limit))
    case is RefundPartRow.Type: return try tables.statements.page(after: after, limit, from: RefundTable.parts)
    case is PurchaseRow.Type: return try tables.statements.page(after: after, limit, from: PurchaseTable.source)
    case is RefundStateRow.Type:
      let after = (after as? RefundStateRow)?.purchase ?? 0
      return try Row.rows(tables.refunds.refundStates(after: after, limit: limit))
    case is AddedIDRow.Type:
      return try Row.rows(tables.customers.customerIDs(after: (after as? AddedIDRow)?.id, limit: limit))
    case is KeyRow.Type: return try Row.rows(tables.keys.keys(after: after as? KeyRow, limit: limit))
    case is CountRow.Type: return try tables.statements.page(after: after, limit, from: CounterTable.known)
    default: return try tables.statements.page(after: after, limit)
    }
  }
}
