/// Adds an id to a customer; if the id names another customer, the two are merged.
struct CreateAliasCommand: Command {
  let alias: CustomerID

  var action: LedgerCommand.Action { .createAlias(self) }

  static let keyFields = KeyFields(rest: "alias")
  var asked: Int64 { Fingerprint.asked(.alias, Fingerprint.digest(of: alias.text)) }
  var namedCustomers: NamedCustomers { .ownAnd([alias]) }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { LedgerCommand.Footprint(joining: [alias]) }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `customer_not_found`, `over_maximum` (the hard limit).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    guard let other = try decider.books.work.customers.find(alias) else {
      return try CustomerMerge.add(&decider, alias, to: customer, command: command)
    }
    guard other.number != customer.number else {
      return Booking(
        transactionID: nil, customer: command.customer, kind: .merge, createdAt: decider.books.work.now,
        entries: CompactList([]),
        isReplayed: true)
    }
    return try CustomerMerge.merge(&decider, other, into: customer, command: command)
  }
}

extension LedgerCommand {
  /// Adds the alias as an id of the customer; if the alias names a customer, the two are merged.
  ///
  /// - Parameters:
  ///   - alias: Need not exist.
  ///   - customer: Must exist.
  public static func createAlias(_ alias: CustomerID, of customer: CustomerID) -> Self {
    Self(CreateAliasCommand(alias: alias), customer: customer, key: nil)
  }
}

extension Ledger {
  /// Adds the alias as an id of the customer; if the alias names a customer, the two are merged.
  ///
  /// - Returns: The amounts that moved to the customer; replayed if the customer had the alias already.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `over_maximum` at the hard limit.
  @discardableResult
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> Booking {
    try book(.createAlias(alias, of: customer))
  }
}
