internal import GemLedger

/// Makes customers, their ids and their account tokens known.
struct CustomerRegistry: Sendable {
  let context: BackendContext

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await registerTokens(of: customer).registration
  }

  /// - Returns: The tokens that are known since now: the store may have told of purchases of theirs before.
  func registerTokens(
    of customer: CustomerID
  ) async throws(LedgerError) -> (registration: Registration, tokens: [AccountToken]) {
    try UserID.check(customer)
    let tokens = AccountToken.all(of: customer, digest: context.verifier.digest(of: customer.text))
    // Every start of an app registers, and nearly all of them find everything in its place.
    let missing = try context.reading { (view, _) throws(LedgerError) -> [AccountToken] in
      guard try view.customers.find(customer) != nil else { return tokens }
      var missing: [AccountToken] = []
      for token in tokens where try !view.customers.isRegistered(token.number) { missing.append(token) }
      return missing
    }
    var isCreated = false
    for token in missing {
      let booking = try await context.ledger.book(.registerToken(token.number, customer: customer))
      if !booking.isReplayed { isCreated = true }
    }
    return (Registration(customer: customer, isCreated: isCreated), missing)
  }

  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(id)
    let (isKnown, isCurrentKnown) = try context.reading { (view, _) throws(LedgerError) -> (Bool, Bool) in
      (try view.customers.find(id) != nil, try view.customers.find(current) != nil)
    }
    if UserID.isAnonymous(current), current != id {
      // An unknown anonymous id can only be added to an existing customer.
      if !isCurrentKnown { _ = try await register(id) }
      // A purchase made under the id before its registration may wait in a queue, and names the id by its token.
      if try await joinAnonymous(current, to: id), !isCurrentKnown { _ = try await register(current) }
    }
    _ = try await register(id)
    return Registration(customer: id, isCreated: !isKnown)
  }

  /// Merges a customer with only anonymous ids into another.
  ///
  /// - Returns: False where the customer has another id, so that nothing moved.
  func joinAnonymous(_ anonymous: CustomerID, to customer: CustomerID) async throws(LedgerError) -> Bool {
    do throws(LedgerError) {
      _ = try await context.ledger.book(.mergeAnonymous(from: anonymous, into: customer))
      return true
    } catch {
      switch error.code {
      // Done before, or on another device at this moment.
      case .sameCustomer: return true
      case .conditionFailed: return false
      default: throw error
      }
    }
  }

  func createAlias(
    _ alias: CustomerID, of customer: CustomerID, isOfAnonymous: Bool = false
  ) async throws(LedgerError) -> Registration {
    try UserID.check(alias)
    _ = try await register(customer)
    let isKnown = try context.reading { (view, _) throws(LedgerError) in try view.customers.find(alias) != nil }
    _ = try await context.ledger.book(
      isOfAnonymous ? .createAlias(alias, ofAnonymous: customer) : .createAlias(alias, of: customer))
    _ = try await register(alias)
    return Registration(customer: alias, isCreated: !isKnown)
  }
}
