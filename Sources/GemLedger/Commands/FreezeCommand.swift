/// Freezes or unfreezes a customer.
struct FreezeCommand: Command {
  /// Whether the customer may not spend from now on.
  let freezes: Bool

  var action: LedgerCommand.Action { .freeze(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(freezes ? .freeze : .unfreeze, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `customer_not_found`, `key_conflict`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      var row = try decider.books.work.customers.known(customer.number)
      row.frozen = FreezeRules.frozen(row.frozen, byPerson: freezes)
      row.frozenReason = freezes ? command.note?.reason : nil
      decider.books.work.customers.change(row)
      decider.books.plans.removeAll(keepingCapacity: true)
      return try decider.books.book(freezes ? .freeze : .unfreeze, command: command, customer: customer)
    }
  }
}

extension LedgerCommand {
  /// Stops the customer from spending; credits are still booked.
  public static func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(FreezeCommand(freezes: true), customer: customer, key: key, details: details.with(reason))
  }

  /// Lets the customer spend again, after a freeze of any cause.
  public static func unfreeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(FreezeCommand(freezes: false), customer: customer, key: key, details: details.with(reason))
  }
}

extension CommandDetails {
  fileprivate func with(_ reason: Reason?) -> Self {
    var details = self
    details.reason = reason ?? self.reason
    return details
  }
}

extension Ledger {
  /// Stops the customer from spending; credits and refunds are still booked.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.freeze(customer, reason: reason, key: key))
  }

  /// Lets the customer spend again, after a freeze of any cause.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func unfreeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.unfreeze(customer, reason: reason, key: key))
  }
}
