/// Erases the ids, notes and keys of a customer; the books stay.
enum EraseDecision {
  /// Erases the identity of a customer.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `in_progress` (the same commit made the customer).
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    let numbers = try decider.work.numbers(of: customer, session: session)
    // A customer that this commit makes can be erased only by a later commit.
    if let row = decider.work.changes.customers.first(where: { numbers.contains($0.number) }) {
      throw LedgerError(.inProgress, "The customer \"\(row.id)\" is being made. Ask again.")
    }
    decider.plans.removeAll(keepingCapacity: true)
    let number = JournalPosting.begin(&decider, .erase, command: command, customer: customer)
    // The note with the actor and the reason of the erasure would identify the customer again.
    if command.note != nil { decider.work.changes.notes.removeLast() }
    var erasure = ErasureRow(transaction: number, numbers: numbers, ids: [], former: [], added: [])
    let rows = try numbers.gather { (own) throws(LedgerError) in
      (row: try decider.work.knownCustomer(own, session: session), ids: try session.addedIDs(of: own))
    }
    for (own, known) in zip(numbers, rows) {
      var row = known.row
      erasure.former.append(row.id)
      erasure.added += known.ids.map { AddedIDRow(customer: own, id: $0) }
      row.id = CustomerID(ofErased: own, salt: decider.definitions.transactionIDs.salt)
      if row.mergedInto == 0 { row.frozen = FreezeRules.frozen(row.frozen, byPerson: true) }
      row.frozenReason = nil
      erasure.ids.append(row.id)
      decider.work.change(row)
    }
    decider.work.cold.events.erasedIDs.formUnion(erasure.former)
    decider.work.cold.events.erasedIDs.formUnion(erasure.added.map(\.id))
    for (id, owner) in decider.work.cold.ids where numbers.contains(owner) {
      decider.work.cold.ids[id] = nil
      decider.work.cold.events.erasedIDs.insert(id)
    }
    decider.work.changes.ownCold.addedIDs.removeAll { numbers.contains($0.customer) }
    decider.work.changes.ownCold.erasures.append(erasure)
    return JournalPosting.bookingWithoutEntries(&decider, .erase, number, of: erasure.ids[0])
  }
}
