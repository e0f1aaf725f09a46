package import GemLedger

/// A transaction with all its rows.
package struct ExportedTransaction {
  package let row: TransactionRow
  package var entries: [(entry: EntryRow, allocations: [AllocationRow])] = []
  package var items: [ItemEntryRow] = []
  package var note: NoteRow?
  package var merge: MergeRow?
  package var refund: RefundRow?
  package var refundParts: [RefundPartRow] = []
  package var events: [JournalEventRow] = []
  package var newLots: [LotAddress] = []

  init(_ row: TransactionRow) { self.row = row }
}

/// A lot with a past or present owner.
package struct LotAddress {
  let lot: LotNumber
  let customer: CustomerNumber
}

/// Parallel scans over the rows of transactions, all in the order of transactions.
package struct TransactionScans {
  private let scan: any StorageScan
  private let start: TransactionNumber
  private let passesOverLost: Bool
  private var journal: JournalScan?
  private var entry: EntryRow?
  private var notes: SortedRows<NoteRow>
  private var items: SortedRows<ItemEntryRow>
  private var merges: SortedRows<MergeRow>
  private var refunds: SortedRows<RefundRow>
  private var parts: SortedRows<RefundPartRow>
  private var events: SortedRows<JournalEventRow>

  /// - Parameters:
  ///   - start: The scans start after this transaction.
  ///   - passesOverLost: Whether to skip entries with missing transactions, instead of an error.
  package init(_ scan: any StorageScan, after start: TransactionNumber, passesOverLost: Bool = false) {
    self.scan = scan
    self.start = start
    self.passesOverLost = passesOverLost
    notes = SortedRows(scan, \.transaction, after: start)
    items = SortedRows(scan, \.transaction, after: start)
    merges = SortedRows(scan, \.transaction, after: start)
    refunds = SortedRows(scan, \.transaction, after: start)
    parts = SortedRows(scan, \.transaction, after: start)
    events = SortedRows(scan, \.transaction, after: start)
  }

  /// Returns the transaction with its parts; transactions must be requested in order.
  package mutating func next(_ row: TransactionRow) throws(LedgerError) -> ExportedTransaction {
    var transaction = ExportedTransaction(row)
    if journal == nil { try begin(at: row) }
    while let own = entry, own.transaction <= row.number {
      if own.transaction == row.number {
        transaction.entries.append((own, own.lot == 0 ? try allocations(of: own) : []))
      } else if !passesOverLost {
        throw Self.lost(own)
      }
      entry = try journal?.nextEntry()
    }
    let number = row.number
    transaction.note = try notes.take(number)
    if let item = try items.take(number) {
      transaction.items = [item]
      while let next = try items.take(number) { transaction.items.append(next) }
    }
    transaction.merge = try merges.take(number)
    if let refund = try refunds.take(number) {
      transaction.refund = refund
      while let part = try parts.take(number) { transaction.refundParts.append(part) }
    }
    while let event = try events.take(number) { transaction.events.append(event) }
    return transaction
  }

  /// - Throws: `books_wrong` if an entry is left over.
  package func expectEnd() throws(LedgerError) {
    if let entry { throw Self.lost(entry) }
  }

  /// Reads the remaining rows, after the last transaction.
  ///
  /// - Returns: The tables other than entries that have rows without a transaction, with the number of these rows.
  package mutating func countOrphans() throws(LedgerError) -> [(table: String, count: Int64)] {
    let counts = [
      ("allocations", try journal?.countOrphans() ?? 0), ("notes", try notes.countOrphans()),
      ("items", try items.countOrphans()), ("merges", try merges.countOrphans()),
      ("refunds", try refunds.countOrphans()), ("parts of refunds", try parts.countOrphans()),
      ("journal events", try events.countOrphans()),
    ]
    return counts.filter { $0.1 > 0 }
  }

  private mutating func begin(at row: TransactionRow) throws(LedgerError) {
    var scan = JournalScan(scan, from: row.firstEntry)
    entry = try scan.nextEntry()
    journal = scan
  }

  private mutating func allocations(of entry: EntryRow) throws(LedgerError) -> [AllocationRow] {
    try journal?.allocations(of: entry) ?? []
  }

  private static func lost(_ entry: EntryRow) -> LedgerError {
    LedgerError(
      .booksWrong, "Entry \(entry.number) names transaction \(entry.transaction), which is missing. Run verify.")
  }
}

