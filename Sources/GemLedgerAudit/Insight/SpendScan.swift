internal import GemLedger

/// Reads the spends and reversals of the journal up to an instant, with the environments of their currency.
///
/// Memory grows with the number of merges and of lots outside production.
struct SpendScan {
  /// An entry of a spend or a reversal.
  struct Step {
    let transaction: TransactionRow
    let entry: EntryRow
    /// The entry's customer, following merges up to the instant.
    let customer: CustomerNumber
    let parts: [Part]
  }

  /// The part of an entry in one environment.
  struct Part: Hashable {
    let currency: Int64
    let environment: Int64
    /// Negative for spends.
    var amount: Int64
  }

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  private let end: Timestamp
  private var survivors: [CustomerNumber: CustomerNumber] = [:]
  /// The environments of lots outside production.
  private let environments = IntegerMap<Int64>()

  /// - Parameter end: The instant, exclusive.
  init(_ snapshot: any StorageSnapshot, until end: Timestamp) throws(LedgerError) {
    self.snapshot = snapshot
    self.end = end
    scan = try snapshot.scan()
    survivors = try Self.survivors(scan, snapshot, until: end)
    let environments = environments
    try scan.pages(after: .blank) { (page: [LotAttributesRow]) in
      for lot in page where lot.environment != Self.production { environments[lot.lot] = lot.environment }
    }
  }

  private static let production = StoreEnvironment.Kind.production.rawValue

  private static func survivors(
    _ scan: any StorageScan, _ snapshot: any StorageSnapshot, until end: Timestamp
  ) throws(LedgerError) -> [CustomerNumber: CustomerNumber] {
    var replay = MergeReplay()
    try scan.pages(after: .blank) { (page: [MergeRow]) throws(LedgerError) in
      let transactions = try snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.into) })
      for row in page {
        guard let transaction = transactions[row.transaction] else { throw .lacksTransaction(row.transaction) }
        guard transaction.createdAt < end else { continue }
        _ = transaction.kind == .unmerge ? replay.unmerge(row) : replay.merge(row)
      }
    }
    return replay.survivors
  }

  /// Returns the surviving customer at the instant.
  func customer(_ number: CustomerNumber) -> CustomerNumber { survivors[number] ?? number }

  /// - Parameter progress: Called with the number of entries read and their total.
  func run(
    progress: (Int64, Int64) -> Void, step: (Step) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let counts = try snapshot.journalCounts()
    let total = if let counts { counts.entries } else { try snapshot.sequences().entry }
    var journal = JournalScan(scan)
    var walk = TransactionWalk(scan)
    var count: Int64 = 0
    while let entry = try journal.nextEntry() {
      count += 1
      if count & 0xFFFF == 0 { progress(count, max(count, total)) }
      guard let transaction = try walk.transaction(of: entry) else { throw .lacksTransaction(entry.transaction) }
      guard transaction.createdAt < end else {
        // Numbers without gaps are in the order of time.
        if counts == nil { break }
        continue
      }
      guard entry.kind == .spend || entry.kind == .reversal else { continue }
      let parts = try parts(of: entry, needsAllocations(entry) ? try journal.allocations(of: entry) : [])
      try step(
        Step(transaction: transaction, entry: entry, customer: customer(entry.account.customer), parts: parts))
    }
    progress(total, total)
  }

  /// Returns the parts of a transaction's spends.
  func parts(of transaction: TransactionRow) throws(LedgerError) -> [Part] {
    let key = IndexKey(transaction.number, transaction.firstEntry, of: transaction.customer)
    let entries = try snapshot.rows(EntryRow.ofTransaction, [key]).filter { $0.kind == .spend }
    let wanted = entries.filter(needsAllocations).map { RowAddress($0.number, of: $0.account.customer) }
    let allocations = try snapshot.allocations(of: wanted)
    var parts: [Part] = []
    for entry in entries { parts += try self.parts(of: entry, allocations[entry.number] ?? []) }
    return parts
  }

  private func needsAllocations(_ entry: EntryRow) -> Bool { entry.lot == 0 && environments.count > 0 }

  private func parts(of entry: EntryRow, _ allocations: [AllocationRow]) throws(LedgerError) -> [Part] {
    let currency = entry.account.currency
    guard let first = entry.lot == 0 ? allocations.first?.lot : entry.lot else {
      return [Part(currency: currency, environment: Self.production, amount: entry.amount)]
    }
    // The part of a reversal that repays a debt is in no lot, and stays with the first one.
    var parts = [Part(currency: currency, environment: environment(of: first), amount: entry.amount)]
    for allocation in allocations {
      let environment = environment(of: allocation.lot)
      guard environment != parts[0].environment else { continue }
      try parts[0].amount.add(-allocation.amount)
      if let index = parts.firstIndex(where: { $0.environment == environment }) {
        try parts[index].amount.add(allocation.amount)
      } else {
        parts.append(Part(currency: currency, environment: environment, amount: allocation.amount))
      }
    }
    return parts
  }

  private func environment(of lot: LotNumber) -> Int64 { environments[lot] ?? Self.production }
}
