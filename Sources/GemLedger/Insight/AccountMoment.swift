/// What an account came to at an instant.
struct AccountMoment {
  /// What its newest entry by then recorded; 0 before its first.
  var recorded: (balance: Int64, debt: Int64) = (0, 0)
  /// What the customer had: without what had come about by itself and was booked later, or is not booked yet.
  var balance: Int64 = 0
  var debt: Int64 = 0
  /// What was set aside then; what a hold had set aside whose deadline had come is not.
  var held: Int64 = 0
  /// How many entries it had.
  var version: Int64 = 0
  /// What had been lost to expiries by then and was not booked.
  var losses: [RechargeRules.Loss] = []

  /// What had come about by itself and was booked later, most often an expiry: positive where it took something.
  var due: Int64 { recorded.balance - recorded.debt - (balance - debt) }
}

/// Looks at one account as of instants: at those that have passed by its journal alone, so that what is booked later
/// changes no answer.
struct AccountTimes {
  let snapshot: any StorageSnapshot
  let account: AccountRow
  /// The instant that the journal has come to, or the clock where that is further on; what lies before it is over.
  let now: Timestamp

  func moment(at instant: Timestamp) throws(LedgerError) -> AccountMoment {
    instant < now ? try past(instant) : try present(instant)
  }

  private func present(_ instant: Timestamp) throws(LedgerError) -> AccountMoment {
    // No hold of the account ends before something is due.
    let ended = account.nextDue > instant.milliseconds ? EndedHolds() : try endedHolds(at: instant)
    return AccountMoment(
      recorded: (account.balance, account.debt),
      balance: account.balance - (try openLotsDue(at: instant)).total - ended.expired.total, debt: account.debt,
      held: account.held - ended.held, version: account.version)
  }

  private func past(_ instant: Timestamp) throws(LedgerError) -> AccountMoment {
    let (entry, successor) = try AccountHistory(snapshot: snapshot, account: account).newest(at: instant)
    let holds = try self.holds(at: instant, below: successor?.transaction ?? .max)
    let ended = holds.ended(at: instant)
    let due = try self.due(after: successor, at: instant, ended: holds.endedNumbers(at: instant))
    let recorded = (balance: entry?.balance ?? 0, debt: entry?.debt ?? 0)
    return AccountMoment(
      recorded: recorded, balance: recorded.balance - due.expired.total - due.reclaimed - ended.expired.total,
      debt: recorded.debt - due.debt, held: holds.held - ended.held, version: entry?.version ?? 0,
      losses: due.expired + ended.expired)
  }
}

// MARK: Expiries

extension AccountTimes {
  /// What lots that still hold something hold, of those that are due.
  private func openLotsDue(at instant: Timestamp) throws(LedgerError) -> [RechargeRules.Loss] {
    guard account.nextExpiry <= instant.milliseconds else { return [] }
    var due: [RechargeRules.Loss] = []
    for paid in [false, true] {
      var after: LotPosition?
      var isAtEnd = false
      while !isAtEnd {
        let page = try snapshot.openLots(account.number, paid: paid, after: after, limit: 256)
        for lot in page where lot.expiresAt <= instant.milliseconds {
          due.append(RechargeRules.Loss(at: lot.expiresAt, amount: lot.remaining))
        }
        after = page.last.map { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }
        isAtEnd = page.count < 256 || (page.last?.expiresAt ?? .max) > instant.milliseconds
      }
    }
    return due
  }

  /// What was due at an instant and booked after it.
  private struct Due {
    var expired: [RechargeRules.Loss] = []
    /// What refunds took of what had come back.
    var reclaimed: Int64 = 0
    /// What of it repaid a debt.
    var debt: Int64 = 0
  }

