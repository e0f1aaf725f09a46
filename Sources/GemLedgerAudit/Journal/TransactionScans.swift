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
    let next = start + 1
    notes = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.notes(after: last?.transaction ?? start, limit: limit)
    }
    // No item id sorts before the empty text.
    let noItem = ItemEntryRow(transaction: next, customer: 0, item: ItemID(unchecked: ""), quantity: 0, owned: 0)
    items = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.page(after: last ?? noItem, limit: limit)
    }
    merges = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.merges(after: last?.transaction ?? start, limit: limit)
    }
    refunds = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.refunds(after: last?.transaction ?? start, limit: limit)
    }
    let noPart = RefundPartRow(transaction: next, position: 0, lot: 0, kind: .taken, source: 0, amount: 0)
    parts = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.page(after: last ?? noPart, limit: limit)
    }
    let noEffect = JournalEventRow(
      transaction: next, position: 0, customer: 0, kind: .reversal, createdAt: Timestamp(milliseconds: 0))
    events = SortedRows(\.transaction) { (last, limit) throws(LedgerError) in
      try scan.page(after: last ?? noEffect, limit: limit)
    }
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
struct SortedRows<Row> {
  private let own: (Row) -> Int64
  private let read: (Row?, Int) throws(LedgerError) -> [Row]
  private var page: [Row] = []
  private var position = 0
  /// The number of skipped rows.
  private var orphans: Int64 = 0
  /// The key of the next row: `.min` before the first read, `.max` after the last row.
  private var next = Int64.min

  /// - Parameters:
  ///   - own: Returns the key of a row.
  ///   - read: Returns the rows after a given row, or the first rows.
  init(_ own: @escaping (Row) -> Int64, _ read: @escaping (Row?, Int) throws(LedgerError) -> [Row]) {
    self.own = own
    self.read = read
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
        next = own(page[position])
      } else if page.count == ScanPage.size {
        try readOn(after: row)
      } else {
        next = .max
      }
      if own(row) == number { return row }
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
    page = try read(row, ScanPage.size)
    position = 0
    next = page.first.map(own) ?? .max
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
    rows = scan.map { scan in
      SortedRows(\.lot) { (last, limit) throws(LedgerError) in
        try scan.lotAttributes(after: last?.lot ?? lot ?? 0, limit: limit)
      }
    }
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
