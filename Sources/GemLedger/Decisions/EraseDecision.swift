/// Erases the ids, notes and keys of a customer; the books stay.
enum EraseDecision {
  /// Erases the identity of a customer.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `in_progress` (the same commit made the customer).
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    let numbers = try decider.set.numbers(of: customer, session: session)
    // A customer that this commit makes can be erased only by a later commit.
    if let row = decider.set.changes.customers.first(where: { numbers.contains($0.number) }) {
      throw LedgerError(.inProgress, "The customer \"\(row.id)\" is being made. Ask again.")
    }
    decider.plans.removeAll(keepingCapacity: true)
    let number = JournalPosting.begin(&decider, .erase, command: command, customer: customer)
    // The note with the actor and the reason of the erasure would identify the customer again.
    if command.note != nil { decider.set.changes.notes.removeLast() }
    var erasure = ErasureRow(transaction: number, numbers: numbers, ids: [], former: [], added: [])
    for own in numbers {
      var row = try decider.set.knownCustomer(own, session: session)
      erasure.former.append(row.id)
      erasure.added += try session.addedIDs(of: own).map { AddedIDRow(customer: own, id: $0) }
      row.id = CustomerID(ofErased: own, salt: decider.terms.transactionIDs.salt)
      if row.mergedInto == 0 { row.frozen = FreezeRules.frozen(row.frozen, byPerson: true) }
      row.frozenReason = nil
      erasure.ids.append(row.id)
      decider.set.change(row)
    }
    decider.set.rare.effects.erasedIDs.formUnion(erasure.former)
    decider.set.rare.effects.erasedIDs.formUnion(erasure.added.map(\.id))
    for (id, owner) in decider.set.rare.ids where numbers.contains(owner) {
      decider.set.rare.ids[id] = nil
      decider.set.rare.effects.erasedIDs.insert(id)
    }
    decider.set.changes.ownRare.addedIDs.removeAll { numbers.contains($0.customer) }
    decider.set.changes.ownRare.erasures.append(erasure)
    return JournalPosting.receiptWithoutEntries(&decider, .erase, number, of: erasure.ids[0])
  }
}
