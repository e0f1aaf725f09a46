internal import GemLedger

/// A lot during the replay.
struct ReplayedLot {
  let number: LotNumber
  let source: LotSource
  let environment: Int64
  /// The price paid for the whole lot; nil if unknown.
  let price: Money?
  let purchase: Int64?
  let expiresAt: Int64
  /// The currency's number; 0 before the first allocation.
  var currency: Int64 = 0
  /// The last owner.
  var customer: CustomerNumber = 0
  var granted: Int64 = 0
  var remaining: Int64 = 0

  init(_ attributes: LotAttributesRow) {
    number = attributes.lot
    source = attributes.source
    environment = attributes.environment
    price = attributes.price
    purchase = attributes.purchase
    expiresAt = attributes.expiresAt
  }

  /// Returns the price of a remaining amount; nil if the lot's price is unknown.
  func value(of remaining: Int64) -> Int64? {
    guard source == .paid, let price else { return nil }
    return LotValue.rest(of: price.minorUnits, granted: granted, remaining: remaining)
  }

  fileprivate mutating func apply(_ amount: Int64, _ entry: EntryRow) throws(LedgerError) {
    (currency, customer) = (entry.account.currency, entry.account.customer)
    var fold = LotFold(granted: granted, remaining: remaining)
    fold.add(amount, isReturn: entry.kind.isReturn)
    try remaining.add(amount)
    granted = fold.grantedInRow
  }
}

/// Replays the journal up to an instant, one window of lots at a time; later bookings do not affect the result.
///
/// Lots that are not followed are only summed up. The window bounds the memory for a history of any length.
struct LotReplay {
  /// The maximum number of lots that one pass over the journal follows.
  static let followedPerWindow = 1_000_000
  /// The maximum number of lots that one pass over the journal knows.
  static let lotsPerWindow = 8_000_000

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let instant: Timestamp
  /// Whether transactions are in the order of time, so that the first late transaction ends the replay.
  private let isInOrder: Bool
  private let entryCount: Int64
  var followedPerWindow = Self.followedPerWindow
  var lotsPerWindow = Self.lotsPerWindow
  /// The environments of the lots that are not followed.
  private var environments: [Int64] = []

  init(snapshot: any StorageSnapshot, at instant: Timestamp) throws(LedgerError) {
    self.snapshot = snapshot
    self.instant = instant
    scan = try snapshot.scan()
    let counts = try snapshot.journalCounts()
    isInOrder = counts == nil
    entryCount = if let counts { counts.entries } else { try snapshot.sequences().entry }
  }

  /// The result of one pass over the journal.
  struct Window {
    /// The final state of the followed lots.
    var lots: [ReplayedLot] = []
    /// The amounts of the other lots, by environment number and then by currency number.
    var sums: [Int64: [Int64: Int64]] = [:]
  }

  /// An allocation before it changes a followed lot.
  struct Step {
    let transaction: TransactionRow
    let entry: EntryRow
    let lot: ReplayedLot
    let amount: Int64
  }

  /// - Parameters:
  ///   - follows: Whether to follow a lot.
  ///   - progress: Called with the number of entries read and their total.
  ///   - entry: Called once for every entry, if there are any lots.
  ///   - step: Called with every allocation on a followed lot before it changes the lot.
  ///   - window: Receives the result of a pass; called once for each window.
  mutating func run(
    follows: (LotAttributesRow) -> Bool, progress: (Int64, Int64) -> Void = { _, _ in },
    entry: (EntryRow, TransactionRow) throws(LedgerError) -> Void = { _, _ in },
    step: (Step) throws(LedgerError) -> Void = { _ in },
    window take: (Window) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let total = max(1, try snapshot.last(.lot))
    var last: LotNumber = 0
    var done: Int64 = 0
    while var slots = try nextSlots(after: last, follows: follows) {
      // Progress treats the share of lot numbers as the share of the work, even if the numbers have gaps.
      let end = Int64(Double(slots.last) / Double(total) * Double(entryCount))
      let share = Double(end - done) / Double(max(1, entryCount))
      let isFirst = last == 0
      try play(&slots) { (row, transaction) throws(LedgerError) in
        if isFirst { try entry(row, transaction) }
      } step: { (one) throws(LedgerError) in
        try step(one)
      } progress: { count in
        progress(done + Int64(Double(count) * share), entryCount)
      }
      done = end
      try addKept(&slots)
      try take(window(of: slots))
      last = slots.last
    }
    progress(entryCount, entryCount)
  }

  // MARK: A window of lots

  /// The index of each lot of a window: a followed lot's index, otherwise that of its environment.
  private struct Slots {
    var lots: [ReplayedLot] = []
    var sums: [[Int64]] = []
    var first: LotNumber = 0
    var last: LotNumber = 0
    var dense: [Int32] = []
    let sparse = IntegerMap<Int32>()

    /// Returns the index of a followed lot, otherwise -2 minus the index of its environment; -1 for no lot.
    @inline(__always)
    func slot(of lot: LotNumber) -> Int32 {
      guard lot >= first, lot <= last else { return -1 }
      return dense.isEmpty ? sparse[lot] ?? -1 : dense[Int(lot - first)]
    }
  }

