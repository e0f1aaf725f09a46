public import GemLedger

// Customers and their ids.
extension LocalBackend {
  /// Makes the customer known, and the tokens by which purchases name the customer.
  ///
  /// Purchases that are held for one of the tokens are credited to the customer before the call returns.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id that only the ledger makes, and `invalid_user_id`.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await register(customer, key: nil)
  }

  /// The same for a customer who is to be new.
  ///
  /// - Parameter key: The same one with every try: the customer that it made is answered again.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `already_exists`,
  ///   `key_conflict`.
  package func register(_ customer: CustomerID, key: IdempotencyKey?) async throws(LedgerError) -> Registration {
    let registration = try await registry.register(customer, key: key)
    // Also for tokens that were known: the process that made them known may have ended before it came to this.
    try await held.decide(for: customer)
    return registration
  }

  /// Signs in: merges a customer with only anonymous ids into the id's customer; from any other customer nothing moves.
  ///
  /// An anonymous id of a customer that signed in before belongs to that customer: nothing moves from it either.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await logIn(id, from: current, isProven: true)
  }

  /// Makes `alias` another id of the customer; merges the two customers where both have balances.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   where the two together would pass the hard limit.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    let registration = try await registry.createAlias(alias, of: customer)
    try await held.decide(for: alias)
    return registration
  }

  /// As ``logIn(_:from:)``, for a login that the id's customer may not have proven to want.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:from:)``; with `condition_failed` for a login that is not proven, of a
  ///   customer with a debt, a freeze or an open hold.
  package func logIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool
  ) async throws(LedgerError) -> Registration {
    let registration = try await registry.logIn(id, from: current, isProven: isProven)
    try await held.decide(for: id)
    return registration
  }

  /// Says what ``logIn(_:from:isProven:)`` would do, and books nothing.
  package func previewLogIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool
  ) throws(LedgerError) -> IdentityPreview {
    try previews.logIn(id, from: current, isProven: isProven)
  }

  /// As ``createAlias(_:of:)``, if one of both customers has anonymous ids only.
  ///
  /// The commit decides this: the customer may have signed in since the caller looked.
  ///
  /// - Parameter anonymous: The id of that customer.
  /// - Throws: `LedgerError` with `condition_failed` if the customer has another id; else as ``createAlias(_:of:)``.
  package func createAlias(
    _ alias: CustomerID, of customer: CustomerID, anonymous: CustomerID, isProven: Bool
  ) async throws(LedgerError) -> Registration {
    let registration = try await registry.createAlias(alias, of: customer, anonymous: anonymous, isProven: isProven)
    try await held.decide(for: alias)
    return registration
  }

  /// As ``restore(_:customer:sharing:)``, for a caller who gets the entitlements alone: no customers become one.
  package func restoreEntitlements(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await restores.restore(receipts, customer: customer, sharing: sharing, merges: false)
    return try await self.customer(customer)
  }

  /// Says what ``restoreEntitlements(_:customer:sharing:)`` would do, and books nothing.
  package func previewRestoreEntitlements(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) throws(LedgerError) -> IdentityPreview {
    try previews.restore(receipts, customer: customer, sharing: sharing, merges: false)
  }

  /// Says which customers ``logIn(_:from:)`` would make one, and what would move; books nothing.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:from:)``.
  public func previewLogIn(
    _ id: CustomerID, from current: CustomerID
  ) async throws(LedgerError) -> IdentityPreview { try previews.logIn(id, from: current) }

  /// Says which customers ``createAlias(_:of:)`` would make one, and what would move; books nothing.
  ///
  /// - Throws: `LedgerError` as ``createAlias(_:of:)``.
  public func previewAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> IdentityPreview {
    try previews.createAlias(alias, of: customer)
  }

  /// Says what ``restore(_:customer:sharing:)`` would do, and books nothing.
  ///
  /// Receipts without a credit are named and not checked any further: the restore may refuse them.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the first refusal of the verifier where every receipt was refused;
  ///   `over_maximum` where two customers together would pass the hard limit.
  public func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview {
    try previews.restore(receipts, customer: customer, sharing: sharing)
  }

  /// Returns the customer's record; creates an unknown customer.
  ///
  /// Entitlements follow the frozen grants of the purchases: a non-consumable's lasts for ever, a subscription's until
  /// its period ends. A purchase that was refunded in full gives none.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    _ = try await register(customer)
    return try records.record(of: customer)
  }

  /// Returns the record as ``customer(_:)`` does, but creates no customer; also accepts the placeholder id of an erased
  /// one.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  public func knownCustomer(_ customer: CustomerID) throws(LedgerError) -> CustomerRecord {
    try records.record(of: customer)
  }

  /// The customer's credited periods of subscriptions, newest first; at most 100.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  package func subscriptions(of customer: CustomerID) throws(LedgerError) -> [PurchaseRecord] {
    try records.subscriptions(of: customer)
  }

  /// The customer's credited purchases with the orders that they paid for, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try records.purchases(of: customer, page: page, size: size)
  }

  /// Restores the store account's purchases and moves entitlements by the sharing rule; never credits a consumable
  /// again.
  ///
  /// A purchase without a credit is credited here, at once: the restore claims the store account for its customer. A
  /// purchase that was credited to another customer stays credited to that customer, and the rule decides on the
  /// entitlement.
  ///
  /// An owner with only anonymous ids is merged into the customer under every rule. A customer with only anonymous ids
  /// is never merged with a signed-in owner: the entitlement moves, unless the rule keeps it. Refused receipts are left
  /// out where others were accepted.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the first refusal as of ``post(_:)`` where every receipt was
  ///   refused; the storage's error where the storage fails.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await restores.restore(receipts, customer: customer, sharing: sharing)
    return try await self.customer(customer)
  }
}