/// Rows of an ordered scan, for a caller that reads in the same order.
struct SortedRows<Row: StoredRow> {
  private let scan: any StorageScan
  private let number: KeyPath<Row, Int64>
  private let start: Row
  private var page: [Row] = []
  private var position = 0
  /// The number of skipped rows.
  private var orphans: Int64 = 0
  /// The key of the next row: `.min` before the first read, `.max` after the last row.
  private var next = Int64.min

  /// - Parameters:
  ///   - number: The first column of the rows' key.
  ///   - last: The scan starts after all rows of this number.
  init(_ scan: any StorageScan, _ number: WritableKeyPath<Row, Int64>, after last: Int64) {
    self.scan = scan
    self.number = number
    var row = Row.blank
    // No row sorts before the blank row of its number.
    row[keyPath: number] = Row.keyColumnCount == 1 ? last : last + 1
    start = row
  }

  /// Returns the next row with this key, and skips rows with lower keys.
  ///
  /// Most transactions lack most kinds of rows, which costs one comparison.
  @inline(__always)
  mutating func take(_ number: Int64) throws(LedgerError) -> Row? {
    next <= number ? try advance(to: number) : nil
  }

  private mutating func advance(to number: Int64) throws(LedgerError) -> Row? {
    if next == .min { try readOn(after: nil) }
    while next <= number {
      let row = page[position]
      position += 1
      if position < page.count {
        next = page[position][keyPath: self.number]
      } else if page.count == ScanPage.size {
        try readOn(after: row)
      } else {
        next = .max
      }
      if row[keyPath: self.number] == number { return row }
      orphans += 1
    }
    return nil
  }

  /// Reads the remaining rows.
  ///
  /// - Returns: The number of rows that were not taken.
  mutating func countOrphans() throws(LedgerError) -> Int64 {
    _ = try take(.max - 1)
    return orphans
  }

  private mutating func readOn(after row: Row?) throws(LedgerError) {
    page = try scan.page(after: row ?? start, limit: ScanPage.size)
    position = 0
    next = page.first?[keyPath: number] ?? .max
  }
}

/// Finds the attributes of lots when they are first named.
///
/// It uses a parallel scan if lots are numbered in journal order, otherwise one batch read for each page.
package struct LotAttributesSource {
  private let snapshot: any StorageSnapshot
  private var rows: SortedRows<LotAttributesRow>?
  private var known: [LotNumber: LotAttributesRow] = [:]

  /// - Parameter scan: Nil if lots are not numbered in journal order.
  package init(_ snapshot: any StorageSnapshot, scan: (any StorageScan)?, after lot: LotNumber?) {
    self.snapshot = snapshot
    rows = scan.map { SortedRows($0, \.lot, after: lot ?? 0) }
  }

  package mutating func load(_ page: [ExportedTransaction]) throws(LedgerError) {
    guard rows == nil else { return }
    let wanted = page.flatMap { $0.newLots.map { RowAddress($0.lot, of: $0.customer) } }
    known = wanted.isEmpty ? [:] : try snapshot.lotAttributes(wanted)
  }

  /// Returns the attributes of the lots, in order.
  package mutating func rows(of lots: [LotAddress]) throws(LedgerError) -> [LotAttributesRow] {
    var rows: [LotAttributesRow] = []
    for lot in lots { rows.append(try attributes(of: lot)) }
    return rows
  }

  private mutating func attributes(of position: LotAddress) throws(LedgerError) -> LotAttributesRow {
    guard let found = try attributes(ifAny: position) else {
      throw LedgerError(.booksWrong, "Lot \(position.lot) has no terms. Run verify.")
    }
    return found
  }

  mutating func attributes(ifAny position: LotAddress) throws(LedgerError) -> LotAttributesRow? {
    rows == nil ? known[position.lot] : try rows?.take(position.lot)
  }
}
