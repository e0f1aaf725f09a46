/// The held currency of a hold: reads it, gives it back, ends the hold at its deadline.
enum HeldCurrency {
  // MARK: Held amounts

  static func outstanding(
    _ work: borrowing UnitOfWork, of hold: HoldRow, owner: FoundCustomer
  ) throws(LedgerError) -> [HeldPart] {
    if let sole = hold.sole {
      let account = AccountNumber(customer: owner.number, currency: sole.currency)
      return [HeldPart(account: account, lot: sole.lot, amount: sole.amount)]
    }
    let owners = try work.customers.numbers(of: owner)
    return HoldRules.outstanding(
      try work.journal.events(about: hold.number, ofAny: owners), of: owner.number)
  }

  /// Whether the hold sets currency of the account aside.
  ///
  /// A customer's other holds end with the next command on their accounts. That command must not depend on the due time
  /// of this account.
  static func isHeld(
    by hold: HoldRow, in account: AccountNumber, _ work: borrowing UnitOfWork, owner: FoundCustomer
  ) throws(LedgerError) -> Bool {
    if let sole = hold.sole { return sole.currency == account.currency }
    return try outstanding(work, of: hold, owner: owner).contains { $0.account == account }
  }

  static func slots(_ work: inout UnitOfWork, of parts: [HeldPart]) throws(LedgerError) -> [Int] {
    var slots: [Int] = []
    for part in parts {
      let slot = try work.accounts.slot(of: part.account)
      if !slots.contains(slot) { slots.append(slot) }
    }
    return slots
  }

  // MARK: Bookings

  /// It changes nothing; borrowed books may be copied with every call.
  static func booking(
    _ books: inout Bookkeeper, _ id: HoldID, _ hold: HoldRow, _ parts: [HeldPart], slots: [Int]
  ) -> HoldBooking {
    let amounts = CurrencySums.sum(
      [],
      parts.compactMap { part in
        books.definitions.currency(number: part.account.currency).map {
          CurrencyAmount(currency: $0.code, amount: part.amount)
        }
      })
    var (balances, available): ([CurrencyAmount], [CurrencyAmount]) = ([], [])
    for slot in slots {
      let row = books.work.accounts[slot].row
      guard let code = books.definitions.currency(number: row.number.currency)?.code else { continue }
      balances.append(CurrencyAmount(currency: code, amount: row.balance))
      available.append(CurrencyAmount(currency: code, amount: row.balance - row.held))
    }
    func sorted(_ amounts: [CurrencyAmount]) -> [CurrencyAmount] {
      amounts.count < 2 ? amounts : amounts.sorted { $0.currency < $1.currency }
    }
    return HoldBooking(
      id: id, amounts: amounts, expiresAt: parts.isEmpty ? nil : hold.deadline, balances: sorted(balances),
      available: sorted(available))
  }

  static func begun(_ work: borrowing UnitOfWork, _ hold: HoldRow) throws(LedgerError) -> Timestamp {
    if let known = hold.begunAt { return known }
    return try work.journal.known(hold.number).createdAt
  }
}

extension Bookkeeper {
  /// Ends a hold after its deadline.
  mutating func lapse(_ hold: HoldRow, owner: FoundCustomer) throws(LedgerError) {
    let parts = try HeldCurrency.outstanding(work, of: hold, owner: owner)
    let number = work.journal.appendTransactionWithoutEntries(.release, of: owner.number)
    let returns = try giveBack(parts, of: hold, in: number)
    work.holds.end(hold)
    let before = Dictionary(returns.map { ($0.slot, work.accounts[$0.slot].row) }) { first, _ in first }
    var extras = BookingExtras()
    _ = try bookDueReturns(returns, after: number, owner: owner, &extras)
    guard definitions.hasPolicies else { return }
    for (slot, row) in before { keepLosses(since: row, slot: slot, returns, deadline: hold.deadline) }
  }

  /// Records an account's losses by the end of a hold, each at its instant: the lot's expiry, or the hold's deadline.
  private mutating func keepLosses(
    since before: AccountRow, slot: Int, _ returns: [ReturnedCurrency], deadline: Timestamp
  ) {
    let row = work.accounts[slot].row
    var rest = before.balance - row.balance
    for returned in returns where returned.slot == slot && returned.lotSlot != .pool {
      let expiresAt = work.accounts.lot(returned.lotSlot, of: slot).expiresAt
      guard expiresAt > deadline.milliseconds, expiresAt <= work.now.milliseconds else { continue }
      lapsed[slot, default: []].append(
        ScheduleRules.Loss(at: expiresAt, amount: returned.amount, lot: returned.lot))
      rest -= returned.amount
    }
    guard rest > 0 else { return }
    lapsed[slot, default: []].append(
      ScheduleRules.Loss(at: deadline.milliseconds, amount: rest, repaid: before.debt - row.debt))
  }

  /// Puts the held amounts back into their lots.
  mutating func giveBack(
    _ parts: [HeldPart], of hold: HoldRow, in transaction: TransactionNumber
  ) throws(LedgerError) -> [ReturnedCurrency] {
    var returns: [ReturnedCurrency] = []
    // A held amount counts as spent from the hold's beginning.
    let begunAt = definitions.hasPolicies ? try HeldCurrency.begun(work, hold) : work.now
    for part in parts {
      let slot = try work.accounts.slot(of: part.account)
      let take = try LotPlacement.placeReturn(&work, part.amount, to: part.lot, slot: slot)
      work.accounts.apply([take], to: slot, isReturn: true)
      work.accounts.setAside(-part.amount, slot: slot)
      work.addHoldEvent(.released, of: part, hold: hold.number, in: transaction, slot: slot)
      if definitions.hasPolicies {
        try uncount(part.amount, since: begunAt, slot: slot, by: transaction)
      }
      returns.append(
        ReturnedCurrency(slot: slot, lotSlot: take.lotSlot, lot: take.lot, source: take.source, amount: part.amount))
    }
    return returns
  }
}

extension UnitOfWork {
  mutating func addHoldDeadline(of hold: HoldRow, in transaction: TransactionNumber) {
    journal.add(
      JournalEventRow(
        transaction: transaction, position: 0, customer: hold.customer, kind: .deadline, target: hold.number,
        value: hold.deadline.milliseconds, createdAt: now))
  }

  mutating func addHoldEvent(
    _ kind: JournalEventRow.Kind, of part: HeldPart, hold: TransactionNumber,
    in transaction: TransactionNumber, slot: Int, value: Int64 = 0
  ) {
    journal.add(
      JournalEventRow(
        transaction: transaction, position: 0, customer: part.account.customer, kind: kind, target: hold,
        currency: part.account.currency, lot: part.lot, amount: part.amount, value: value, createdAt: now,
        heldAfter: accounts[slot].row.held))
  }
}
