/// Makes the customer if need be, and registers the token by which purchases name the customer.
struct RegisterTokenCommand: Command {
  let token: TokenNumber

  var action: LedgerCommand.Action { .registerToken(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .none }

  func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    let known = try decider.findCustomer(command.customer, session: session)
    let customer = if let known { known } else { try decider.work.addCustomer(command.customer, session: session) }
    if try decider.work.orders.customer(token: token, session: session) == nil {
      decider.work.orders.add(AccountTokenRow(token: token, customer: customer.number))
    }
    return JournalPosting.answer(&decider.work, command.customer, isReplayed: known != nil)
  }
}

extension LedgerCommand {
  /// Makes the customer if need be, and registers the token by which purchases name the customer.
  ///
  /// The answer is replayed where the customer existed. A known token stays with its customer.
  package static func registerToken(_ token: TokenNumber, customer: CustomerID) -> Self {
    Self(RegisterTokenCommand(token: token), customer: customer, key: nil)
  }
}
