extension Decider {
  /// Changes currency into another one of the same customer.
  ///
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `rounds_to_zero`, `amount_out_of_range` (what is got), `condition_failed`,
  ///   `customer_frozen`, `insufficient_balance`, `over_maximum`.
  mutating func decide(
    _ command: LedgerCommand.Body, _ exchange: LedgerCommand.Exchange, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try ExchangeRules.check(exchange, conditions: command.conditions)
    guard let customer = try findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try once(command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      decider.plans.removeAll(keepingCapacity: true)
      let from = exchange.from
      try decider.plan(.exchange, from.currency, -from.amount, customer: customer, session: session)
      try decider.plan(.exchange, exchange.into, 0, customer: customer, session: session)
      decider.plans[1].amount = try ExchangeRules.received(for: from.amount, at: exchange.rate)
      try decider.checkPlans(command, customer: customer, session: session)
      try decider.planBurn(0, session: session)
      try decider.planExchanged(0, into: 1, session: session)
      decider.plans.sort { $0.currency.code < $1.currency.code }
      var receipt = try decider.book(.exchange, command: command, customer: customer, session: session)
      var extras = ReceiptExtras()
      let taken = try decider.reclaimLineage(
        after: decider.booked, owner: customer, &extras, session: session)
      guard !taken.isEmpty else { return receipt }
      receipt.entries = CompactList(Array(receipt.entries) + taken)
      receipt.extras = extras
      return receipt
    }
  }

  /// Forgets who the customer is.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `in_progress` (the same commit made the customer).
  mutating func decideErasure(
    _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    let numbers = try set.numbers(of: customer, session: session)
    // Who came into being with this very commit is erased by the next one.
    if let row = set.changes.customers.first(where: { numbers.contains($0.number) }) {
      throw LedgerError(.inProgress, "The customer \"\(row.id)\" is being made. Ask again.")
    }
    plans.removeAll(keepingCapacity: true)
    let number = begin(.erase, command: command, customer: customer)
    // Who erased whom and why would tell again who it was.
    if command.note != nil { set.changes.notes.removeLast() }
    var erasure = ErasureRow(transaction: number, numbers: numbers, ids: [], former: [], added: [])
    for own in numbers {
      var row = try set.knownCustomer(own, session: session)
      erasure.former.append(row.id)
      erasure.added += try session.addedIDs(of: own).map { AddedIDRow(customer: own, id: $0) }
      row.id = CustomerID(ofErased: own, salt: terms.transactionIDs.salt)
      if row.mergedInto == 0 { row.frozen = FreezeRules.frozen(row.frozen, byPerson: true) }
      row.frozenReason = nil
      erasure.ids.append(row.id)
      set.change(row)
    }
    set.rare.effects.erasedIDs.formUnion(erasure.former)
    set.rare.effects.erasedIDs.formUnion(erasure.added.map(\.id))
    for (id, owner) in set.rare.ids where numbers.contains(owner) {
      set.rare.ids[id] = nil
      set.rare.effects.erasedIDs.insert(id)
    }
    set.changes.ownRare.addedIDs.removeAll { numbers.contains($0.customer) }
    set.changes.ownRare.erasures.append(erasure)
    return receiptWithoutEntries(.erase, number, of: erasure.ids[0])
  }
}
