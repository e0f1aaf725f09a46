/// Books everything that is due for a customer.
enum SettleDecision {
  /// Books all due effects of the customer.
  ///
  /// - Throws: `customer_not_found`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    decider.plans.removeAll(keepingCapacity: true)
    for currency in decider.terms.currencies {
      try AccountPlanning.plan(&decider, .expiry, currency.code, 0, customer: customer, session: session)
    }
    for index in decider.plans.indices {
      let slot = decider.plans[index].slot
      if decider.plans[index].expiredAmount != 0 {
        JournalPosting.bookExpiry(&decider, of: index, customer: customer.number)
      } else if decider.set.accounts[slot].row.nextExpiry <= decider.set.now.milliseconds {
        // The account's row expected an expiry too early; its lots are loaded now and give the correct instant.
        LotMoves.refreshNextExpiry(&decider.set, slot: slot, book: decider.set.book(of: slot))
        decider.set.accounts[slot].isChanged = true
      }
    }
    return Receipt(
      transactionID: nil, customer: command.customer, kind: .expiry, createdAt: decider.set.now,
      entries: CompactList([]))
  }
}
