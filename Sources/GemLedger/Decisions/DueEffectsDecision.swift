/// Books everything that is due for a customer.
enum DueEffectsDecision {
  /// Books all due effects of the customer.
  ///
  /// - Throws: `customer_not_found`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    decider.plans.removeAll(keepingCapacity: true)
    for currency in decider.definitions.currencies {
      try AccountPlanning.plan(&decider, .expiry, currency.code, 0, customer: customer, session: session)
    }
    for index in decider.plans.indices {
      let slot = decider.plans[index].slot
      if decider.plans[index].expiredAmount != 0 {
        JournalPosting.bookExpiry(&decider, of: index, customer: customer.number)
      } else if decider.work.accounts[slot].row.nextExpiry <= decider.work.now.milliseconds {
        // The account's row expected an expiry too early; its lots are loaded now and give the correct instant.
        LotMoves.refreshNextExpiry(&decider.work, slot: slot, lotsIndex: decider.work.loadedLotsIndex(of: slot))
        decider.work.accounts[slot].isChanged = true
      }
    }
    return Booking(
      transactionID: nil, customer: command.customer, kind: .expiry, createdAt: decider.work.now,
      entries: CompactList([]))
  }
}
