/// Makes an id one more id of a customer; where the id names another customer, the two are merged.
struct CreateAliasCommand: Command {
  let alias: CustomerID
  /// Whether the customer may have anonymous ids only.
  var isOfAnonymous = false

  var action: LedgerCommand.Action { .createAlias(self) }

  static let keyFields = KeyFields(rest: "alias")
  var asked: Int64 { Fingerprint.asked(.alias, Fingerprint.digest(of: alias.text)) }
  var namedCustomers: NamedCustomers { .ownAnd([alias]) }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { LedgerCommand.Footprint(joining: [alias]) }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `customer_not_found`, `condition_failed` (the customer has an id that is not
  ///   anonymous), `over_maximum` (the hard limit).
  func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    if isOfAnonymous {
      // The commit decides this: the customer may have signed in since the caller looked.
      try MergeRules.checkAnonymous(
        try decider.work.ids(of: customer.number, session: session), named: command.customer)
    }
    guard let other = try decider.findCustomer(alias, session: session) else {
      return try CustomerMerge.add(&decider, alias, to: customer, command: command, session: session)
    }
    guard other.number != customer.number else {
      return Booking(
        transactionID: nil, customer: command.customer, kind: .merge, createdAt: decider.work.now,
        entries: CompactList([]),
        isReplayed: true)
    }
    return try CustomerMerge.merge(&decider, other, into: customer, command: command, session: session)
  }
}

extension LedgerCommand {
  /// Makes the alias one more id of the customer; where the alias is a customer, the two are merged.
  ///
  /// - Parameters:
  ///   - alias: Need not exist.
  ///   - customer: Must exist.
  public static func createAlias(_ alias: CustomerID, of customer: CustomerID) -> Self {
    Self(CreateAliasCommand(alias: alias), customer: customer, key: nil)
  }

  /// As ``createAlias(_:of:)``; refused with `condition_failed` where the customer has an id that is not anonymous.
  package static func createAlias(_ alias: CustomerID, ofAnonymous customer: CustomerID) -> Self {
    Self(CreateAliasCommand(alias: alias, isOfAnonymous: true), customer: customer, key: nil)
  }
}

extension Ledger {
  /// Makes the alias one more id of the customer; where the alias is a customer, the two are merged.
  ///
  /// - Returns: The amounts that came to the customer; replayed where the customer had the alias already.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `over_maximum` at the hard limit.
  @discardableResult
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> Booking {
    try book(.createAlias(alias, of: customer))
  }
}
