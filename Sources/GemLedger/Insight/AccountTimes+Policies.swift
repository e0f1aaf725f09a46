extension AccountTimes {
  /// What a currency had given by itself by an instant that is over, and nobody had booked by then: a read at that
  /// instant counted it.
  ///
  /// The policies are those of today: a catalog does not say what it said before.
  func given(
    by policies: CurrencyPolicies, _ currency: CurrencyTerms, at instant: Timestamp
  ) throws(LedgerError) -> Int64 {
    guard policies.givesByItself, let customer = try snapshot.customer(number: account.number.customer),
      customer.createdAt <= instant
    else { return 0 }
    let moment = try moment(at: instant)
    let room = max(0, currency.maximumBalance - moment.balance) + moment.debt
    var given: Int64 = 0
    if let initial = policies.initialBalance, try opens(after: moment.version) { given += initial }
    let counts = try newestCounts(of: currency.code.description, at: instant)
    if let allowance = policies.allowance {
      let known = counts[.allowed]
      let remaining = try known.map { (row) throws(LedgerError) in try unbooked(of: row.value, at: instant) } ?? 0
      let due = AllowanceRules.due(period: known?.period, remaining: remaining, now: instant, policy: allowance)
      given += due?.granted ?? 0
    }
    if let recharge = policies.recharge {
      let from = counts[.recharged].flatMap { $0.period == 0 ? nil : $0.period }
      let unlost = moment.balance - moment.debt + moment.losses.reduce(0) { $0 + $1.amount }
      let due = RechargeRules.due(
        balance: unlost + given, rechargedFrom: from, losses: moment.losses, now: instant, policy: recharge)
      given += due.amount
    }
    return min(given, room)
  }

  /// Whether the account's next entry is, or will be, what it opens with.
  private func opens(after version: Int64) throws(LedgerError) -> Bool {
    guard version == 0 else { return false }
    guard account.version > 0 else { return true }
    return try AccountHistory(snapshot: snapshot, account: account).entry(version: 1)?.kind == .initial
  }

  /// The counts of the account's currency as they stood.
  private func newestCounts(
    of code: String, at instant: Timestamp
  ) throws(LedgerError) -> [CountKey.Kind: EffectRow] {
    var found: [CountKey.Kind: EffectRow] = [:]
    var below = TransactionNumber.max
    while found.count < 2 {
      let page = try snapshot.effects(of: account.number.customer, below: below, limit: 256)
      for effect in page where effect.createdAt <= instant {
        guard let key = effect.count, key.subject == code, found[key.kind] == nil else { continue }
        if key.kind == .allowed || key.kind == .recharged { found[key.kind] = effect }
      }
      guard let end = page.last?.transaction else { break }
      below = end
    }
    return found
  }

  /// What the allowance's lot still held when its period ended, where that was not booked by the instant.
  private func unbooked(of lot: LotNumber, at instant: Timestamp) throws(LedgerError) -> Int64 {
    let owner = account.number.customer
    guard lot != 0, let terms = try snapshot.lotTerms(lot, of: owner), terms.expiresAt <= instant.milliseconds else {
      return 0
    }
    let history = AccountHistory(snapshot: snapshot, account: account)
    var next = try history.newest(at: instant).successor
    var seen = 0
    while let entry = next, seen < Int(AnchorRow.interval) {
      var taken = [(entry.lot, entry.amount)]
      if entry.lot == 0 { taken = try snapshot.allocations(of: entry.number, of: owner).map { ($0.lot, $0.amount) } }
      if entry.kind == .expiry, let own = taken.first(where: { $0.0 == lot }) { return -own.1 }
      next = try history.entry(version: entry.version + 1)
      seen += 1
    }
    return try snapshot.lot(lot, of: owner)?.remaining ?? 0
  }
}
