extension Decider {
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `condition_failed`, `customer_frozen`, `insufficient_balance`.
  mutating func decide(
    _ command: LedgerCommand.Body, hold amounts: [Adjustment], milliseconds: Int64, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try HoldRules.check(amounts, milliseconds: milliseconds, conditions: command.conditions)
    guard let customer = try findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try once(command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      decider.plans.removeAll(keepingCapacity: true)
      for amount in amounts.count == 1 ? amounts : amounts.sorted(by: { $0.currency < $1.currency }) {
        try decider.plan(.hold, amount.currency, -amount.amount, customer: customer, session: session)
      }
      try decider.checkPlans(command, customer: customer, session: session)
      for index in decider.plans.indices { try decider.planBurn(index, session: session) }
      return decider.bookHold(command, customer: customer, milliseconds: milliseconds)
    }
  }

  private mutating func bookHold(
    _ command: LedgerCommand.Body, customer: FoundCustomer, milliseconds: Int64
  ) -> Receipt {
    let number = begin(.hold, command: command, customer: customer)
    var hold = HoldRow(
      number: number, customer: customer.number,
      deadline: set.now.advanced(milliseconds: milliseconds), begunAt: set.now)
    var parts: [HeldPart] = []
    for index in plans.indices {
      let (slot, amount) = (plans[index].slot, -plans[index].amount)
      let account = set.accounts[slot].row.number
      if plans[index].isAllInPool {
        set.accounts[slot].row.poolRemaining -= amount
        parts.append(HeldPart(account: account, lot: set.accounts[slot].row.poolLot, amount: amount))
      } else {
        apply(plans[index].takes, slot: slot, isReturn: false)
        for take in plans[index].takes { parts.append(HeldPart(account: account, lot: take.lot, amount: -take.amount)) }
      }
      for part in parts where part.account == account {
        set.setAside(part.amount, slot: slot)
        addEffect(
          .held, of: part, hold: hold.number, in: number, slot: slot, value: hold.deadline.milliseconds)
      }
      set.accounts[slot].row.nextDue = min(set.accounts[slot].row.nextDue, hold.deadline.milliseconds)
    }
    hold.sole = HeldPart.sole(parts)
    set.set(hold)
    var receipt = receiptWithoutEntries(.hold, number, of: command.customer)
    if let id = receipt.transactionID {
      receipt.extras = ReceiptExtras(hold: holdReceipt(HoldID(id), hold, parts, slots: plans.map(\.slot)))
    }
    return receipt
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `hold_not_found`,
  ///   `key_conflict`, `hold_ended`, `unknown_currency`, `exceeds_hold`, `condition_failed`.
  mutating func decide(
    _ command: LedgerCommand.Body, _ capture: LedgerCommand.Capture, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    if let amounts = capture.amounts {
      try RequestRules.check(amounts: amounts, conditions: command.conditions, of: "capture")
    }
    return try decide(command, on: capture.hold, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Receipt in
      try decider.book(capture, of: hold, command: command, owner: owner, session: session)
    }
  }

  private mutating func book(
    _ capture: LedgerCommand.Capture, of hold: HoldRow, command: LedgerCommand.Body, owner: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let parts = try outstanding(of: hold, owner: owner, session: session)
    let wanted = try wanted(capture.amounts, of: parts)
    let (captured, left) = HoldRules.split(parts, wanted: wanted)
    try planHeld(captured, command: command, owner: owner, session: session)
    let number = begin(.capture, command: command, customer: owner)
    var entries: [PostedEntry] = []
    for index in plans.indices {
      let slot = plans[index].slot
      var takes: [LotTake] = []
      for part in captured where part.account == set.accounts[slot].row.number {
        set.setAside(-part.amount, slot: slot)
        addEffect(.captured, of: part, hold: hold.number, in: number, slot: slot)
        let source = try self.source(of: part.lot, slot: slot, owner: owner, session: session)
        takes.append(LotTake(place: .pool, lot: part.lot, source: source, amount: -part.amount))
      }
      let entry = set.sequences.drawEntry()
      let (lot, allocations) = allocate(takes, entry: entry, isWhole: true)
      entries.append(
        record(
          entry, of: number, .spend, slot, plans[index].currency.code, amount: plans[index].amount, debtChange: 0,
          lot: lot, allocations: allocations))
    }
    set.changes.transactionsWithoutEntries.removeLast()
    var extras = ReceiptExtras()
    if !capture.keepsOpen || left.isEmpty {
      let slots = try self.slots(of: parts, session: session)
      let returns = try giveBack(left, of: hold, in: number, session: session)
      set.end(hold)
      entries += try settle(returns, after: number, owner: owner, &extras, session: session)
      extras.hold = holdReceipt(capture.hold, hold, [], slots: slots)
    } else {
      var hold = hold
      hold.sole = HeldPart.sole(left)
      set.set(hold)
      extras.hold = holdReceipt(capture.hold, hold, left, slots: plans.map(\.slot))
    }
    var receipt = receiptWithoutEntries(.capture, number, of: command.customer)
    receipt.entries = CompactList(entries)
    receipt.extras = extras
    return receipt
  }

  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  mutating func decide(
    _ command: LedgerCommand.Body, release id: HoldID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try decide(command, on: id, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Receipt in
      let parts = try decider.outstanding(of: hold, owner: owner, session: session)
      let number = decider.begin(.release, command: command, customer: owner)
      let slots = try decider.slots(of: parts, session: session)
      var receipt = decider.receiptWithoutEntries(.release, number, of: command.customer)
      var extras = ReceiptExtras()
      let returns = try decider.giveBack(parts, of: hold, in: number, session: session)
      decider.set.end(hold)
      let lost = try decider.settle(returns, after: number, owner: owner, &extras, session: session)
      receipt.entries = CompactList(lost)
      extras.hold = decider.holdReceipt(id, hold, [], slots: slots)
      receipt.extras = extras
      return receipt
    }
  }

  /// - Throws: in order of precedence `amount_out_of_range`, `hold_not_found`, `key_conflict`, `hold_ended`,
  ///   `limit_exceeded`.
  mutating func decide(
    _ command: LedgerCommand.Body, extend id: HoldID, milliseconds: Int64, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try HoldRules.check(milliseconds: milliseconds)
    return try decide(command, on: id, session: session) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Receipt in
      var hold = hold
      hold.deadline = try HoldRules.deadline(
        of: hold, begunAt: decider.begun(hold, session: session), now: decider.set.now, milliseconds: milliseconds)
      let parts = try decider.outstanding(of: hold, owner: owner, session: session)
      let number = decider.begin(.extend, command: command, customer: owner)
      decider.addDeadline(of: hold, in: number)
      decider.set.set(hold)
      var receipt = decider.receiptWithoutEntries(.extend, number, of: command.customer)
      receipt.extras = ReceiptExtras(hold: decider.holdReceipt(id, hold, parts, slots: []))
      return receipt
    }
  }
}
