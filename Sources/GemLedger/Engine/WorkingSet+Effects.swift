/// The current group's changes to holds and counts so far.
struct EffectSet {
  var holds: [TransactionNumber: HoldRow] = [:]
  var endedHolds: [TransactionNumber: HoldRow] = [:]
  var counts: [CustomerNumber: [CountKey: CountRow]] = [:]
  var endedCounts: [CustomerNumber: [CountKey: CountRow]] = [:]
  var erasedIDs: Set<CustomerID> = []
  /// The newest effect; the next one of the same transaction follows it.
  var last: (transaction: TransactionNumber, position: Int64) = (0, 0)
  var newest: TransactionNumber = 0
  /// The transaction that last set each count.
  var countedBy: [CustomerNumber: [CountKey: TransactionNumber]] = [:]
  /// How many effects the other transactions of the group have.
  var positions: [TransactionNumber: Int64] = [:]
  var isOutOfOrder = false
  /// The position in the change set of the newest effect about a transaction.
  var newestPlaces: [TransactionNumber: Int] = [:]
  /// For each effect the position of the one before it about the same transaction; -1 for none.
  var earlierPlaces: [Int] = []
}

extension WorkingSet {
  // MARK: Effects

  mutating func add(_ effect: EffectRow) {
    var effect = effect
    let last = rare.effects.last
    if last.transaction == effect.transaction {
      effect.position = last.position + 1
    } else {
      rare.effects.positions[last.transaction] = last.position
      effect.position = (rare.effects.positions[effect.transaction] ?? 0) + 1
      rare.effects.isOutOfOrder = rare.effects.isOutOfOrder || effect.transaction < rare.effects.newest
    }
    rare.effects.last = (effect.transaction, effect.position)
    rare.effects.newest = max(rare.effects.newest, effect.transaction)
    hasRare = true
    var earlier: Int?
    if effect.target != 0 { earlier = rare.effects.newestPlaces.updateValue(newEffects.count, forKey: effect.target) }
    rare.effects.earlierPlaces.append(earlier ?? -1)
    changes.ownRare.effects.append(effect)
  }

  private var newEffects: [EffectRow] { changes.rare?.effects ?? [] }

  func effects(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber], session: any StorageSnapshot
  ) throws(LedgerError) -> [EffectRow] {
    let new = newEffects.filter { $0.transaction == transaction }
    return new.isEmpty ? try session.effects(of: transaction, ofAny: owners) : new
  }

  func effects(
    about target: TransactionNumber, ofAny owners: [CustomerNumber], session: any StorageSnapshot
  ) throws(LedgerError) -> [EffectRow] {
    // Effects about the group's own transactions are not in the storage.
    var known = transaction(target) != nil ? [] : try session.effects(about: target, ofAny: owners)
    if let instant { known.removeAll { $0.createdAt > instant } }
    guard var place = rare.effects.newestPlaces[target] else { return known }
    var new: [EffectRow] = []
    while place >= 0 {
      new.append(newEffects[place])
      place = rare.effects.earlierPlaces[place]
    }
    return known + new.reversed()
  }

  // MARK: Holds

  func hold(
    _ number: TransactionNumber, ofAny owners: [CustomerNumber], session: any StorageSnapshot
  ) throws(LedgerError) -> HoldRow? {
    if hasRare {
      if rare.effects.endedHolds[number] != nil { return nil }
      if let own = rare.effects.holds[number] { return own }
    }
    return try session.hold(number, ofAny: owners)
  }

  /// All open ones of the customer, those that end first before the others.
  func holds(of customer: CustomerNumber, session: any StorageSnapshot) throws(LedgerError) -> [HoldRow] {
    let stored = try session.holds(of: customer)
    guard hasRare else { return stored }
    let own = rare.effects
    let rest = stored.filter { own.holds[$0.number] == nil && own.endedHolds[$0.number] == nil }
    return (rest + own.holds.values.filter { $0.customer == customer })
      .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
  }

  mutating func set(_ row: HoldRow) {
    rare.effects.holds[row.number] = row
    hasRare = true
  }

  mutating func end(_ row: HoldRow) {
    rare.effects.holds[row.number] = nil
    rare.effects.endedHolds[row.number] = row
    hasRare = true
  }

  /// Sets aside the amount that a hold took from lots, or releases it where the amount is negative.
  mutating func setAside(_ amount: Int64, slot: Int) {
    accounts[slot].row.held += amount
    accounts[slot].isChanged = true
  }

  // MARK: Counts

  func count(
    _ key: CountKey, of customer: CustomerNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> CountRow? {
    if hasRare {
      if let own = rare.effects.counts[customer]?[key] { return own }
      if rare.effects.endedCounts[customer]?[key] != nil { return nil }
    }
    return try session.count(key, of: customer)
  }

  func counts(of customer: CustomerNumber, session: any StorageSnapshot) throws(LedgerError) -> [CountRow] {
    var all: [CountKey: CountRow] = [:]
    for row in try session.counts(of: customer) { all[row.key] = row }
    for (key, row) in rare.effects.counts[customer] ?? [:] { all[key] = row }
    for key in (rare.effects.endedCounts[customer] ?? [:]).keys { all[key] = nil }
    return all.values.sorted { $0.key < $1.key }
  }

  /// Sets the count anew, as part of the transaction, or of a later one that set the same count.
  ///
  /// The newest effect of a count holds, and effects lie in the order of transactions.
  mutating func set(_ row: CountRow, by transaction: TransactionNumber) {
    let transaction = max(transaction, rare.effects.countedBy[row.customer]?[row.key] ?? 0)
    rare.effects.countedBy[row.customer, default: [:]][row.key] = transaction
    rare.effects.counts[row.customer, default: [:]][row.key] = row
    rare.effects.endedCounts[row.customer]?[row.key] = nil
    add(
      EffectRow(
        transaction: transaction, position: 0, customer: row.customer, kind: .counted, value: row.value,
        count: row.key, period: row.period, createdAt: now))
  }

  mutating func end(_ row: CountRow) {
    rare.effects.counts[row.customer]?[row.key] = nil
    rare.effects.endedCounts[row.customer, default: [:]][row.key] = row
    hasRare = true
  }

  // MARK: Collecting

  mutating func collectEffects() {
    let own = rare.effects
    if own.isOutOfOrder {
      changes.ownRare.effects.sort { ($0.transaction, $0.position) < ($1.transaction, $1.position) }
    }
    if !own.holds.isEmpty { changes.ownRare.holds = own.holds.values.sorted { $0.number < $1.number } }
    if !own.endedHolds.isEmpty { changes.ownRare.endedHolds = own.endedHolds.values.sorted { $0.number < $1.number } }
    let counts = own.counts.values.flatMap(\.values)
    if !counts.isEmpty { changes.ownRare.counts = counts.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
    let ended = own.endedCounts.values.flatMap(\.values)
    if !ended.isEmpty { changes.ownRare.endedCounts = ended.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
  }
}
