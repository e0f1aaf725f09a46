extension Decider {
  /// - Throws: in order of precedence `customer_not_found`, `key_conflict`.
  mutating func decide(
    _ command: LedgerCommand.Body, freezes: Bool, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try once(command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      var row = try decider.set.knownCustomer(customer.number, session: session)
      row.frozen = FreezeRules.frozen(row.frozen, byPerson: freezes)
      row.frozenReason = freezes ? command.note?.reason : nil
      decider.set.change(row)
      decider.plans.removeAll(keepingCapacity: true)
      return try decider.book(
        freezes ? .freeze : .unfreeze, command: command, customer: customer, session: session)
    }
  }
}
