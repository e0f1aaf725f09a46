package import GemLedger

/// Reads entries with their allocations, in the order of entries, a page at a time.
package struct JournalScan {
  private let scan: any StorageScan
  private var entries: ArraySlice<EntryRow> = []
  private var allocations: ArraySlice<AllocationRow> = []
  private var lastEntry: EntryNumber
  private var lastAllocation: AllocationRow
  private var hasMoreAllocations = true
  private var orphans: Int64 = 0

  /// - Parameter first: Entries with lower numbers are skipped.
  package init(_ scan: any StorageScan, from first: EntryNumber = 1) {
    self.scan = scan
    lastEntry = first - 1
    lastAllocation = AllocationRow(entry: first, position: 0, lot: 0, amount: 0)
  }

  /// The entries after the last returned entry, as far as they are read.
  var upcoming: ArraySlice<EntryRow> { entries }

  package mutating func nextEntry() throws(LedgerError) -> EntryRow? {
    if entries.isEmpty { entries = try scan.entries(after: lastEntry, limit: ScanPage.size)[...] }
    guard let entry = entries.popFirst() else { return nil }
    lastEntry = entry.number
    return entry
  }

  package mutating func allocations(of entry: EntryRow) throws(LedgerError) -> [AllocationRow] {
    var own: [AllocationRow] = []
    while let next = try nextAllocation(upTo: entry.number) {
      if next.entry == entry.number { own.append(next) } else { orphans += 1 }
    }
    return own
  }

  /// Reads the remaining allocations, after the last requested entry.
  ///
  /// - Returns: The number of allocations of entries that were not requested.
  mutating func countOrphans() throws(LedgerError) -> Int64 {
    while try nextAllocation(upTo: .max) != nil { orphans += 1 }
    return orphans
  }

  private mutating func nextAllocation(upTo entry: EntryNumber) throws(LedgerError) -> AllocationRow? {
    if allocations.isEmpty, hasMoreAllocations {
      allocations = try scan.page(after: lastAllocation, limit: ScanPage.size)[...]
      hasMoreAllocations = allocations.count == ScanPage.size
    }
    guard let next = allocations.first, next.entry <= entry else { return nil }
    lastAllocation = next
    allocations.removeFirst()
    return next
  }
}

/// Reads the transactions in parallel with the entries, advancing when an entry belongs to the next transaction.
struct TransactionWalk {
  private let scan: any StorageScan
  private var page: ArraySlice<TransactionRow> = []
  private var hasMore = true

  /// The current transaction of the walk.
  private(set) var current: TransactionRow?
  /// Whether an entry has a number of the current transaction.
  var hasEntries = false

  init(_ scan: any StorageScan) { self.scan = scan }

  /// The next transaction.
  mutating func next() throws(LedgerError) -> TransactionRow? {
    if page.isEmpty, hasMore {
      page = try scan.transactions(after: current?.number ?? 0, limit: ScanPage.size)[...]
      hasMore = !page.isEmpty
    }
    return page.first
  }

  /// Returns the next transaction, unless it begins after the entry.
  ///
  /// A transaction that owns this entry but wrongly states a later first entry must not block the others.
  mutating func next(upTo entry: EntryRow) throws(LedgerError) -> TransactionRow? {
    guard let next = try next(), next.firstEntry <= entry.number || next.number == entry.transaction else { return nil }
    return next
  }

  /// Advances to the transaction of the entry; returns nil if it is missing.
  mutating func transaction(of entry: EntryRow) throws(LedgerError) -> TransactionRow? {
    while try next(upTo: entry) != nil { advance() }
    guard let current, current.number == entry.transaction else { return nil }
    return current
  }

  /// Advances to the next transaction.
  mutating func advance() {
    current = page.popFirst()
    hasEntries = false
  }
}

/// Reads effects in the order of transactions and positions, a page at a time.
struct JournalEventWalk {
  private let scan: any StorageScan
  private var page: ArraySlice<JournalEventRow>
  /// The transaction of the next journal event; `.max` after the last.
  private(set) var next: TransactionNumber = .max

  init(_ scan: any StorageScan) throws(LedgerError) {
    self.scan = scan
    page = try scan.page(after: nil as JournalEventRow?, limit: ScanPage.size)[...]
    next = page.first?.transaction ?? .max
  }

  mutating func pop() throws(LedgerError) -> JournalEventRow? {
    guard let row = page.popFirst() else { return nil }
    if page.isEmpty { page = try scan.page(after: row, limit: ScanPage.size)[...] }
    next = page.first?.transaction ?? .max
    return row
  }
}
