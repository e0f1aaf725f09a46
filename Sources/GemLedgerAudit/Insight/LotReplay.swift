internal import GemLedger

/// A lot as the replay has it.
struct ReplayedLot {
  let number: LotNumber
  let source: LotSource
  let environment: Int64
  /// The price paid for the whole lot; nil where it is not known.
  let price: Money?
  let purchase: Int64?
  let expiresAt: Int64
  /// The currency's number; 0 until the replay comes to its first allocation.
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

  /// Returns the price of that amount of it, where it is known.
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

/// Replays the journal up to an instant, over one window of lots after the other; later bookings do not affect the
/// result.
///
/// Lots that are not asked about one by one are only summed up. Memory is bounded by the window, however long the
/// history.
struct LotReplay {
  /// How many lots one pass over the journal follows one by one.
  static let followedPerWindow = 1_000_000
  /// How many lots one pass over the journal knows.
  static let lotsPerWindow = 8_000_000

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let instant: Timestamp
  /// Whether transactions are in the order of time, so that nothing behind the first late one matters.
  private let isInOrder: Bool
  private let entryCount: Int64
  var followedPerWindow = Self.followedPerWindow
  var lotsPerWindow = Self.lotsPerWindow
  /// The environments of the lots that are only summed up.
  private var environments: [Int64] = []

  init(snapshot: any StorageSnapshot, at instant: Timestamp) throws(LedgerError) {
    self.snapshot = snapshot
    self.instant = instant
    scan = try snapshot.scan()
    let counts = try snapshot.journalCounts()
    isInOrder = counts == nil
    entryCount = if let counts { counts.entries } else { try snapshot.sequences().entry }
  }

  /// The findings of one pass over the journal.
  struct Window {
    /// The lots that were followed, as they stood.
    var lots: [ReplayedLot] = []
    /// The amounts of the other lots, by environment number and then by currency number.
    var sums: [Int64: [Int64: Int64]] = [:]
  }

  /// An allocation that is about to change a followed lot.
  struct Step {
    let transaction: TransactionRow
    let entry: EntryRow
    let lot: ReplayedLot
    let amount: Int64
  }

  /// - Parameters:
  ///   - follows: Whether a lot is followed by itself.
  ///   - progress: Called with the number of entries read and their total.
  ///   - entry: Called with every entry once, where there are lots at all.
  ///   - step: Called with every allocation on a followed lot before it changes the lot.
  ///   - window: Takes the findings of a pass; called once for each window.
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
      // Progress counts the share of lot numbers as the share of the work, even where the numbers have gaps.
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

  /// Where the lots of a window are: a followed one by its place, another one by the place of its environment.
  private struct Slots {
    var lots: [ReplayedLot] = []
    var sums: [[Int64]] = []
    var first: LotNumber = 0
    var last: LotNumber = 0
    var dense: [Int32] = []
    let sparse = IntegerMap<Int32>()

    /// Not negative for a followed lot, else -2 less the place of its environment; -1 for none.
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
    // Numbers that are drawn one after the other need no table of their own.
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

  /// Sums up the amounts of the lots in holds that had not ended by the instant.
  private func keptAlive(_ lots: Set<LotNumber>) throws(LedgerError) -> [LotNumber: Int64] {
    var open: [TransactionNumber: (deadline: Timestamp, lots: [LotNumber: Int64])] = [:]
    var deadline: (hold: TransactionNumber, at: Timestamp) = (0, Timestamp(milliseconds: .max))
    var last: JournalEventRow?
    while true {
      let page = try scan.events(after: last, limit: ScanPage.size)
      guard let end = page.last else { break }
      last = end
      for event in page where event.createdAt <= instant {
        if let given = event.deadline {
          // The deadline may come before the amounts of its hold.
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
