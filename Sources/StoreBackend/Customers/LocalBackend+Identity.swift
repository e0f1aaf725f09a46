public import GemLedger

extension LocalBackend {
  /// Makes the customer known, and the token by which purchases name the customer.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
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

  /// Signs in: from an anonymous customer the two become one, always; from another nothing moves.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_user_id`, `over_maximum` where the two together
  ///   would pass the hard limit.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(id)
    let (isKnown, isCurrentKnown) = try reading { (snapshot, _) throws(LedgerError) -> (Bool, Bool) in
      (try snapshot.customer(id) != nil, try snapshot.customer(current) != nil)
    }
    if UserID.isAnonymous(current), isCurrentKnown, current != id {
      do throws(LedgerError) {
        _ = try await ledger.book(.merge(from: current, into: id))
      } catch {
        // Whoever signed in before, or on another device at this moment, has done it.
        guard error.code == .sameCustomer else { throw error }
      }
    }
    if UserID.isAnonymous(current), !isCurrentKnown, current != id {
      // Nobody heard of them yet, but what they bought meanwhile may wait in a queue of theirs.
      _ = try await register(id)
      _ = try await ledger.book(.createAlias(current, of: id))
      _ = try await register(current)
    }
    _ = try await register(id)
    return Registration(customer: id, isCreated: !isKnown)
  }

  /// Makes `alias` another id of the customer; where both have balances, they become one customer.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_user_id`, `over_maximum` where the two together
  ///   would pass the hard limit.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try UserID.check(alias)
    _ = try await register(customer)
    let isKnown = try reading { (snapshot, _) throws(LedgerError) in try snapshot.customer(alias) != nil }
    _ = try await ledger.book(.createAlias(alias, of: customer))
    _ = try await register(alias)
    return Registration(customer: alias, isCreated: !isKnown)
  }
}
