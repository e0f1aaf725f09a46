/// Makes the customer, and registers the tokens by which purchases name the customer, in one booking.
///
/// An existing customer is not changed. With a key, the command is then refused unless the key made the customer.
struct CreateCustomerCommand: Command {
  let tokens: [TokenNumber]

  var action: LedgerCommand.Action { .createCustomer(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.create, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  // A token belongs to a single customer.
  var independence: Independence { tokens.isEmpty ? .ofOtherCustomers : .none }

  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    let known = try decider.books.work.customers.find(command.customer)
    if let known, let key = command.key {
      let row = try KeyReplay.earlier(&decider.books.work, key, command: command, customer: known)
      try check(row, under: key, command, decider.books)
    }
    let customer = if let known { known } else { try decider.books.work.customers.add(command.customer) }
    for token in tokens where try decider.books.work.orders.customer(token: token) == nil {
      decider.books.work.orders.add(AccountTokenRow(token: token, customer: customer.number))
    }
    if let key = command.key, known == nil {
      decider.books.work.keys.keep(
        .customerExists(command.customer), after: decider.books.work.journal.end, under: key, of: command,
        customer.number)
    }
    return decider.books.work.answer(command.customer, isReplayed: known != nil)
  }

  /// Checks that the customer was made under the key: the key keeps how every other request is answered since.
  private func check(
    _ row: KeyRow?, under key: IdempotencyKey, _ command: LedgerCommand.Body, _ books: borrowing Bookkeeper
  ) throws(LedgerError) {
    guard let row else { throw .customerExists(command.customer) }
    guard let field = row.fingerprint.differingField(from: command) else { return }
    throw try KeyConflict.error(books, field, row, under: key, command: command)
  }
}

extension LedgerError {
  /// Returns the refusal to make a customer that exists already.
  package static func customerExists(_ customer: CustomerID) -> LedgerError {
    LedgerError(.alreadyExists, "There is a customer \"\(customer.text.prefix(100))\" already.")
  }
}

extension LedgerCommand {
  /// Makes the customer, or does nothing if the customer exists.
  public static func createCustomer(_ customer: CustomerID) -> Self { .createCustomer(customer, tokens: []) }

  /// Makes the customer, and registers the tokens by which purchases name the customer.
  ///
  /// A known token stays with its customer.
  ///
  /// - Parameter key: With a key, the command is refused with `already_exists` if another request made the customer.
  package static func createCustomer(
    _ customer: CustomerID, tokens: [TokenNumber], key: IdempotencyKey? = nil
  ) -> Self {
    Self(CreateCustomerCommand(tokens: tokens), customer: customer, key: key)
  }

  /// Makes the customer with this id, or does nothing if the customer exists.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func createCustomer(_ customer: String) throws(LedgerError) -> Self {
    .createCustomer(try CustomerID(customer))
  }
}

extension Ledger {
  /// Makes the customer, or does nothing if the customer exists.
  ///
  /// - Returns: Whether the customer is new.
  /// - Throws: ``LedgerError`` with `invalid_identifier` for an id of a kind that only the ledger makes.
  @discardableResult
  public func createCustomer(_ customer: CustomerID) throws(LedgerError) -> Bool {
    try !book(.createCustomer(customer)).isReplayed
  }
}
