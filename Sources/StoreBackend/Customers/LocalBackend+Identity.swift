public import GemLedger

extension LocalBackend {
  /// Makes the customer known, and the token by which purchases name the customer.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id that only the ledger makes, and `invalid_user_id`.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(customer)
    let token = AccountToken(of: customer).number
    // Every start of an app registers, and nearly all of them find everything in its place.
    let isKnown = try reading { (snapshot, _) throws(LedgerError) -> Bool in
      guard try snapshot.customer(customer) != nil else { return false }
      return try snapshot.customer(token: token) != nil
    }
    if isKnown { return Registration(customer: customer, isCreated: false) }
    let receipt = try await ledger.book(.registerToken(token, customer: customer))
    return Registration(customer: customer, isCreated: !receipt.isReplayed)
  }

  /// Signs in: a customer who has nothing but anonymous ids becomes one with the id's customer; from another nothing
  /// moves.
  ///
  /// An anonymous id that belongs to a customer who signed in before is that customer's: nothing moves from it either.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(id)
    let (isKnown, isCurrentKnown) = try reading { (snapshot, _) throws(LedgerError) -> (Bool, Bool) in
      (try snapshot.customer(id) != nil, try snapshot.customer(current) != nil)
    }
    if UserID.isAnonymous(current), current != id {
      // Somebody has to be there for an id that nobody has to be added to.
      if !isCurrentKnown { _ = try await register(id) }
      // What was bought under the id before anybody heard of it may wait in a queue, and names it by its token.
      if try await joinAnonymous(current, to: id), !isCurrentKnown { _ = try await register(current) }
    }
    _ = try await register(id)
    return Registration(customer: id, isCreated: !isKnown)
  }

  /// Makes a customer who has nothing but anonymous ids one with another.
  ///
  /// - Returns: False where the customer has another id, so that nothing moved.
  func joinAnonymous(_ anonymous: CustomerID, to customer: CustomerID) async throws(LedgerError) -> Bool {
    do throws(LedgerError) {
      _ = try await ledger.book(.mergeAnonymous(from: anonymous, into: customer))
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

  /// Makes `alias` another id of the customer; where both have balances, they become one customer.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(alias)
    _ = try await register(customer)
    let isKnown = try reading { (snapshot, _) throws(LedgerError) in try snapshot.customer(alias) != nil }
    _ = try await ledger.book(.createAlias(alias, of: customer))
    _ = try await register(alias)
    return Registration(customer: alias, isCreated: !isKnown)
  }
}
