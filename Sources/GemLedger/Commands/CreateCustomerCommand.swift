/// Makes the customer, or does nothing where the customer exists.
struct CreateCustomerCommand: Command {
  var action: LedgerCommand.Action { .createCustomer(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.create, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    let isKnown = try decider.findCustomer(command.customer, session: session) != nil
    if !isKnown { _ = try decider.work.addCustomer(command.customer, session: session) }
    return Booking(
      transactionID: nil, customer: command.customer, kind: .initial, createdAt: decider.work.now,
      entries: CompactList([]), isReplayed: isKnown)
  }
}

extension LedgerCommand {
  /// Makes the customer, or does nothing where the customer exists.
  public static func createCustomer(_ customer: CustomerID) -> Self {
    Self(CreateCustomerCommand(), customer: customer, key: nil)
  }

  /// Makes the customer with this id, or does nothing where the customer exists.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func createCustomer(_ customer: String) throws(LedgerError) -> Self {
    .createCustomer(try CustomerID(customer))
  }
}

extension Ledger {
  /// Makes the customer, or does nothing where there is one.
  ///
  /// - Returns: Whether the customer is new.
  /// - Throws: ``LedgerError`` with `invalid_identifier` for an id of a kind that only the ledger makes.
  @discardableResult
  public func createCustomer(_ customer: CustomerID) throws(LedgerError) -> Bool {
    try !book(.createCustomer(customer)).isReplayed
  }
}
