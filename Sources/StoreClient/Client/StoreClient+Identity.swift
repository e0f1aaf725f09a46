public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Who is signed in

extension StoreClient {
  /// The app user id of whoever is signed in.
  public var appUserID: CustomerID { context.session.withLock { $0.identity.customer } }

  /// Whether nobody signed in: the id is one that the client made.
  public var isAnonymous: Bool { context.session.withLock { $0.identity.isAnonymous } }

  /// Whether several customers may share what one store account bought.
  ///
  /// True at first, unless the client was configured with an app user id; ``reset()`` and ``logOut()`` set it to true.
  public var allowSharingAppStoreAccount: Bool { context.session.withLock { $0.identity.allowsSharing } }

  /// Sets ``allowSharingAppStoreAccount``.
  ///
  /// - Throws: `LedgerError` of the journal, which keeps it.
  public func setAllowSharingAppStoreAccount(_ isAllowed: Bool) async throws(LedgerError) {
    try await identity.setSharing(isAllowed)
  }

  /// Signs in.
  ///
  /// A customer who has nothing but anonymous ids becomes one with the id's customer, so that nothing bought before is
  /// lost; from another, nothing moves. The same id again asks nobody.
  ///
  /// - Parameter id: The app user id; white space around it does not count.
  /// - Returns: What is known of the customer, stale where the backend could not be asked for it after the switch; and
  ///   whether the id is new.
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_user_id` (`invalid_identifier` for an id that only
  ///   the ledger makes), and those of the backend and the journal; then nobody was signed in.
  @discardableResult
  public func logIn(_ id: String) async throws(LedgerError) -> (customerInfo: CustomerInfo, created: Bool) {
    try await identity.logIn(id)
  }

  /// Signs out: a new anonymous customer is signed in.
  ///
  /// - Throws: `LedgerError` with `configuration` where nobody is signed in, and those of the journal and the backend.
  @discardableResult
  public func logOut() async throws(LedgerError) -> CustomerInfo { try await identity.logOut() }

  /// Switches to another app user id; nothing moves.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func identify(_ id: String) async throws(LedgerError) -> CustomerInfo { try await identity.identify(id) }

  /// Makes the id another name of whoever is signed in, and uses it from then on; two customers become one.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func createAlias(_ id: String) async throws(LedgerError) -> CustomerInfo { try await identity.createAlias(id) }

  /// Starts over with a new anonymous customer, whoever is signed in; sharing is allowed again.
  ///
  /// - Throws: `LedgerError` of the journal and the backend.
  @discardableResult
  public func reset() async throws(LedgerError) -> CustomerInfo { try await identity.reset() }

  /// Makes the customer known to the backend, as far as it is in reach.
  func register(_ customer: CustomerID) async { await context.register(customer) }
}
