// What every command about a hold needs.

extension Decider {
  /// The transaction that an id names, and whom it concerns now; nil also where they were erased.
  mutating func booked(
    _ id: TransactionID, session: any StorageSnapshot
  ) throws(LedgerError) -> (row: TransactionRow, owner: FoundCustomer, id: CustomerID)? {
    guard let number = terms.transactionIDs.number(of: id) else { return nil }
    var row = set.transaction(number)
    if row == nil { row = try session.transaction(number) }
    guard let row, terms.transactionIDs.id(number: number, createdAt: row.createdAt) == id else { return nil }
    var customer = try set.knownCustomer(row.customer, session: session)
    let origin = customer.number
    // Their keys are forgotten, so that nothing could tell a second call from the first.
    guard !customer.isErased(salt: terms.transactionIDs.salt) else { return nil }
    if customer.mergedInto != 0 { customer = try set.knownCustomer(customer.mergedInto, session: session) }
    return (row, FoundCustomer(customer, origin: origin), customer.id)
  }

  /// Finds the hold, and decides under the key of whose it is, while the hold is open.
  ///
  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  mutating func decide(
    _ command: LedgerCommand.Body, on id: HoldID, session: any StorageSnapshot,
    body: (inout Self, HoldRow, FoundCustomer) throws(LedgerError) -> Receipt
  ) throws(LedgerError) -> Receipt {
    let (hold, owner, whose) = try find(id, session: session)
    var receipt = try once(command, customer: owner, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      guard let hold else {
        throw .holdEnded(id, "it was captured or released before. Nothing was changed")
      }
      decider.plans.removeAll(keepingCapacity: true)
      guard hold.deadline > decider.set.now else {
        // That it has ended is so whatever becomes of the command.
        try decider.lapse(hold, owner: owner, session: session)
        throw .holdEnded(id, "its deadline was \(hold.deadline). Begin a new one")
      }
      if decider.terms.hasPolicies { try decider.settleDues(of: hold, owner: owner, session: session) }
      return try body(&decider, hold, owner)
    }
    receipt.customer = whose
    return receipt
  }

  /// The hold, nil where it has ended, and whose it is: by its own row where that tells, else by the transaction that
  /// began it.
  ///
  /// - Throws: `hold_not_found`.
  private mutating func find(
    _ id: HoldID, session: any StorageSnapshot
  ) throws(LedgerError) -> (hold: HoldRow?, owner: FoundCustomer, id: CustomerID) {
    if let number = terms.transactionIDs.number(of: id.transactionID),
      let hold = try set.hold(number, ofAny: [], session: session), let begunAt = hold.begunAt,
      terms.transactionIDs.id(number: number, createdAt: begunAt) == id.transactionID
    {
      let customer = try set.knownCustomer(hold.customer, session: session)
      if customer.mergedInto == 0, !customer.isErased(salt: terms.transactionIDs.salt) {
        return (hold, FoundCustomer(customer, origin: customer.number), customer.id)
      }
    }
    guard let (row, owner, whose) = try booked(id.transactionID, session: session), row.kind == .hold else {
      throw .holdNotFound(id)
    }
    let owners = try set.numbers(of: owner, session: session)
    return (try set.hold(row.number, ofAny: owners, session: session), owner, whose)
  }

  /// What has come about by itself in the hold's accounts comes before what is asked.
  private mutating func settleDues(
    of hold: HoldRow, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    for slot in try slots(of: try outstanding(of: hold, owner: owner, session: session), session: session) {
      guard let currency = terms.currency(number: set.accounts[slot].row.number.currency), isDue(slot, currency) else {
        continue
      }
      try settleDues(slot, currency, customer: owner, session: session)
    }
  }

