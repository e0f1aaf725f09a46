internal import GemLedger

/// The conditions of the whole economy that hold at any time, after any command.
package enum Invariant: String, CaseIterable {
  case issuedLessBurnedIsInTheLots = "1: issued less burned less expired is what lots hold, available and held"
  case lotsStayInBounds = "2: no lot is below zero or above what it was made with"
  case balancesAreTheirLots = "3: a balance is the sum of its live lots, and entries record what the replay gives"
  case oneKeyOneEffect = "4: a key has one effect and one answer"
  case reversalsStayBelowTheOriginal = "5: what is given back of a transaction is never more than it took"
  case expiredIsWorthNothing = "6: an expired lot is worth nothing, with or without a sweeper"
  case holdsEndOnce = "7: a hold ends exactly once"
  case refusalsLeaveNoTrace = "8: what is refused leaves no trace"
  case previewsAreCommits = "9: a preview is what the commit then books"
  case refundsUndone = "10: a refund and its reversal with nothing in between change nothing"
  case enginesAgree = "11: two storages give equal journals for one script"
  case purchasesAreDurable = "12: an acknowledged purchase stays credited"
}

/// One breach of an invariant.
package struct Breach: Hashable, CustomStringConvertible {
  package let invariant: Invariant
  package let message: String

  package init(_ invariant: Invariant, _ message: String) {
    self.invariant = invariant
    self.message = message
  }

  package var description: String { "invariant \(invariant.rawValue): \(message)" }
}

// Those that rows alone can tell. They are written against the rows as they lie and share no code with `verify`.

extension EconomyRows {
  /// All breaches that the rows show.
  package func breaches() -> [Breach] {
    issuedAndBurned() + lotBounds() + balances() + reversals() + clawbacks() + holdEnds()
  }

  /// How much of each entry fell on which lot.
  private func parts(of entry: EntryRow, _ rows: [EntryNumber: [AllocationRow]]) -> [(lot: LotNumber, amount: Int64)] {
    entry.lot != 0 ? [(entry.lot, entry.amount)] : (rows[entry.number] ?? []).map { ($0.lot, $0.amount) }
  }

  private var allocationsByEntry: [EntryNumber: [AllocationRow]] { Dictionary(grouping: allocations, by: \.entry) }

  /// The lowest number of all customers that were ever one with each, since currency goes back and forth between them.
  private var groups: [CustomerNumber: CustomerNumber] {
    var groups: [CustomerNumber: CustomerNumber] = [:]
    for merge in merges {
      let (one, other) = (groups[merge.from] ?? merge.from, groups[merge.into] ?? merge.into)
      let lowest = min(one, other)
      for (customer, group) in groups where group == one || group == other { groups[customer] = lowest }
      (groups[merge.from], groups[merge.into]) = (lowest, lowest)
    }
    return groups
  }

  // MARK: 1

  private func issuedAndBurned() -> [Breach] {
    var found: [Breach] = []
    for currency in Set(accounts.map(\.number.currency)).sorted() {
      let own = entries.filter { $0.account.currency == currency }
      let issued = own.filter { $0.amount > 0 }.reduce(0) { $0 + $1.amount }
      let burned = own.filter { $0.amount < 0 && $0.kind != .expiry }.reduce(0) { $0 - $1.amount }
      let expired = own.filter { $0.amount < 0 && $0.kind == .expiry }.reduce(0) { $0 - $1.amount }
      let accounts = accounts.filter { $0.number.currency == currency }
      let free =
        lots.filter { $0.account.currency == currency }.reduce(0) { $0 + $1.remaining }
        + accounts.reduce(0) { $0 + $1.poolRemaining }
      let held = events.filter { $0.currency == currency }.reduce(0) { $0 + $1.heldChange }
      let owed = accounts.reduce(0) { $0 + $1.debt }
      if issued - burned - expired != free + held - owed {
        found.append(
          Breach(
            .issuedLessBurnedIsInTheLots,
            "currency \(currency): issued \(issued), burned \(burned), expired \(expired); lots have \(free) available "
              + "and \(held) held, customers owe \(owed)"))
      }
    }
    return found
  }

  // MARK: 2

