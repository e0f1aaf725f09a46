/// Stops a customer from spending, or ends that.
enum FreezeDecision {
  /// - Throws: in order of precedence `customer_not_found`, `key_conflict`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, freezes: Bool, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      var row = try decider.work.knownCustomer(customer.number, session: session)
      row.frozen = FreezeRules.frozen(row.frozen, byPerson: freezes)
      row.frozenReason = freezes ? command.note?.reason : nil
      decider.work.change(row)
      decider.plans.removeAll(keepingCapacity: true)
      return try JournalPosting.book(
        &decider, freezes ? .freeze : .unfreeze, command: command, customer: customer, session: session)
    }
  }
}
