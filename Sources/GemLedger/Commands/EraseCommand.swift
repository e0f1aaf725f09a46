/// Erases the ids, notes and keys of a customer; the books remain.
struct EraseCommand: Command {
  /// The tokens that name the customer in the statements of stores.
  var tokens: [String] = []

  var action: LedgerCommand.Action { .erase(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { .ownToErase }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// Erases the identity of a customer.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `in_progress` (the same commit made the customer).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    let numbers = try decider.books.work.customers.numbers(of: customer)
    // A customer that this commit makes can be erased only by a later commit.
    if let row = decider.books.work.customers.made.first(where: { numbers.contains($0.number) }) {
      throw LedgerError(.inProgress, "The customer \"\(row.id)\" is being made. Ask again.")
    }
    decider.books.plans.removeAll(keepingCapacity: true)
    let number = decider.books.beginTransaction(.erase, command: command, customer: customer)
    // The note with the actor and the reason of the erasure would identify the customer again.
    if command.note != nil { decider.books.work.journal.removeNewestNote() }
    var erasure = ErasureRow(transaction: number, numbers: numbers, ids: [], former: [], added: [])
    let rows = try numbers.gather { (own) throws(LedgerError) in
      (
        row: try decider.books.work.customers.known(own), ids: try decider.session.addedIDs(of: own),
        attributes: try decider.session.document(CustomerAttributes.documentName(own))
      )
    }
    for (own, known) in zip(numbers, rows) {
      var row = known.row
      erasure.former.append(row.id)
      erasure.added += known.ids.map { AddedIDRow(customer: own, id: $0) }
      row.id = CustomerID(ofErased: own, salt: decider.books.definitions.transactionIDs.salt)
      if row.mergedInto == 0 { row.frozen = FreezeRules.frozen(row.frozen, byPerson: true) }
      row.frozenReason = nil
      erasure.ids.append(row.id)
      decider.books.work.customers.change(row)
    }
    decider.books.work.customers.erase(erasure.former + erasure.added.map(\.id), addedTo: numbers)
    for own in numbers { try HoldReceiptCommand.erase(&decider.books.work, of: own, namedBy: tokens) }
    try HoldReceiptCommand.erase(&decider.books.work, namedBy: tokens)
    decider.books.work.changes.ownCold.erasures.append(erasure)
    let index = AttributeIndex(salt: decider.books.definitions.transactionIDs.salt)
    for (own, known) in zip(numbers, rows) {
      guard let document = known.attributes else { continue }
      // A damaged document must not prevent the erasure.
      let attributes = (try? CustomerAttributes(document)) ?? CustomerAttributes()
      let values = index.documentNames(of: attributes, own)
      index.change(from: values.union([document.name]), to: [], in: &decider.books.work.changes.ownCold)
    }
    return decider.books.bookingWithoutEntries(.erase, number, of: erasure.ids[0])
  }
}

extension LedgerCommand {
  /// Erases the identity of a customer: ids, notes, keys and announcements are removed, the books remain.
  public static func erase(_ customer: CustomerID) -> Self { erase(customer, tokens: []) }

  /// Erases the identity of a customer, also in purchases that other customers posted; purchases not yet credited end.
  ///
  /// - Parameter tokens: The tokens that name the customer in the statements of stores.
  package static func erase(_ customer: CustomerID, tokens: [String]) -> Self {
    Self(EraseCommand(tokens: tokens), customer: customer, key: nil)
  }
}

extension Ledger {
  /// Erases a customer's identity: ids, notes, keys and announcements are removed; the books remain and still add up.
  ///
  /// The store's transactions remain known, so that a redelivered purchase is not credited again, and a late refund
  /// finds its lots. The id is free: a later customer with this id is a different customer.
  ///
  /// - Returns: A booking; its customer is the id that replaces the erased one from now on.
  /// - Throws: ``LedgerError`` with `customer_not_found`, also if the customer was erased already.
  @discardableResult
  public func erase(_ customer: CustomerID) throws(LedgerError) -> Booking { try book(.erase(customer)) }
}