  /// What was booked later, or is not booked yet, of what was due by the instant: the first command that is not refused
  /// books all of it before what it was asked to, and a refused one some of it.
  ///
  /// - Parameters:
  ///   - first: The account's first entry after the instant.
  ///   - ended: The holds whose deadline had come by the instant.
  private func due(
    after first: EntryRow?, at instant: Timestamp, ended: Set<TransactionNumber>
  ) throws(LedgerError) -> Due {
    var due = Due()
    let history = AccountHistory(snapshot: snapshot, account: account)
    var next = first
    while let entry = next {
      guard entry.kind.comesAboutByItself else { return due }
      let effects = try snapshot.effects(of: entry.transaction, ofAny: [account.number.customer])
      if entry.kind == .expiry {
        due.expired += try taken(by: entry, at: instant, late: effects.filter { $0.kind == .late })
      } else if try isOfEndedHold(effects, ended) {
        if entry.kind == .refund { due.reclaimed -= entry.amount } else { due.debt += entry.amount }
      } else if entry.kind == .refund || entry.kind == .reversedRefund {
        return due
      }
      next = try history.entry(version: entry.version + 1)
    }
    due.expired += try openLotsDue(at: instant)
    return due
  }

  /// Whether a refund took what came back from a hold that had ended.
  private func isOfEndedHold(
    _ effects: [EffectRow], _ ended: Set<TransactionNumber>
  ) throws(LedgerError) -> Bool {
    guard !ended.isEmpty, let release = effects.first(where: { $0.kind == .reclaimed })?.target else { return false }
    return try snapshot.effects(of: release, ofAny: [account.number.customer]).contains {
      $0.kind == .released && ended.contains($0.target)
    }
  }

  /// What of an expiry was due at the instant already; what came back to a lot after its time was not in the lot then.
  private func taken(
    by entry: EntryRow, at instant: Timestamp, late: [EffectRow]
  ) throws(LedgerError) -> [RechargeRules.Loss] {
    let owner = account.number.customer
    var taken = [(entry.lot, entry.amount)]
    if entry.lot == 0 { taken = try snapshot.allocations(of: entry.number, of: owner).map { ($0.lot, $0.amount) } }
    var due: [RechargeRules.Loss] = []
    for (lot, amount) in taken {
      guard let terms = try snapshot.lotTerms(lot, of: owner), terms.expiresAt <= instant.milliseconds else { continue }
      let cameLate = late.filter { $0.lot == lot }.reduce(0) { $0 + $1.amount }
      due.append(RechargeRules.Loss(at: terms.expiresAt, amount: max(0, -amount - cameLate)))
    }
    return due
  }
}

extension [RechargeRules.Loss] {
  fileprivate var total: Int64 { reduce(0) { $0 + $1.amount } }
}

extension EntryKind {
  /// Whether a command may book entries of this kind before what it was asked to.
  fileprivate var comesAboutByItself: Bool {
    switch self {
    case .expiry, .refund, .reversedRefund, .recharge, .initial: true
    default: false
    }
  }
}

// MARK: Holds

/// What holds whose deadline has come, and whose end is not booked, had set aside.
struct EndedHolds {
  var held: Int64 = 0
  /// What of it goes back to lots that have expired: lost when the hold ended.
  var expired: [RechargeRules.Loss] = []
}

/// A hold of an account as it stood at an instant.
struct StandingHold {
  struct Lot {
    let lot: LotNumber
    var amount: Int64
    let expiresAt: Int64
  }

  /// The transaction that began it.
  let number: TransactionNumber
  let deadline: Timestamp
  let lots: [Lot]

  var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }
}

extension AccountTimes {
  /// The holds that lasted, by the journal, and what they had set aside together.
  struct Holds {
    var held: Int64 = 0
    var standing: [StandingHold] = []

    func ended(at instant: Timestamp) -> EndedHolds {
      var ended = EndedHolds()
      for hold in standing where hold.deadline <= instant {
        ended.held += hold.amount
        for lot in hold.lots where lot.expiresAt <= instant.milliseconds {
          let end = max(lot.expiresAt, hold.deadline.milliseconds)
          ended.expired.append(RechargeRules.Loss(at: end, amount: lot.amount))
        }
      }
      return ended
    }

