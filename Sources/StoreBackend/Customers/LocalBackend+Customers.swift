public import GemLedger

// Customers and their ids.
extension LocalBackend {
  /// Registers the customer with the tokens by which purchases name the customer.
  ///
  /// Purchases that are held for one of the tokens are credited to the customer before the call returns.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id that only the ledger makes, and `invalid_user_id`.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await register(customer, key: nil)
  }

  /// Registers a new customer.
  ///
  /// - Parameter key: The idempotency key; a retry with it returns the customer that the first call created.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `already_exists`,
  ///   `key_conflict`.
  package func register(_ customer: CustomerID, key: IdempotencyKey?) async throws(LedgerError) -> Registration {
    let registration = try await registry.register(customer, key: key)
    // Also for known tokens: the process that registered them may have ended before this step.
    try await held.decide(for: customer)
    return registration
  }

  /// Signs in: merges a customer with only anonymous ids into the id's customer; from any other customer nothing moves.
  ///
  /// An anonymous id of a customer that signed in before belongs to that customer: nothing moves from it either.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   if the merged balances exceed the hard limit.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await logIn(id, from: current, isProven: true)
  }

  /// Adds `alias` to the customer's ids; merges the two customers if both have balances.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `invalid_user_id`, `over_maximum`
  ///   if the merged balances exceed the hard limit.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    let registration = try await registry.createAlias(alias, of: customer)
    try await held.decide(for: alias)
    return registration
  }

  /// Logs in as ``logIn(_:from:)`` does, also if the id's customer has not proven the login.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:from:)``; `condition_failed` for an unproven login if the customer has a
  ///   debt, a freeze or an open hold.
  package func logIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool
  ) async throws(LedgerError) -> Registration {
    let registration = try await registry.logIn(id, from: current, isProven: isProven)
    try await held.decide(for: id)
    return registration
  }

  /// Previews ``logIn(_:from:isProven:)`` without a booking.
  package func previewLogIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool
  ) throws(LedgerError) -> IdentityPreview {
    try previews.logIn(id, from: current, isProven: isProven)
  }

  /// Adds an alias as ``createAlias(_:of:)`` does, if one of both customers has only anonymous ids.
  ///
  /// The commit decides this: the customer may have signed in since the caller looked.
  ///
  /// - Parameter anonymous: The id of that customer.
  /// - Throws: `LedgerError` with `condition_failed` if the customer has another id; otherwise as
  ///   ``createAlias(_:of:)``.
  package func createAlias(
    _ alias: CustomerID, of customer: CustomerID, anonymous: CustomerID, isProven: Bool
  ) async throws(LedgerError) -> Registration {
    let registration = try await registry.createAlias(alias, of: customer, anonymous: anonymous, isProven: isProven)
    try await held.decide(for: alias)
    return registration
  }

  /// Restores the entitlements alone, as ``restore(_:customer:sharing:)`` does; merges no customers.
  package func restoreEntitlements(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await restores.restore(receipts, customer: customer, sharing: sharing, merges: false)
    return try await self.customer(customer)
  }

  /// Previews ``restoreEntitlements(_:customer:sharing:)`` without a booking.
  package func previewRestoreEntitlements(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) throws(LedgerError) -> IdentityPreview {
    try previews.restore(receipts, customer: customer, sharing: sharing, merges: false)
  }

  /// Returns the customers that ``logIn(_:from:)`` would merge and the balances that would move, without a booking.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:from:)``.
  public func previewLogIn(
    _ id: CustomerID, from current: CustomerID
  ) async throws(LedgerError) -> IdentityPreview { try previews.logIn(id, from: current) }

  /// Returns the customers that ``createAlias(_:of:)`` would merge and the balances that would move, without a booking.
  ///
  /// - Throws: `LedgerError` as ``createAlias(_:of:)``.
  public func previewAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> IdentityPreview {
    try previews.createAlias(alias, of: customer)
  }

  /// Previews ``restore(_:customer:sharing:)`` without a booking.
  ///
  /// Receipts without a credit are listed but not checked further: the restore may refuse them.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the verifier's first refusal if it refused all receipts;
  ///   `over_maximum` if the merged balances exceed the hard limit.
  public func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview {
    try previews.restore(receipts, customer: customer, sharing: sharing)
  }

  /// Returns the customer's record; creates an unknown customer.
  ///
  /// Entitlements follow the frozen grants of the purchases. The entitlement of a non-consumable never ends; that of a
  /// subscription ends with its period. A fully refunded purchase gives none.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    _ = try await register(customer)
    return try records.record(of: customer)
  }

  /// Returns the record as ``customer(_:)`` does, but creates no customer; also accepts an erased customer's
  /// placeholder id.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  public func knownCustomer(_ customer: CustomerID) throws(LedgerError) -> CustomerRecord {
    try records.record(of: customer)
  }

  /// Returns the customer's credited periods of subscriptions, newest first; at most 100.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  package func subscriptions(of customer: CustomerID) throws(LedgerError) -> [PurchaseRecord] {
    try records.subscriptions(of: customer)
  }

  /// Returns the customer's credited purchases with their orders, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try records.purchases(of: customer, page: page, size: size)
  }

  /// Restores the store account's purchases and moves entitlements by the sharing rule; never credits a consumable
  /// again.
  ///
  /// A purchase without a credit is credited at once: the restore claims the store account for its customer. A purchase
  /// that was credited to another customer stays credited to that customer, and the sharing rule decides on the
  /// entitlement.
  ///
  /// An owner with only anonymous ids is merged into the customer under every rule. A customer with only anonymous ids
  /// is never merged with a signed-in owner: the entitlement moves, unless the rule keeps it. Refused receipts are
  /// ignored if others were accepted.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the first refusal as of ``post(_:)`` if all receipts were refused;
  ///   the storage's error if the storage fails.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await restores.restore(receipts, customer: customer, sharing: sharing)
    return try await self.customer(customer)
  }
}
