public import GemLedger

// Customers and their ids.
extension LocalBackend {
  /// Makes the customer known, and the token by which purchases name the customer.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id that only the ledger makes, and `invalid_user_id`.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await registry.register(customer)
  }

  /// Signs in: a customer who has nothing but anonymous ids becomes one with the id's customer; from another nothing
  /// moves.
  ///
  /// An anonymous id that belongs to a customer who signed in before is that customer's: nothing moves from it either.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await registry.logIn(id, from: current)
  }

  /// Makes `alias` another id of the customer; where both have balances, they become one customer.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await registry.createAlias(alias, of: customer)
  }

  /// What is known of the customer; one who was not known comes into being.
  ///
  /// Entitlements are those of the purchases' terms as they were: a non-consumable's for ever, a subscription's until
  /// its period ends; a purchase that was refunded in full gives none.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    _ = try await registry.register(customer)
    return try records.record(of: customer)
  }

  /// What is known of the customer, as ``customer(_:)`` tells it; makes nobody, and takes what is left of an erased id.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  public func knownCustomer(_ customer: CustomerID) throws(LedgerError) -> CustomerRecord {
    try records.record(of: customer)
  }

  /// The customer's credited purchases with the orders that they paid for, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try records.purchases(of: customer, page: page, size: size)
  }

  /// Finds what the store account's purchases give, and moves entitlements by the sharing rule; credits no consumable
  /// a second time.
  ///
  /// A purchase that nobody was credited for is credited here, at once: who restores says that the store account is
  /// theirs. What another customer was credited for stays credited to that customer, and the rule says what becomes of
  /// the entitlement.
  ///
  /// An owner who has nothing but anonymous ids becomes one with the customer, whatever the rule. A customer who has
  /// nothing but anonymous ids never becomes one with an owner who signed in: the entitlement moves, unless the rule
  /// keeps it. Receipts that are refused are left out where others were not.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the first refusal as of ``post(_:)`` where every receipt was
  ///   refused; where the storage fails, what it says.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await restores.restore(receipts, customer: customer, sharing: sharing)
    return try await self.customer(customer)
  }
}
