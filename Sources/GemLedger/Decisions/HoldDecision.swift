/// Sets currency aside, and captures, releases or extends a hold.
enum HoldDecision {
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `condition_failed`, `customer_frozen`, `insufficient_balance`.
  static func hold(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ amounts: [Adjustment], milliseconds: Int64,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try HoldRules.check(amounts, milliseconds: milliseconds, conditions: command.conditions)
    guard let customer = try decider.findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      decider.plans.removeAll(keepingCapacity: true)
      for amount in amounts.count == 1 ? amounts : amounts.sorted(by: { $0.currency < $1.currency }) {
        try AccountPlanning.plan(&decider, .hold, amount.currency, -amount.amount, customer: customer, session: session)
      }
      try AccountPlanning.checkPlans(&decider, command, customer: customer, session: session)
      for index in decider.plans.indices { try AccountPlanning.planBurn(&decider, index, session: session) }
      return bookHold(&decider, command, customer: customer, milliseconds: milliseconds)
    }
  }

  private static func bookHold(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer, milliseconds: Int64
  ) -> Booking {
    let number = JournalPosting.begin(&decider, .hold, command: command, customer: customer)
    var hold = HoldRow(
      number: number, customer: customer.number,
      deadline: decider.work.now.advanced(milliseconds: milliseconds), begunAt: decider.work.now)
    var parts: [HeldPart] = []
    for index in decider.plans.indices {
      let (slot, amount) = (decider.plans[index].slot, -decider.plans[index].amount)
      let account = decider.work.accounts[slot].row.number
      if decider.plans[index].isAllInPool {
        decider.work.accounts[slot].row.poolRemaining -= amount
        parts.append(HeldPart(account: account, lot: decider.work.accounts[slot].row.poolLot, amount: amount))
      } else {
        LotMoves.apply(&decider.work, decider.plans[index].takes, slot: slot, isReturn: false)
        for take in decider.plans[index].takes {
          parts.append(HeldPart(account: account, lot: take.lot, amount: -take.amount))
        }
      }
      for part in parts where part.account == account {
        decider.work.setAside(part.amount, slot: slot)
        HeldCurrency.addEvent(
          &decider.work, .held, of: part, hold: hold.number, in: number, slot: slot, value: hold.deadline.milliseconds)
      }
      decider.work.accounts[slot].row.nextDue = min(decider.work.accounts[slot].row.nextDue, hold.deadline.milliseconds)
    }
    hold.sole = HeldPart.sole(parts)
    decider.work.set(hold)
    var booking = JournalPosting.bookingWithoutEntries(&decider, .hold, number, of: command.customer)
    if let id = booking.transactionID {
      booking.extras = BookingExtras(
        hold: HeldCurrency.booking(&decider, HoldID(id), hold, parts, slots: decider.plans.map(\.slot)))
    }
    return booking
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `hold_not_found`,
  ///   `key_conflict`, `hold_ended`, `unknown_currency`, `exceeds_hold`, `condition_failed`.
  static func capture(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ capture: LedgerCommand.Capture,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    if let amounts = capture.amounts {
      try RequestRules.check(amounts: amounts, conditions: command.conditions, of: "capture")
    }
    return try decide(&decider, command, on: capture.hold, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      try book(&decider, capture, of: hold, command: command, owner: owner, session: session)
    }
  }

  private static func book(
    _ decider: inout Decider, _ capture: LedgerCommand.Capture, of hold: HoldRow, command: LedgerCommand.Body,
    owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    let parts = try HeldCurrency.outstanding(&decider.work, of: hold, owner: owner, session: session)
    let wanted = try wanted(&decider, capture.amounts, of: parts)
    let (captured, left) = HoldRules.split(parts, wanted: wanted)
    try planHeld(&decider, captured, command: command, owner: owner, session: session)
    let number = JournalPosting.begin(&decider, .capture, command: command, customer: owner)
    var entries: [PostedEntry] = []
    for index in decider.plans.indices {
      let slot = decider.plans[index].slot
      var takes: [LotTake] = []
      for part in captured where part.account == decider.work.accounts[slot].row.number {
        decider.work.setAside(-part.amount, slot: slot)
        HeldCurrency.addEvent(&decider.work, .captured, of: part, hold: hold.number, in: number, slot: slot)
        let source = try LotMoves.source(&decider.work, of: part.lot, slot: slot, owner: owner, session: session)
        takes.append(LotTake(lotSlot: .pool, lot: part.lot, source: source, amount: -part.amount))
      }
      let entry = decider.work.sequences.drawEntry()
      let (lot, allocations) = JournalPosting.allocate(&decider.work, takes, entry: entry, isWhole: true)
      entries.append(
        JournalPosting.record(
          &decider, entry, of: number, .spend, slot, decider.plans[index].currency.code,
          amount: decider.plans[index].amount, debtChange: 0,
          lot: lot, allocations: allocations))
    }
    decider.work.changes.transactionsWithoutEntries.removeLast()
    var extras = BookingExtras()
    if !capture.keepsOpen || left.isEmpty {
      let slots = try HeldCurrency.slots(&decider.work, of: parts, session: session)
      let returns = try HeldCurrency.giveBack(&decider, left, of: hold, in: number, session: session)
      decider.work.end(hold)
      entries += try ReturnedCurrencyBooking.bookDue(
        &decider, returns, after: number, owner: owner, &extras, session: session)
      extras.hold = HeldCurrency.booking(&decider, capture.hold, hold, [], slots: slots)
    } else {
      var hold = hold
      hold.sole = HeldPart.sole(left)
      decider.work.set(hold)
      extras.hold = HeldCurrency.booking(&decider, capture.hold, hold, left, slots: decider.plans.map(\.slot))
    }
    var booking = JournalPosting.bookingWithoutEntries(&decider, .capture, number, of: command.customer)
    booking.entries = CompactList(entries)
    booking.extras = extras
    return booking
  }

  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  static func release(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ id: HoldID, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try decide(&decider, command, on: id, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      let parts = try HeldCurrency.outstanding(&decider.work, of: hold, owner: owner, session: session)
      let number = JournalPosting.begin(&decider, .release, command: command, customer: owner)
      let slots = try HeldCurrency.slots(&decider.work, of: parts, session: session)
      var booking = JournalPosting.bookingWithoutEntries(&decider, .release, number, of: command.customer)
      var extras = BookingExtras()
      let returns = try HeldCurrency.giveBack(&decider, parts, of: hold, in: number, session: session)
      decider.work.end(hold)
      let lost = try ReturnedCurrencyBooking.bookDue(
        &decider, returns, after: number, owner: owner, &extras, session: session)
      booking.entries = CompactList(lost)
      extras.hold = HeldCurrency.booking(&decider, id, hold, [], slots: slots)
      booking.extras = extras
      return booking
    }
  }

  /// - Throws: in order of precedence `amount_out_of_range`, `hold_not_found`, `key_conflict`, `hold_ended`,
  ///   `limit_exceeded`.
  static func extend(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ id: HoldID, milliseconds: Int64,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try HoldRules.check(milliseconds: milliseconds)
    return try decide(&decider, command, on: id, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      var hold = hold
      hold.deadline = try HoldRules.deadline(
        of: hold, begunAt: HeldCurrency.begun(&decider.work, hold, session: session), now: decider.work.now,
        milliseconds: milliseconds)
      let parts = try HeldCurrency.outstanding(&decider.work, of: hold, owner: owner, session: session)
      let number = JournalPosting.begin(&decider, .extend, command: command, customer: owner)
      HeldCurrency.addDeadline(&decider.work, of: hold, in: number)
      decider.work.set(hold)
      var booking = JournalPosting.bookingWithoutEntries(&decider, .extend, number, of: command.customer)
      booking.extras = BookingExtras(hold: HeldCurrency.booking(&decider, id, hold, parts, slots: []))
      return booking
    }
  }

  /// Finds the hold, and decides under the key of the hold's owner, while the hold is open.
  ///
  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, on id: HoldID, session: any StorageSnapshot,
    body: (inout Decider, HoldRow, FoundCustomer) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    let (hold, owner, whose) = try find(&decider, id, session: session)
    var booking = try KeyReplay.idempotently(&decider, command, customer: owner, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      guard let hold else {
        throw .holdEnded(id, "it was captured or released before. Nothing was changed")
      }
      decider.plans.removeAll(keepingCapacity: true)
      guard hold.deadline > decider.work.now else {
        // The end of the hold stays booked although the command is refused.
        try HeldCurrency.lapse(&decider, hold, owner: owner, session: session)
        throw .holdEnded(id, "its deadline was \(hold.deadline). Begin a new one")
      }
      if decider.definitions.hasPolicies { try bookDueEffects(&decider, of: hold, owner: owner, session: session) }
      return try body(&decider, hold, owner)
    }
    booking.customer = whose
    return booking
  }

  /// Finds the hold, nil where it has ended, and its owner: by the hold's row, else by the transaction that began it.
  ///
  /// - Throws: `hold_not_found`.
  private static func find(
    _ decider: inout Decider, _ id: HoldID, session: any StorageSnapshot
  ) throws(LedgerError) -> (hold: HoldRow?, owner: FoundCustomer, id: CustomerID) {
    if let number = decider.definitions.transactionIDs.number(of: id.transactionID),
      let hold = try decider.work.hold(number, ofAny: [], session: session), let begunAt = hold.begunAt,
      decider.definitions.transactionIDs.id(number: number, createdAt: begunAt) == id.transactionID
    {
      let customer = try decider.work.knownCustomer(hold.customer, session: session)
      if customer.mergedInto == 0, !customer.isErased(salt: decider.definitions.transactionIDs.salt) {
        return (hold, FoundCustomer(customer, original: customer.number), customer.id)
      }
    }
    guard let (row, owner, whose) = try JournalLookup.booked(&decider, id.transactionID, session: session),
      row.kind == .hold
    else {
      throw .holdNotFound(id)
    }
    let owners = try decider.work.numbers(of: owner, session: session)
    return (try decider.work.hold(row.number, ofAny: owners, session: session), owner, whose)
  }

  /// Books the due effects of the hold's accounts before the command is decided.
  private static func bookDueEffects(
    _ decider: inout Decider, of hold: HoldRow, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    for slot in try HeldCurrency.slots(
      &decider.work, of: try HeldCurrency.outstanding(&decider.work, of: hold, owner: owner, session: session),
      session: session)
    {
      guard let currency = decider.definitions.currency(number: decider.work.accounts[slot].row.number.currency),
        ScheduledEffects.isDue(&decider.work, slot, currency)
      else {
        continue
      }
      try ScheduledEffects.bookDueEffects(&decider, slot, currency, customer: owner, session: session)
    }
  }

  /// How much is to be captured of each currency; nil for all.
  ///
  /// - Throws: in order of precedence `unknown_currency`, `exceeds_hold`.
  static func wanted(
    _ decider: inout Decider, _ amounts: [Adjustment]?, of parts: [HeldPart]
  ) throws(LedgerError) -> [Int64: Int64]? {
    guard let amounts else { return nil }
    var wanted: [Int64: Int64] = [:]
    for amount in amounts {
      guard let currency = decider.definitions.currency(amount.currency) else {
        throw .unknownCurrency(amount.currency)
      }
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

  /// Opens a plan for each currency of the parts, with its due expiries.
  ///
  /// - Throws: `condition_failed`.
  static func planHeld(
    _ decider: inout Decider, _ parts: [HeldPart], command: LedgerCommand.Body, owner: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    decider.plans.removeAll(keepingCapacity: true)
    var amounts: [CurrencyAmount] = []
    for part in parts {
      guard let code = decider.definitions.currency(number: part.account.currency)?.code else {
        throw .lacksCurrency(part.account.currency)
      }
      amounts.append(CurrencyAmount(currency: code, amount: part.amount))
    }
    for amount in CurrencySums.sum([], amounts) {
      try AccountPlanning.plan(&decider, .spend, amount.currency, -amount.amount, customer: owner, session: session)
    }
    for plan in decider.plans {
      try AccountRules.check(command.conditions, plan: plan, account: decider.work.accounts[plan.slot].row)
    }
  }
}
