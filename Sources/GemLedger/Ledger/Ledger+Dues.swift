extension Ledger {
  /// Brings accounts to what they are now where something has come about by itself: the next command would book it, so
  /// it is decided as that command would, and not written.
  func settle(
    _ accounts: inout [Int64: AccountRow], of customer: FoundCustomer, in snapshot: any StorageSnapshot,
    terms: CatalogTerms
  ) throws(LedgerError) {
    let now = max(clock.now(), try snapshot.sequences().createdAt)
    guard accounts.values.contains(where: { $0.nextDue <= now.milliseconds }) else { return }
    var decider = Decider(catalog: catalog)
    try decider.begin(session: snapshot, clock: now)
    for currency in terms.currencies {
      guard accounts[currency.number] != nil else { continue }
      accounts[currency.number] = try decider.settled(currency, of: customer, session: snapshot)
    }
  }
}

extension Decider {
  /// The account with everything that is due in it, expiries apart.
  mutating func settled(
    _ currency: CurrencyTerms, of customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> AccountRow {
    plans.removeAll(keepingCapacity: true)
    // What has expired is left to who asks: it does not count up the account's version before it is booked.
    try plan(.expiry, currency.code, 0, customer: customer, session: session)
    return set.accounts[plans[0].slot].row
  }
}
