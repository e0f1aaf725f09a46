/// The current group's changes to holds and counts so far.
struct PendingEvents {
  var holds: [TransactionNumber: HoldRow] = [:]
  var endedHolds: [TransactionNumber: HoldRow] = [:]
  var counts: [CustomerNumber: [CountKey: CountRow]] = [:]
  var endedCounts: [CustomerNumber: [CountKey: CountRow]] = [:]
  var erasedIDs: Set<CustomerID> = []
  /// The newest event; the next one of the same transaction follows it.
  var last: (transaction: TransactionNumber, position: Int64) = (0, 0)
  var newest: TransactionNumber = 0
  /// The transaction that last set each count.
  var countedBy: [CustomerNumber: [CountKey: TransactionNumber]] = [:]
  /// How many events the other transactions of the group have.
  var positions: [TransactionNumber: Int64] = [:]
  var isOutOfOrder = false
  /// The index in the change set of the newest event about a transaction.
  var newestIndexes: [TransactionNumber: Int] = [:]
  /// For each event the index of the previous event about the same transaction; -1 for none.
  var earlierIndexes: [Int] = []
}

extension UnitOfWork {
  // MARK: Events

  mutating func add(_ event: JournalEventRow) {
    var event = event
    let last = cold.events.last
    if last.transaction == event.transaction {
      event.position = last.position + 1
    } else {
      cold.events.positions[last.transaction] = last.position
      event.position = (cold.events.positions[event.transaction] ?? 0) + 1
      cold.events.isOutOfOrder = cold.events.isOutOfOrder || event.transaction < cold.events.newest
    }
    cold.events.last = (event.transaction, event.position)
    cold.events.newest = max(cold.events.newest, event.transaction)
    hasCold = true
    var earlier: Int?
    if event.target != 0 { earlier = cold.events.newestIndexes.updateValue(newEvents.count, forKey: event.target) }
    cold.events.earlierIndexes.append(earlier ?? -1)
    changes.ownCold.events.append(event)
  }

  private var newEvents: [JournalEventRow] { changes.cold?.events ?? [] }

  func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let new = newEvents.filter { $0.transaction == transaction }
    return new.isEmpty ? try session.events(of: transaction, ofAny: owners) : new
  }

  func events(about target: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [JournalEventRow]
  {
    // Events about transactions of this group are not in the storage yet.
    var known = transaction(target) != nil ? [] : try session.events(about: target, ofAny: owners)
    if let instant { known.removeAll { $0.createdAt > instant } }
    guard var index = cold.events.newestIndexes[target] else { return known }
    var new: [JournalEventRow] = []
    while index >= 0 {
      new.append(newEvents[index])
      index = cold.events.earlierIndexes[index]
    }
    return known + new.reversed()
  }

  // MARK: Holds

  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    if hasCold {
      if cold.events.endedHolds[number] != nil { return nil }
      if let own = cold.events.holds[number] { return own }
    }
    return try session.hold(number, ofAny: owners)
  }

  /// All open ones of the customer, those that end first before the others.
  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    let stored = try session.holds(of: customer)
    guard hasCold else { return stored }
    let own = cold.events
    let rest = stored.filter { own.holds[$0.number] == nil && own.endedHolds[$0.number] == nil }
    return (rest + own.holds.values.filter { $0.customer == customer })
      .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
  }

  mutating func set(_ row: HoldRow) {
    cold.events.holds[row.number] = row
    hasCold = true
  }

  mutating func end(_ row: HoldRow) {
    cold.events.holds[row.number] = nil
    cold.events.endedHolds[row.number] = row
    hasCold = true
  }

  /// Sets aside the amount that a hold took from lots, or releases it if the amount is negative.
  mutating func setAside(_ amount: Int64, slot: Int) {
    accounts[slot].row.held += amount
    accounts[slot].isChanged = true
  }

  // MARK: Counts

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    if hasCold {
      if let own = cold.events.counts[customer]?[key] { return own }
      if cold.events.endedCounts[customer]?[key] != nil { return nil }
    }
    return try session.row(CountRow.byKey, IndexKey(customer, key.kind.rawValue, text: key.subject))
  }

  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    var all: [CountKey: CountRow] = [:]
    for row in try session.counts(of: customer) { all[row.key] = row }
    for (key, row) in cold.events.counts[customer] ?? [:] { all[key] = row }
    for key in (cold.events.endedCounts[customer] ?? [:]).keys { all[key] = nil }
    return all.values.sorted { $0.key < $1.key }
  }

  /// Sets the count anew, as part of the transaction, or of a later one that set the same count.
  ///
  /// The newest event of a count holds, and events are in the order of transactions.
  mutating func set(_ row: CountRow, by transaction: TransactionNumber) {
    let transaction = max(transaction, cold.events.countedBy[row.customer]?[row.key] ?? 0)
    cold.events.countedBy[row.customer, default: [:]][row.key] = transaction
    cold.events.counts[row.customer, default: [:]][row.key] = row
    cold.events.endedCounts[row.customer]?[row.key] = nil
    add(
      JournalEventRow(
        transaction: transaction, position: 0, customer: row.customer, kind: .counted, value: row.value,
        count: row.key, period: row.period, createdAt: now))
  }

  mutating func end(_ row: CountRow) {
    cold.events.counts[row.customer]?[row.key] = nil
    cold.events.endedCounts[row.customer, default: [:]][row.key] = row
    hasCold = true
  }

  // MARK: Collecting

  mutating func collectEvents() {
    let own = cold.events
    if own.isOutOfOrder {
      changes.ownCold.events.sort { ($0.transaction, $0.position) < ($1.transaction, $1.position) }
    }
    if !own.holds.isEmpty { changes.ownCold.holds = own.holds.values.sorted { $0.number < $1.number } }
    if !own.endedHolds.isEmpty { changes.ownCold.endedHolds = own.endedHolds.values.sorted { $0.number < $1.number } }
    let counts = own.counts.values.flatMap(\.values)
    if !counts.isEmpty { changes.ownCold.counts = counts.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
    let ended = own.endedCounts.values.flatMap(\.values)
    if !ended.isEmpty { changes.ownCold.endedCounts = ended.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
  }
}
