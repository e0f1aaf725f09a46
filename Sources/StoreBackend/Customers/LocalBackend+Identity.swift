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
}