  private func lotBounds() -> [Breach] {
    var found: [Breach] = []
    func check(_ lot: LotNumber, _ amount: Int64, _ limit: Int64, _ what: String) {
      guard !(0...limit).contains(amount) else { return }
      found.append(Breach(.lotsStayInBounds, "lot \(lot) \(what) \(amount), and was made with \(limit)"))
    }
    let pooled = Set(lots.filter(\.isShared).map(\.number) + accounts.map(\.poolLot))
    for lot in lots { check(lot.number, lot.remaining, lot.isShared ? .max : lot.granted, "has") }
    for account in accounts { check(account.poolLot, account.poolRemaining, .max, "has") }
    // Currency repaid by others for a refunded purchase returns to its lot with the refund, beside the part on hold.
    var granted = Dictionary(lots.map { ($0.number, $0.granted) }) { first, _ in first }
    for part in refundParts where part.kind == .repaid { granted[part.lot]? += max(0, part.amount) }
    // Pools that share currency after merges have one bound for all of them.
    var (sums, shared, limits): ([LotNumber: Int64], [AccountNumber: Int64], [AccountNumber: Int64]) = ([:], [:], [:])
    let (rows, groups) = (allocationsByEntry, groups)
    for entry in entries {
      let customer = groups[entry.account.customer] ?? entry.account.customer
      let account = AccountNumber(customer: customer, currency: entry.account.currency)
      for part in parts(of: entry, rows) {
        sums[part.lot, default: 0] += part.amount
        let isPooled = pooled.contains(part.lot)
        if isPooled {
          shared[account, default: 0] += part.amount
          if part.amount > 0, !entry.kind.putsBack { limits[account, default: 0] += part.amount }
        }
        // A merge takes a lot out of one account before it brings it into the other.
        guard entry.kind != .merge, entry.kind != .unmerge else { continue }
        check(
          part.lot, sums[part.lot] ?? 0, isPooled ? .max : granted[part.lot] ?? 0, "after entry \(entry.number) has")
        if isPooled, (shared[account] ?? 0) > (limits[account] ?? 0) {
          found.append(
            Breach(
              .lotsStayInBounds,
              "the pools of account \(account.rawValue) have \(shared[account] ?? 0) after entry \(entry.number), more "
                + "than ever came to them, \(limits[account] ?? 0)"))
        }
      }
    }
    return found
  }

  // MARK: 3

  private func balances() -> [Breach] {
    var found: [Breach] = []
    func report(_ message: String) { found.append(Breach(.balancesAreTheirLots, message)) }
    var newest: [AccountNumber: EntryRow] = [:]
    var sums: [LotNumber: Int64] = [:]
    let rows = allocationsByEntry
    for entry in entries {
      let last = newest[entry.account]
      let before = (last?.balance ?? 0) - (last?.debt ?? 0)
      if entry.balance - entry.debt != before + entry.amount || entry.balance < 0 || entry.debt < 0
        || entry.version != (last?.version ?? 0) + 1 || entry.previous != last?.number ?? 0
      {
        report("entry \(entry.number) of \(entry.amount) goes from \(before) to \(entry.balance) less \(entry.debt)")
      }
      let fell = parts(of: entry, rows).reduce(0) { $0 + $1.amount }
      if fell != entry.balance - (last?.balance ?? 0) {
        report("entry \(entry.number) changes the balance to \(entry.balance); its lots by \(fell)")
      }
      for part in parts(of: entry, rows) { sums[part.lot, default: 0] += part.amount }
      newest[entry.account] = entry
    }
    var held: [LotNumber: Int64] = [:]
    var heldOf: [AccountNumber: Int64] = [:]
    for event in events where event.heldChange != 0 {
      held[event.lot, default: 0] += event.heldChange
      heldOf[event.account, default: 0] += event.heldChange
    }
    for account in accounts {
      let last = newest[account.number]
      if account.balance != last?.balance ?? 0 || account.debt != last?.debt ?? 0 {
        report("account \(account.number.rawValue) has \(account.balance), its newest entry says \(last?.balance ?? 0)")
      }
      if account.held != heldOf[account.number] ?? 0 || account.held < 0 {
        report("account \(account.number.rawValue) holds \(account.held), effects \(heldOf[account.number] ?? 0)")
      }
      let own = lots.filter { $0.account == account.number }.reduce(account.poolRemaining) { $0 + $1.remaining }
      if own + account.held != account.balance {
        report("account \(account.number.rawValue) has \(account.balance); lots \(own), held \(account.held)")
      }
    }
    for (lot, remaining) in lots.map({ ($0.number, $0.remaining) })
      + accounts.filter({ $0.poolLot != 0 }).map({ ($0.poolLot, $0.poolRemaining) })
    where remaining + (held[lot] ?? 0) != sums[lot] ?? 0 {
      report("lot \(lot) has \(remaining) and \(held[lot] ?? 0) held, the journal gives it \(sums[lot] ?? 0)")
    }
    return found
  }
}

extension LotRow {
  /// Whether credits of one kind share it: it has no end, no purchase and no price.
  fileprivate var isShared: Bool { purchase == nil && expiresAt == .max && source != .paid && price == nil }
}

extension EntryKind {
  fileprivate var putsBack: Bool { self == .reversal || self == .reversedRefund || self == .merge || self == .unmerge }
}

extension JournalEventRow {
  fileprivate var heldChange: Int64 {
    switch kind {
    case .held: amount
    case .captured, .released: -amount
    default: 0
    }
  }
}
