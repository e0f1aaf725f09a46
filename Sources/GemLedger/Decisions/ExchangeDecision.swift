/// Changes currency into another one of the same customer.
enum ExchangeDecision {
  /// Changes currency into another one of the same customer.
  ///
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `rounds_to_zero`, `amount_out_of_range` (the received amount),
  ///   `condition_failed`, `customer_frozen`, `insufficient_balance`, `over_maximum`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ exchange: LedgerCommand.Exchange,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try ExchangeRules.check(exchange, conditions: command.conditions)
    guard let customer = try decider.findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      decider.plans.removeAll(keepingCapacity: true)
      let from = exchange.from
      try AccountPlanning.plan(&decider, .exchange, from.currency, -from.amount, customer: customer, session: session)
      try AccountPlanning.plan(&decider, .exchange, exchange.into, 0, customer: customer, session: session)
      decider.plans[1].amount = try ExchangeRules.received(for: from.amount, at: exchange.rate)
      try AccountPlanning.checkPlans(&decider, command, customer: customer, session: session)
      try AccountPlanning.planBurn(&decider, 0, session: session)
      try planExchanged(&decider, 0, into: 1, session: session)
      decider.plans.sort { $0.currency.code < $1.currency.code }
      var booking = try JournalPosting.book(&decider, .exchange, command: command, customer: customer, session: session)
      var extras = BookingExtras()
      let taken = try ReturnedCurrencyBooking.reclaimLineage(
        &decider, after: decider.booked, owner: customer, &extras, session: session)
      guard !taken.isEmpty else { return booking }
      booking.entries = CompactList(Array(booking.entries) + taken)
      booking.extras = extras
      return booking
    }
  }

  /// Makes the lots that an exchange gives, from the lots that it takes.
  static func planExchanged(
    _ decider: inout Decider, _ given: Int, into got: Int, session: any StorageSnapshot
  ) throws(LedgerError) {
    AccountPlanning.nameLots(&decider, of: given)
    var credits = try LotLineage.credits(
      &decider.work, of: -decider.plans[given].amount, behind: 0, in: decider.plans[given], session: session)
    let shares = ExchangeRules.shares(of: decider.plans[got].amount, over: credits.map(\.amount))
    for (index, share) in shares.enumerated() { credits[index].amount = share }
    credits.removeAll { $0.amount == 0 }
    if credits.count == 1 {
      AccountPlanning.planCredit(&decider, got, credits[0])
    } else {
      decider.plans[got].credits = credits
    }
  }
}
