/// The value of an account at an instant.
///
/// The rules for commands compute it, for now and for a past instant. They apply the due effects as of the instant to
/// the account's current rows, or to its rows from the journal. Nothing is written.
package struct AccountMoment {
  /// The account's newest entry by the instant; 0 before its first.
  package var recorded: (balance: Int64, debt: Int64, version: Int64)
  /// The account with its due effects applied, except expiries.
  package var row: AccountRow
  /// The expired amount that is still in the row.
  var expired: Int64 = 0
  /// The account's lots and holds after the due effects; nil if the stored rows have them.
  package var parts: LotsAndHolds?

  package init(_ row: AccountRow) {
    self.row = row
    recorded = (row.balance, row.debt, row.version)
  }

  /// The customer's balance, held amounts included.
  package var balance: Int64 { row.balance - expired }

  /// The sum of due effects that were booked later, most often an expiry: positive for a loss.
  package var due: Int64 { recorded.balance - recorded.debt - (balance - row.debt) }
}

/// The lots and holds of an account after its due effects.
package struct LotsAndHolds {
  /// Unexpired lots with a remaining amount, without the pool.
  package let lots: [LotRow]
  /// Holds before their deadline.
  package let holds: [AccountHold]
  /// Attributes of the lots that are not in the journal yet.
  package let unbooked: [LotAttributesRow]
}

/// The values of a customer's accounts at an instant.
package struct AccountMoments {
  package let at: Timestamp
  private(set) var byCurrency: [Int64: AccountMoment] = [:]

  fileprivate init(at: Timestamp, _ rows: [AccountRow]) {
    self.at = at
    for row in rows { byCurrency[row.number.currency] = AccountMoment(row) }
  }

  fileprivate mutating func set(_ row: AccountRow, expired: Int64, parts: LotsAndHolds?) {
    // An account without entries has no record.
    var moment = byCurrency[row.number.currency] ?? AccountMoment(AccountRow(number: row.number))
    (moment.row, moment.expired, moment.parts) = (row, expired, parts)
    byCurrency[row.number.currency] = moment
  }

  package func moment(_ account: AccountNumber) -> AccountMoment {
    byCurrency[account.currency] ?? AccountMoment(AccountRow(number: account))
  }
}

extension Ledger {
  /// Computes the values of a customer's accounts.
  ///
  /// - Parameters:
  ///   - instant: Nil for now.
  ///   - currency: The only requested currency; nil for all.
  ///   - hasParts: Whether lots and holds are requested too.
  package func moments(
    of customer: FoundCustomer, at instant: Timestamp? = nil, currency: Int64? = nil, hasParts: Bool = false,
    in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> AccountMoments {
    let rows = try snapshot.accounts(of: customer.number)
    // If nothing can expire, end or be granted, the current instant does not matter, and the journal is not read.
    let gives = definitions.currencies.contains { $0.policies?.givesByItself == true }
    guard instant != nil || gives || rows.contains(where: \.mayBeDue) else {
      return AccountMoments(at: clock.now(), rows)
    }
    let now = max(try clock.now(in: snapshot), definitions.inForceFrom)
    let at = instant ?? now
    guard at >= now else {
      return try pastMoments(of: customer, rows, at: at, currency: currency, in: snapshot, definitions: definitions)
    }
    var moments = AccountMoments(at: at, rows)
    guard gives || rows.contains(where: { $0.isDue(at: at) }) else { return moments }
    var books = Bookkeeper()
    books.begin(snapshot, after: try snapshot.sequences(), clock: at, definitions: definitions)
    try books.bookDue(customer, currency: currency, accounts: rows, hasParts: hasParts, into: &moments)
    return moments
  }

  private func pastMoments(
    of customer: FoundCustomer, _ rows: [AccountRow], at instant: Timestamp, currency: Int64?,
    in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> AccountMoments {
    let past = try PastAccounts(rows, of: customer.number, at: instant, in: snapshot, definitions: definitions)
    let accounts = past.accounts.map(\.row)
    var moments = AccountMoments(at: instant, accounts)
    let gives = definitions.currencies.contains { $0.policies?.gives(by: instant) == true }
    guard gives || accounts.contains(where: { $0.isDue(at: instant) }) else { return moments }
    guard let row = try snapshot.customer(number: customer.number), row.createdAt <= instant else { return moments }
    var books = Bookkeeper()
    books.begin(snapshot, after: try snapshot.sequences(), clock: instant, definitions: definitions)
    try books.work.goBack(to: past)
    var then = FoundCustomer(row, original: customer.number)
    then.isOneOfSeveral = true
    try books.bookDue(then, currency: currency, accounts: accounts, hasParts: false, into: &moments)
    return moments
  }
}

extension Bookkeeper {
  /// Applies the due effects of the customer's accounts in the unit of work, except expiries.
  fileprivate mutating func bookDue(
    _ customer: FoundCustomer, currency only: Int64?, accounts: [AccountRow], hasParts: Bool,
    into moments: inout AccountMoments
  ) throws(LedgerError) {
    let known = Set(accounts.map(\.number.currency))
    // In the catalog's order, since the end of a hold may concern several accounts.
    for currency in definitions.currencies where only == nil || only == currency.number {
      guard known.contains(currency.number) || currency.policies?.givesByItself == true else { continue }
      plans.removeAll(keepingCapacity: true)
      // The caller subtracts expired amounts: an expiry increases the account's version only when it is booked.
      try plan(.expiry, currency.code, 0, customer: customer)
      let slot = plans[0].slot
      let parts = hasParts ? try parts(of: slot, customer: customer) : nil
      moments.set(work.accounts[slot].row, expired: plans[0].expiredAmount, parts: parts)
    }
  }

  private mutating func parts(of slot: Int, customer: FoundCustomer) throws(LedgerError) -> LotsAndHolds {
    try work.accounts.loadAllLots(of: slot)
    let now = work.now.milliseconds
    let lots = work.accounts.lots(of: slot).all.map(\.row).filter { $0.remaining > 0 && $0.expiresAt > now }
    var holds: [AccountHold] = []
    for row in try work.holds.all(of: customer.number) where row.deadline > work.now {
      let parts = try HeldCurrency.outstanding(work, of: row, owner: customer)
      let hold = try AccountHold(row, parts, of: work.accounts[slot].row.number, in: work.session)
      if hold.amount != 0 { holds.append(hold) }
    }
    return LotsAndHolds(lots: lots, holds: holds, unbooked: work.accounts.lotAttributes)
  }
}

extension AccountRow {
  /// Whether the account may have due effects; policies are not considered.
  fileprivate var mayBeDue: Bool { nextExpiry != .max || nextDue != .max || held != 0 }

  fileprivate func isDue(at instant: Timestamp) -> Bool { min(nextExpiry, nextDue) <= instant.milliseconds }
}

extension CurrencyPolicies {
  /// Whether a policy that was in force by the instant grants automatically.
  fileprivate func gives(by instant: Timestamp) -> Bool {
    eras.contains { $0.from <= instant.milliseconds && $0.givesByItself }
  }
}
