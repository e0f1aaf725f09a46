extension Ledger {
  /// The accounts, by currency, in which something other than an expiry has come about by itself: the next command
  /// would book it, so it is decided as that command would, and not written.
  func settled(
    _ accounts: [Int64: AccountRow], of id: CustomerID, in snapshot: any StorageSnapshot,
    terms: CatalogTerms
  ) throws(LedgerError) -> [Int64: SettledAccount] {
    // Most have nothing that could be due, and how far the journal came is not asked for them.
    let mayEnd = accounts.values.contains { $0.nextDue != .max }
    guard mayEnd || terms.currencies.contains(where: { $0.policies?.givesByItself == true }) else { return [:] }
    let now = max(clock.now(), try snapshot.sequences().createdAt)
    let due = terms.currencies.filter { currency in
      let account = accounts[currency.number]
      if let account, account.nextDue <= now.milliseconds { return true }
      return account?.nextDue ?? .max == .max && currency.policies?.givesByItself == true
    }
    guard !due.isEmpty else { return [:] }
    let customer = try Self.customer(id, in: snapshot)
    var decider = Decider(catalog: catalog)
    try decider.begin(session: snapshot, clock: now)
    // In this order, as one end of a hold may concern several accounts.
    var settled: [Int64: SettledAccount] = [:]
    for currency in terms.currencies where accounts[currency.number] != nil || due.contains(currency) {
      settled[currency.number] = try decider.settled(currency, of: customer, session: snapshot)
    }
    return settled
  }
}

/// An account with everything booked that has come about by itself, and what is due of its lots.
struct SettledAccount {
  let row: AccountRow
  let due: Int64
}

extension Decider {
  /// The account with everything that is due in it, expiries apart.
  mutating func settled(
    _ currency: CurrencyTerms, of customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> SettledAccount {
    plans.removeAll(keepingCapacity: true)
    // What has expired is left to who asks: it does not count up the account's version before it is booked.
    try plan(.expiry, currency.code, 0, customer: customer, session: session)
    return SettledAccount(row: set.accounts[plans[0].slot].row, due: plans[0].expiredAmount)
  }
}
