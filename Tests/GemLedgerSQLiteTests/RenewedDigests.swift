import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// The digests of rows that a test changed, as the ledger would have booked these rows.
enum RenewedDigests {
  /// Writes the digests of all transactions, and the sums that depend on numbers.
  static func write(to path: String, _ raw: RawSQLite) throws {
    let storage = try SQLiteStorage(path: path)
    defer { storage.close() }
    let ledger = Ledger(storage: storage)
    var left = JournalRows(try EconomyRows(ledger))
    var sums = ChangeSet()
    var added = ColdChanges()
    try storage.read { (snapshot) throws(LedgerError) in
      try left.read(snapshot)
      sums.customers = try snapshot.customers(after: 0, limit: 1000)
      for (number, ids) in try snapshot.addedIDs(of: sums.customers.map(\.number)) {
        added.addedIDs += ids.map { AddedIDRow(customer: number, id: $0) }
      }
    }
    sums.cold = added
    sums.transactions = left.rows.transactions.map { left.digested($0) }
    for row in sums.transactions {
      XCTAssertNil(
        raw.run(
          """
          UPDATE all_transactions SET digest = \(row.digest), erasable_digest = nullif(\(row.erasable), 0)
          WHERE number = \(row.number)
          """))
    }
    let sum = sums.sums()
    XCTAssertNil(
      raw.run(
        """
        UPDATE record_sums SET transactions = \(sum.transactions), customers = \(sum.customers),
          added_ids = \(sum.addedIDs)
        """))
  }

  /// The rows of the journal; the lots' attributes go with the first transaction that names the lot.
  private struct JournalRows {
    let rows: EconomyRows
    private let entries: [TransactionNumber: [EntryRow]]
    private let allocations: [EntryNumber: [AllocationRow]]
    private var lotAttributes: [LotNumber: LotAttributesRow]
    private var keys: [TransactionNumber: [KeyRow]] = [:]
    private var notes: [TransactionNumber: NoteRow] = [:]

    init(_ rows: EconomyRows) {
      self.rows = rows
      entries = Dictionary(grouping: rows.entries, by: \.transaction)
      allocations = Dictionary(grouping: rows.allocations, by: \.entry)
      lotAttributes = Dictionary(rows.lotAttributes.map { ($0.lot, $0) }) { first, _ in first }
    }

    mutating func read(_ snapshot: any StorageSnapshot) throws(LedgerError) {
      let scan = try snapshot.scan()
      for row in try scan.page(after: nil as KeyRow?, limit: 1000) {
        guard case .booked(let number) = row.outcome else { continue }
        keys[number, default: []].append(row)
      }
      for row in try scan.notes(after: 0, limit: 1000) { notes[row.transaction] = row }
    }

    /// A change set of one transaction: its numbers are not those that a group counts.
    mutating func digested(_ row: TransactionRow) -> TransactionRow {
      let number = row.number
      var changes = ChangeSet()
      var cold = ColdChanges()
      changes.transactions = [row]
      changes.transactions[0].digest = 0
      changes.transactions[0].erasable = 0
      changes.entries = entries[number] ?? []
      changes.allocations = changes.entries.flatMap { allocations[$0.number] ?? [] }
      for lot in changes.entries.map(\.lot) + changes.allocations.map(\.lot) {
        if let attributes = lotAttributes.removeValue(forKey: lot) { cold.lotAttributes.append(attributes) }
      }
      changes.keys = keys[number] ?? []
      changes.notes = notes[number].map { [$0] } ?? []
      changes.purchases = rows.purchases.filter { $0.transaction == number }
      changes.itemEntries = rows.itemEntries.filter { $0.transaction == number }
      cold.merges = rows.merges.filter { $0.transaction == number }
      cold.refunds = rows.refunds.filter { $0.transaction == number }
      cold.refundParts = rows.refundParts.filter { $0.transaction == number }
      cold.events = rows.events.filter { $0.transaction == number }
      changes.cold = cold
      changes.digestTransactions()
      return changes.transactions[0]
    }
  }
}
