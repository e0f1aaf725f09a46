public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Who is signed in

extension StoreClient {
  /// The app user id of whoever is signed in.
  public var appUserID: CustomerID { session.withLock { $0.identity.customer } }

  /// Whether nobody signed in: the id is one that the client made.
  public var isAnonymous: Bool { session.withLock { $0.identity.isAnonymous } }

  /// Whether several customers may share what one store account bought.
  ///
  /// True at first, unless the client was configured with an app user id; ``reset()`` and ``logOut()`` set it to true.
  public var allowSharingAppStoreAccount: Bool { session.withLock { $0.identity.allowsSharing } }

  /// Sets ``allowSharingAppStoreAccount``.
  ///
  /// - Throws: `LedgerError` of the journal, which keeps it.
  public func setAllowSharingAppStoreAccount(_ isAllowed: Bool) async throws(LedgerError) {
    try await identityTurns.take { () async throws(LedgerError) in
      try become(appUserID, allowsSharing: isAllowed)
    }
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
    let customer = try AppUserID.checked(id)
    let created = try await identityTurns.take { () async throws(LedgerError) -> Bool? in
      let current = appUserID
      guard customer != current else { return nil }
      let registration = try await backend.logIn(customer, from: current)
      // Where the device cannot keep the switch, the next try finds the id known.
      let isCreated = session.withLock { session in
        if registration.isCreated { session.created.insert(customer) }
        return session.created.contains(customer)
      }
      try become(customer)
      session.withLock { _ = $0.created.remove(customer) }
      return isCreated
    }
    guard let created else { return (try await customerInfo(), false) }
    return (await infoAfterSwitch(), created)
  }

  /// Signs out: a new anonymous customer is signed in.
  ///
  /// - Throws: `LedgerError` with `configuration` where nobody is signed in, and those of the journal and the backend.
  @discardableResult
  public func logOut() async throws(LedgerError) -> CustomerInfo {
    try await identityTurns.take { () async throws(LedgerError) in
      guard !isAnonymous else {
        throw LedgerError(
          .configuration, "Nobody is signed in, so nobody can sign out.",
          details: [.integer(LedgerError.revenueCatCodeName, 22)])
      }
      try becomeAnonymous()
    }
    return await infoAfterSwitch()
  }

  /// Switches to another app user id; nothing moves.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func identify(_ id: String) async throws(LedgerError) -> CustomerInfo {
    let customer = try AppUserID.checked(id)
    let isSwitch = try await identityTurns.take { () async throws(LedgerError) in
      guard customer != appUserID else { return false }
      _ = try await backend.register(customer)
      try become(customer)
      return true
    }
    return isSwitch ? await infoAfterSwitch() : try await customerInfo()
  }

  /// Makes the id another name of whoever is signed in, and uses it from then on; two customers become one.
  ///
  /// - Throws: `LedgerError` as ``logIn(_:)``.
  @discardableResult
  public func createAlias(_ id: String) async throws(LedgerError) -> CustomerInfo {
    let alias = try AppUserID.checked(id)
    let isSwitch = try await identityTurns.take { () async throws(LedgerError) in
      guard alias != appUserID else { return false }
      _ = try await backend.createAlias(alias, of: appUserID)
      try become(alias)
      return true
    }
    return isSwitch ? await infoAfterSwitch() : try await customerInfo()
  }

  /// Starts over with a new anonymous customer, whoever is signed in; sharing is allowed again.
  ///
  /// - Throws: `LedgerError` of the journal and the backend.
  @discardableResult
  public func reset() async throws(LedgerError) -> CustomerInfo {
    try await identityTurns.take { () async throws(LedgerError) in try becomeAnonymous() }
    return await infoAfterSwitch()
  }

  /// What is known of whoever signed in just now.
  ///
  /// The switch is done and kept, so that a backend that cannot be asked is no failure of it: the answer is stale then.
  private func infoAfterSwitch() async -> CustomerInfo {
    do throws(LedgerError) { return try await customerInfo() } catch {
      log(.debug, "What is known of the customer could not be asked for after the switch: \(error)")
      return lastInfo(of: appUserID)
    }
  }

  private func becomeAnonymous() throws(LedgerError) {
    try become(AppUserID.anonymous(configuration.randomness), allowsSharing: true)
  }

  /// Changes who is signed in: durable first, so that a restart never falls back to somebody else.
  private func become(_ customer: CustomerID, allowsSharing: Bool? = nil) throws(LedgerError) {
    let identity = Identity(customer: customer, allowsSharing: allowsSharing ?? allowSharingAppStoreAccount)
    try queue.record([.identity(identity)])
    let isNew = session.withLock { session in
      let isNew = session.identity.customer != customer
      session.identity = identity
      if isNew {
        session.info = nil
        session.isInfoFresh = false
        session.infoGeneration += 1
      }
      return isNew
    }
    guard isNew else { return }
    warn(about: customer)
    balances.withLock { $0.invalidate() }
    refreshForListeners()
  }

  /// Makes the customer known to the backend, as far as it is in reach; a purchase does not fail for it.
  func register(_ customer: CustomerID) async {
    guard !session.withLock({ $0.registered.contains(customer) }) else { return }
    do throws(LedgerError) {
      _ = try await backend.register(customer)
      session.withLock { _ = $0.registered.insert(customer) }
    } catch {
      log(.debug, "The customer could not be made known yet: \(error)")
    }
  }
}
