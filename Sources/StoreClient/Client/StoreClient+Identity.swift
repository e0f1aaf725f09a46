public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The signed-in customer

extension StoreClient {
  /// The app user id of the signed-in customer.
  public var appUserID: String { customerID.text }

  /// The app user id as a checked value.
  public var customerID: CustomerID { context.session.withLock { $0.identity.customer } }

  /// Whether no customer has signed in: the client made the id.
  public var isAnonymous: Bool { context.session.withLock { $0.identity.isAnonymous } }

  /// Whether several customers may share the purchases of one store account.
  ///
  /// True by default, unless the client was configured with an app user id; ``reset()`` and ``logOut()`` set it to
  /// true.
  public var allowSharingAppStoreAccount: Bool { context.session.withLock { $0.identity.allowsSharing } }

  /// Sets ``allowSharingAppStoreAccount``.
  ///
  /// - Throws: `LedgerError` of the event log, which stores it.
  public func setAllowSharingAppStoreAccount(_ isAllowed: Bool) async throws(LedgerError) {
    try await identity.setSharing(isAllowed)
  }

  /// Signs in.
  ///
  /// A customer with only anonymous ids is merged into the id's customer, so that no earlier purchase is lost; from
  /// another customer, nothing moves. The present id causes no request.
  ///
  /// - Parameter id: The app user id; white space around it does not count.
  /// - Returns: The customer's state, stale if the request for it after the switch failed; and whether the id is new.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_user_id` (`invalid_identifier` for an id that only
  ///   the ledger makes), and those of the backend and the event log. After an error the customer is unchanged.
  @discardableResult
  public func logIn(_ id: String) async throws(LedgerError) -> (customerInfo: CustomerInfo, created: Bool) {
    try await context.logged("logIn", ClientContext.outcome(ofLogIn:)) {
      () async throws(LedgerError) in
      try await identity.logIn(id)
    }
  }

  /// Signs out: a new anonymous customer is signed in.
  ///
  /// - Throws: `LedgerError` with `configuration` if the customer is anonymous, and those of the event log and the
  ///   backend.
  @discardableResult
  public func logOut() async throws(LedgerError) -> CustomerInfo {
    try await context.logged("logOut") { () async throws(LedgerError) in try await identity.logOut() }
  }

  /// Switches to another app user id; nothing moves.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func identify(_ id: String) async throws(LedgerError) -> CustomerInfo {
    try await context.logged("identify", \.description) { () async throws(LedgerError) in
      try await identity.identify(id)
    }
  }

  /// Makes the id an alias of the signed-in customer, and uses it from now on; merges two customers.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func createAlias(_ id: String) async throws(LedgerError) -> CustomerInfo {
    try await context.logged("createAlias", \.description) { () async throws(LedgerError) in
      try await identity.createAlias(id)
    }
  }

  /// Restarts with a new anonymous customer instead of any signed-in customer; sharing is allowed again.
  ///
  /// - Throws: `LedgerError` of the event log and the backend.
  @discardableResult
  public func reset() async throws(LedgerError) -> CustomerInfo {
    try await context.logged("reset") { () async throws(LedgerError) in try await identity.reset() }
  }
}