    func endedNumbers(at instant: Timestamp) -> Set<TransactionNumber> {
      Set(standing.filter { $0.deadline <= instant }.map(\.number))
    }
  }

  /// The holds that are open now.
  func openHolds() throws(LedgerError) -> [StandingHold] {
    guard account.held != 0 else { return [] }
    var found: [StandingHold] = []
    let owners = try owners()
    for row in try snapshot.holds(of: account.number.customer) {
      let hold = try standing(row.number, at: now, owners: owners, deadline: row.deadline)
      if hold.amount != 0 { found.append(hold) }
    }
    return found
  }

  private func endedHolds(at instant: Timestamp) throws(LedgerError) -> EndedHolds {
    Holds(held: account.held, standing: try openHolds()).ended(at: instant)
  }

  /// What was set aside at an instant that is over.
  ///
  /// - Parameter transaction: A transaction after the instant; the nearer the shorter the way back.
  private func holds(at instant: Timestamp, below transaction: TransactionNumber) throws(LedgerError) -> Holds {
    var holds = Holds()
    var isFound = false
    var seen: Set<TransactionNumber> = []
    var rest: Int64 = 0
    var owners: [CustomerNumber] = []
    var below = transaction
    while true {
      let page = try snapshot.effects(of: account.number.customer, below: below, limit: 256)
      let own = page.filter { $0.account == account.number && $0.kind.setsAside && $0.createdAt <= instant }
      if !isFound, let newest = own.first {
        let last = own.filter { $0.transaction == newest.transaction }.max { $0.position < $1.position }
        holds.held = last?.heldAfter ?? 0
        (isFound, rest) = (true, holds.held)
        if rest != 0 { owners = try self.owners() }
      }
      for effect in own where rest > 0 && seen.insert(effect.target).inserted {
        let hold = try standing(effect.target, at: instant, owners: owners)
        guard hold.amount > 0 else { continue }
        holds.standing.append(hold)
        rest -= hold.amount
      }
      // All of a transaction is on one page.
      guard let end = page.last?.transaction, !isFound || rest > 0 else { return holds }
      below = end
    }
  }

  /// A hold by what the journal says of it up to the instant.
  private func standing(
    _ number: TransactionNumber, at instant: Timestamp, owners: [CustomerNumber], deadline known: Timestamp? = nil
  ) throws(LedgerError) -> StandingHold {
    var deadline = known ?? Timestamp(milliseconds: .max)
    var amounts: [LotNumber: Int64] = [:]
    for effect in try snapshot.effects(about: number, ofAny: owners) where effect.createdAt <= instant {
      deadline = effect.deadline ?? deadline
      guard effect.account == account.number, effect.kind.setsAside else { continue }
      amounts[effect.lot, default: 0] += effect.kind == .held ? effect.amount : -effect.amount
    }
    var lots: [StandingHold.Lot] = []
    for (lot, amount) in amounts.sorted(by: { $0.key < $1.key }) where amount > 0 {
      let terms = try snapshot.lotTerms(lot, of: account.number.customer)
      lots.append(StandingHold.Lot(lot: lot, amount: amount, expiresAt: terms?.expiresAt ?? .max))
    }
    return StandingHold(number: number, deadline: deadline, lots: lots)
  }

  /// The numbers under which what concerns the customer may lie: a hold moves on with a merge.
  private func owners() throws(LedgerError) -> [CustomerNumber] {
    let own = account.number.customer
    let into = try snapshot.customer(number: own)?.mergedInto ?? 0
    let root = into == 0 ? own : into
    return [root] + (try snapshot.mergedCustomers(into: root))
  }
}

extension EffectRow.Kind {
  /// Whether it changes how much a hold has set aside.
  var setsAside: Bool { self == .held || self == .captured || self == .released }
}