  private mutating func nextSlots(
    after start: LotNumber, follows: (LotAttributesRow) -> Bool
  ) throws(LedgerError) -> Slots? {
    var slots = Slots()
    var found: [(LotNumber, Int32)] = []
    var last = start
    while slots.lots.count < followedPerWindow, found.count < lotsPerWindow {
      let page = try scan.lotAttributes(after: last, limit: min(ScanPage.size, lotsPerWindow - found.count))
      guard let end = page.last?.lot else { break }
      for attributes in page {
        guard follows(attributes) else {
          found.append((attributes.lot, -2 - position(of: attributes.environment)))
          continue
        }
        found.append((attributes.lot, Int32(slots.lots.count)))
        slots.lots.append(ReplayedLot(attributes))
      }
      last = end
    }
    guard let first = found.first?.0 else { return nil }
    (slots.first, slots.last) = (first, last)
    slots.sums = [[Int64]](repeating: [Int64](repeating: 0, count: 1024), count: environments.count)
    // Consecutive numbers need no separate table.
    if Int(last - first) < found.count * 4 {
      slots.dense = [Int32](repeating: -1, count: Int(last - first) + 1)
      for (lot, slot) in found { slots.dense[Int(lot - first)] = slot }
    } else {
      for (lot, slot) in found { slots.sparse[lot] = slot }
    }
    return slots
  }

  private mutating func position(of environment: Int64) -> Int32 {
    if let position = environments.firstIndex(of: environment) { return Int32(position) }
    environments.append(environment)
    return Int32(environments.count - 1)
  }

  private func window(of slots: Slots) -> Window {
    var window = Window(lots: slots.lots)
    for (position, sums) in slots.sums.enumerated() {
      for (currency, sum) in sums.enumerated() where sum != 0 {
        window.sums[environments[position], default: [:]][Int64(currency)] = sum
      }
    }
    return window
  }

  // MARK: A pass over the journal

  private func play(
    _ slots: inout Slots, entry hear: (EntryRow, TransactionRow) throws(LedgerError) -> Void,
    step: (Step) throws(LedgerError) -> Void, progress: (Int64) -> Void
  ) throws(LedgerError) {
    var journal = JournalScan(scan)
    var walk = TransactionWalk(scan)
    var count: Int64 = 0
    while let entry = try journal.nextEntry() {
      let transaction = try walk.transaction(of: entry)
      let allocations = try journal.allocations(of: entry)
      count += 1
      if count & 0xFFFF == 0 { progress(count) }
      guard let transaction else { throw .lacksTransaction(entry.transaction) }
      guard transaction.createdAt <= instant else {
        if isInOrder { return }
        continue
      }
      try hear(entry, transaction)
      if entry.lot != 0 { try apply(entry.amount, to: entry.lot, entry, transaction, &slots, step: step) }
      for allocation in allocations {
        try apply(allocation.amount, to: allocation.lot, entry, transaction, &slots, step: step)
      }
    }
  }

  @inline(__always)
  private func apply(
    _ amount: Int64, to lot: LotNumber, _ entry: EntryRow, _ transaction: TransactionRow, _ slots: inout Slots,
    step: (Step) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let slot = slots.slot(of: lot)
    if slot >= 0 {
      try step(Step(transaction: transaction, entry: entry, lot: slots.lots[Int(slot)], amount: amount))
      try slots.lots[Int(slot)].apply(amount, entry)
    } else if slot < -1 {
      try slots.sums[Int(-2 - slot)][Int(entry.account.currency)].add(amount)
    }
  }

  // MARK: Expired lots

  /// Reduces lots past their expiry to the amounts that holds kept alive.
  private func addKept(_ slots: inout Slots) throws(LedgerError) {
    let due = slots.lots.indices.filter {
      slots.lots[$0].expiresAt <= instant.milliseconds && slots.lots[$0].remaining > 0
    }
    guard !due.isEmpty else { return }
    let kept = try keptAlive(Set(due.map { slots.lots[$0].number }))
    for index in due {
      slots.lots[index].remaining = min(slots.lots[index].remaining, kept[slots.lots[index].number] ?? 0)
    }
  }

  /// Returns the held amounts of the lots at the instant.
  private func keptAlive(_ lots: Set<LotNumber>) throws(LedgerError) -> [LotNumber: Int64] {
    var open: [TransactionNumber: (deadline: Timestamp, lots: [LotNumber: Int64])] = [:]
    var deadline: (hold: TransactionNumber, at: Timestamp) = (0, Timestamp(milliseconds: .max))
    try scan.pages { (page: [JournalEventRow]) throws(LedgerError) in
      for event in page where event.createdAt <= instant {
        if let given = event.deadline {
          // The deadline may precede the amounts of its hold.
          deadline = (event.target, given)
          open[event.target]?.deadline = given
        }
        guard event.kind.setsAside, lots.contains(event.lot) else { continue }
        let isNew = deadline.hold == event.target
        var hold = open[event.target] ?? (isNew ? deadline.at : Timestamp(milliseconds: .max), [:])
        try hold.lots[event.lot, default: 0].add(event.heldChange)
        if hold.lots[event.lot] == 0 { hold.lots[event.lot] = nil }
        open[event.target] = hold.lots.isEmpty ? nil : hold
      }
    }
    var kept: [LotNumber: Int64] = [:]
    for hold in open.values where hold.deadline > instant {
      for (lot, amount) in hold.lots { try kept[lot, default: 0].add(amount) }
    }
    return kept
  }
}
