internal import GemLedger

/// Registers customers, their ids and their account tokens.
struct CustomerRegistry: Sendable {
  let context: BackendContext

  /// - Parameter key: If set, the customer must be new; see ``LedgerCommand/createCustomer(_:tokens:key:)``.
  func register(_ customer: CustomerID, key: IdempotencyKey? = nil) async throws(LedgerError) -> Registration {
    try UserID.check(customer)
    // Every app launch registers, and nearly always the customer and its tokens exist already.
    if key == nil, try areTokensKnown(of: customer) { return Registration(customer: customer, isCreated: false) }
    let booking = try await context.ledger.book(.createCustomer(customer, tokens: tokens(of: customer), key: key))
    return Registration(customer: customer, isCreated: !booking.isReplayed)
  }

  /// Returns whether the customer exists, and every token of the id belongs to a customer.
  func areTokensKnown(of customer: CustomerID) throws(LedgerError) -> Bool {
    let tokens = tokens(of: customer)
    return try context.reading { (view, _) throws(LedgerError) -> Bool in
      guard try view.customers.find(customer) != nil else { return false }
      for token in tokens where try !view.customers.isRegistered(token) { return false }
      return true
    }
  }

  private func tokens(of customer: CustomerID) -> [TokenNumber] {
    AccountToken.all(of: customer, digest: context.verifier.digest(of: customer.text)).map(\.number)
  }

  /// - Parameter isProven: Whether the id's customer consents to the login; otherwise debts, freezes and holds do not
  ///   move.
  func logIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool = true
  ) async throws(LedgerError) -> Registration {
    try UserID.check(id)
    let (isKnown, isCurrentKnown) = try context.reading { (view, _) throws(LedgerError) -> (Bool, Bool) in
      (try view.customers.find(id) != nil, try view.customers.find(current) != nil)
    }
    if UserID.isAnonymous(current), current != id {
      // An unknown anonymous id can only be added to an existing customer.
      if !isCurrentKnown { _ = try await register(id) }
      // A purchase under the id before its registration may wait in a queue, and names the id by its token.
      if try await joinAnonymous(current, to: id, isProven: isProven), !isCurrentKnown {
        _ = try await register(current)
      }
    }
    _ = try await register(id)
    return Registration(customer: id, isCreated: !isKnown)
  }

  /// Merges a customer with only anonymous ids into another.
  ///
  /// - Returns: False if the customer has another id, so that nothing moved.
  func joinAnonymous(
    _ anonymous: CustomerID, to customer: CustomerID, isProven: Bool = true
  ) async throws(LedgerError) -> Bool {
    do throws(LedgerError) {
      try await mergeAnonymous(anonymous, into: customer, isProven: isProven)
      return true
    } catch {
      guard error.code == .conditionFailed, error.text("condition") == "anonymous" else { throw error }
      return false
    }
  }

  private func mergeAnonymous(
    _ anonymous: CustomerID, into customer: CustomerID, isProven: Bool
  ) async throws(LedgerError) {
    do throws(LedgerError) {
      _ = try await context.ledger.book(.mergeAnonymous(from: anonymous, into: customer, isProven: isProven))
    } catch {
      // Already merged, possibly by another device at this moment.
      guard error.code == .sameCustomer else { throw error }
    }
  }

  /// - Parameter anonymous: The id of the customer that must have only anonymous ids, which the commit checks; nil to
  ///   merge any two customers.
  func createAlias(
    _ alias: CustomerID, of customer: CustomerID, anonymous: CustomerID? = nil, isProven: Bool = true
  ) async throws(LedgerError) -> Registration {
    try UserID.check(alias)
    _ = try await register(customer)
    let isKnown = try context.reading { (view, _) throws(LedgerError) in try view.customers.find(alias) != nil }
    if let anonymous {
      try await mergeAnonymous(anonymous, into: anonymous == alias ? customer : alias, isProven: isProven)
    } else {
      _ = try await context.ledger.book(.createAlias(alias, of: customer))
    }
    _ = try await register(alias)
    return Registration(customer: alias, isCreated: !isKnown)
  }
}