  /// Books what is due in the plans, and begins a transaction that has no entries yet.
  mutating func begin(
    _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) -> TransactionNumber {
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: customer.number)
    }
    let number = appendTransactionWithoutEntries(kind, customer: customer.number)
    booked = number
    if !pendingCounts.isEmpty { bookCounts(of: customer.number, by: number) }
    addNote(of: command, to: number)
    return number
  }

  mutating func appendTransactionWithoutEntries(_ kind: EntryKind, customer: CustomerNumber) -> TransactionNumber {
    let number = appendTransaction(kind, customer: customer)
    if let row = set.changes.transactions.last { set.changes.transactionsWithoutEntries.append(row) }
    return number
  }

  func receiptWithoutEntries(_ kind: EntryKind, _ number: TransactionNumber, of customer: CustomerID) -> Receipt {
    Receipt(
      transactionID: terms.transactionIDs.id(number: number, createdAt: set.now), customer: customer, kind: kind,
      createdAt: set.now, entries: CompactList([]))
  }

  // MARK: What is held

  func outstanding(
    of hold: HoldRow, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> [HeldPart] {
    if let sole = hold.sole {
      let account = AccountNumber(customer: owner.number, currency: sole.currency)
      return [HeldPart(account: account, lot: sole.lot, amount: sole.amount)]
    }
    let owners = try set.numbers(of: owner, session: session)
    return HoldRules.outstanding(
      try set.effects(about: hold.number, ofAny: owners, session: session), of: owner.number)
  }

  /// How much is to be captured of each currency; nil for all.
  ///
  /// - Throws: in order of precedence `unknown_currency`, `exceeds_hold`.
  func wanted(_ amounts: [Adjustment]?, of parts: [HeldPart]) throws(LedgerError) -> [Int64: Int64]? {
    guard let amounts else { return nil }
    var wanted: [Int64: Int64] = [:]
    for amount in amounts {
      guard let currency = terms.currency(amount.currency) else { throw .unknownCurrency(amount.currency) }
      let held = parts.filter { $0.account.currency == currency.number }.reduce(0) { $0 + $1.amount }
      guard amount.amount <= held else {
        throw LedgerError(
          .exceedsHold,
          "The hold has \(held) \(amount.currency) left, and \(amount.amount) were to be captured. Capture at most "
            + "what it has. Nothing was changed.",
          details: [
            .text("currency", amount.currency.description), .integer("held", held), .integer("needed", amount.amount),
          ])
      }
      wanted[currency.number] = amount.amount
    }
    return wanted
  }

  /// Opens a plan for each currency of the parts; what is due there is found.
  ///
  /// - Throws: `condition_failed`.
  mutating func planHeld(
    _ parts: [HeldPart], command: LedgerCommand.Body, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    var amounts: [CurrencyAmount] = []
    for part in parts {
      guard let code = terms.currency(number: part.account.currency)?.code else {
        throw .lacksCurrency(part.account.currency)
      }
      amounts.append(CurrencyAmount(currency: code, amount: part.amount))
    }
    for amount in Self.sum([], amounts) {
      try plan(.spend, amount.currency, -amount.amount, customer: owner, session: session)
    }
    for plan in plans { try AccountRules.check(command.conditions, plan: plan, account: set.accounts[plan.slot].row) }
  }

  mutating func slots(of parts: [HeldPart], session: any StorageSnapshot) throws(LedgerError) -> [Int] {
    var slots: [Int] = []
    for part in parts {
      let slot = try set.slot(of: part.account, session: session)
      if !slots.contains(slot) { slots.append(slot) }
    }
    return slots
  }

  func source(
    of lot: LotNumber, slot: Int, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> LotSource {
    let account = set.accounts[slot].row
    if account.poolLot == lot, let source = LotSource(rawValue: account.poolSource) { return source }
    let owners = try set.numbers(of: owner, session: session)
    return try set.lotTerms(lot, of: owners, session: session)?.source ?? .admin
  }

  // MARK: Effects

  mutating func addDeadline(of hold: HoldRow, in transaction: TransactionNumber) {
    set.add(
      EffectRow(
        transaction: transaction, position: 0, customer: hold.customer, kind: .deadline, target: hold.number,
        value: hold.deadline.milliseconds, createdAt: set.now))
  }

  mutating func addEffect(
    _ kind: EffectRow.Kind, of part: HeldPart, hold: TransactionNumber, in transaction: TransactionNumber, slot: Int,
    value: Int64 = 0
  ) {
    set.add(
      EffectRow(
        transaction: transaction, position: 0, customer: part.account.customer, kind: kind, target: hold,
        currency: part.account.currency, lot: part.lot, amount: part.amount, value: value, createdAt: set.now,
        heldAfter: set.accounts[slot].row.held))
  }

  // MARK: Receipts

  func holdReceipt(_ id: HoldID, _ hold: HoldRow, _ parts: [HeldPart], slots: [Int]) -> HoldReceipt {
    let amounts = Self.sum(
      [],
      parts.compactMap { part in
        terms.currency(number: part.account.currency).map { CurrencyAmount(currency: $0.code, amount: part.amount) }
      })
    var (balances, available): ([CurrencyAmount], [CurrencyAmount]) = ([], [])
    for slot in slots {
      let row = set.accounts[slot].row
      guard let code = terms.currency(number: row.number.currency)?.code else { continue }
      balances.append(CurrencyAmount(currency: code, amount: row.balance))
      available.append(CurrencyAmount(currency: code, amount: row.balance - row.held))
    }
    func sorted(_ amounts: [CurrencyAmount]) -> [CurrencyAmount] {
      amounts.count < 2 ? amounts : amounts.sorted { $0.currency < $1.currency }
    }
    return HoldReceipt(
      id: id, amounts: amounts, expiresAt: parts.isEmpty ? nil : hold.deadline, balances: sorted(balances),
      available: sorted(available))
  }
}

extension LedgerError {
  static func holdNotFound(_ id: HoldID) -> Self {
    Self(
      .holdNotFound, "There is no hold \(id) in this ledger; check the id.",
      details: [.text("hold_id", id.description)])
  }

  static func holdEnded(_ id: HoldID, _ why: String) -> Self {
    Self(
      .holdEnded, "The hold \(id) has ended: \(why).",
      details: [.text("hold_id", id.description)])
  }
}
