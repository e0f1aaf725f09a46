/// Merges two customers; an id that names no customer becomes an id of the other customer.
struct MergeCommand: Command {
  let from: CustomerID
  /// Whether the merged customer may have anonymous ids only.
  var isOfAnonymous = false
  /// Whether the surviving customer proved that it wants the merge.
  var isProven = true

  var action: LedgerCommand.Action { .merge(self) }

  static let keyFields = KeyFields(rest: "from")
  var asked: Int64 {
    // A merge of an anonymous customer has no key.
    isOfAnonymous
      ? Fingerprint.asked(.keyless, 0) : Fingerprint.asked(.merge, Fingerprint.digest(of: from.text))
  }
  var namedCustomers: NamedCustomers { .ownAnd([from]) }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { LedgerCommand.Footprint(joining: [from]) }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `invalid_identifier`, `customer_not_found`, `key_conflict`, `same_customer`,
  ///   `condition_failed` (the customer has an id that is not anonymous), `over_maximum` (the hard limit),
  ///   `condition_failed` (debts, freezes or open holds in a merge that is not proven).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    let source = try decider.books.work.customers.find(from)
    let target = try decider.books.work.customers.find(command.customer)
    if isOfAnonymous, let source, source.number != target?.number {
      // The commit decides this: of two sign-ins from one anonymous customer at the same moment, only one merges.
      try MergeRules.checkAnonymous(try decider.books.work.customers.ids(of: source.number), named: from)
    }
    guard let survivor = target ?? source else { throw .customerNotFound(from) }
    return try KeyReplay.idempotently(&decider, command, customer: survivor) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      guard source?.number != target?.number else {
        throw LedgerError(
          .sameCustomer, "\"\(from)\" and \"\(command.customer)\" name the same customer already.")
      }
      if let source, let target {
        return try CustomerMerge.merge(&decider, source, into: target, isProven: isProven, command: command)
      }
      return try CustomerMerge.add(&decider, source == nil ? from : command.customer, to: survivor, command: command)
    }
  }
}

extension LedgerCommand {
  /// Merges two customers.
  ///
  /// - Parameters:
  ///   - from: The customer to merge: balances, lots, purchases, items and debts move.
  ///   - into: The surviving customer. One of the two must exist; the other id then becomes an id of that customer.
  ///   - key: Send the same key with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(MergeCommand(from: from), customer: into, key: key, details: details)
  }

  /// Merges an anonymous customer into another.
  ///
  /// Refused with `condition_failed` if the customer has an id that is not anonymous. The commit decides this: of two
  /// sign-ins from one anonymous customer at the same moment, only one merges.
  ///
  /// - Parameter isProven: Whether the surviving customer proved that it wants the merge. Otherwise debts, freezes and
  ///   open holds are refused with `condition_failed`. Later refunds of the merged purchases then take only the rest of
  ///   those purchases' lots.
  package static func mergeAnonymous(from: CustomerID, into: CustomerID, isProven: Bool = true) -> Self {
    Self(MergeCommand(from: from, isOfAnonymous: true, isProven: isProven), customer: into, key: nil)
  }
}

extension Ledger {
  /// Merges two customers: balances, lots, purchases, items and debts move, and both ids name the surviving customer.
  ///
  /// If only one of them exists, the other id becomes an id of that customer. Moved amounts may pass a currency's
  /// maximum (``Booking/isOverMaximum``).
  ///
  /// - Parameters:
  ///   - from: The customer to merge.
  ///   - into: The surviving customer.
  ///   - key: Send the same key with every retry.
  /// - Returns: The amounts that moved to the surviving customer; without entries if nothing had to move.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found` if neither exists, `key_conflict`,
  ///   `same_customer`, `over_maximum` at the hard limit.
  @discardableResult
  public func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.merge(from: from, into: into, key: key))
  }
}
