internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Changes the signed-in customer: one switch at a time, durable before it takes effect.
struct IdentitySwitch: ClientPart {
  let context: ClientContext
  private let turns = AsyncMutex()

  init(context: ClientContext) { self.context = context }

  func setSharing(_ isAllowed: Bool) async throws(LedgerError) {
    try await turns.take { () async throws(LedgerError) in
      try become(context.appUserID, allowsSharing: isAllowed)
    }
  }

  func logIn(_ id: String) async throws(LedgerError) -> (customerInfo: CustomerInfo, created: Bool) {
    let customer = try AppUserID.checked(id)
    let created = try await turns.take { () async throws(LedgerError) -> Bool? in
      let current = appUserID
      guard customer != current else { return nil }
      let registration = try await backend.logIn(customer, from: current)
      // If the device cannot store the switch, the next try finds a known id.
      let isCreated = context.session.withLock { session in
        if registration.isCreated { session.created.insert(customer) }
        return session.created.contains(customer)
      }
      try become(customer)
      context.session.withLock { _ = $0.created.remove(customer) }
      return isCreated
    }
    guard let created else { return (try await customerInfo.current(), false) }
    return (await infoAfterSwitch(), created)
  }

  func logOut() async throws(LedgerError) -> CustomerInfo {
    try await turns.take { () async throws(LedgerError) in
      guard !context.session.withLock({ $0.identity.isAnonymous }) else {
        throw LedgerError(
          .configuration, "Cannot sign out: no customer is signed in.",
          details: [.integer(LedgerError.revenueCatCodeName, 22)])
      }
      try becomeAnonymous()
    }
    return await infoAfterSwitch()
  }

  func identify(_ id: String) async throws(LedgerError) -> CustomerInfo {
    let customer = try AppUserID.checked(id)
    let isSwitch = try await turns.take { () async throws(LedgerError) in
      guard customer != appUserID else { return false }
      _ = try await backend.register(customer)
      try become(customer)
      return true
    }
    return isSwitch ? await infoAfterSwitch() : try await customerInfo.current()
  }

  func createAlias(_ id: String) async throws(LedgerError) -> CustomerInfo {
    let alias = try AppUserID.checked(id)
    let isSwitch = try await turns.take { () async throws(LedgerError) in
      guard alias != appUserID else { return false }
      _ = try await backend.createAlias(alias, of: appUserID)
      try become(alias)
      return true
    }
    return isSwitch ? await infoAfterSwitch() : try await customerInfo.current()
  }

  func reset() async throws(LedgerError) -> CustomerInfo {
    try await turns.take { () async throws(LedgerError) in try becomeAnonymous() }
    return await infoAfterSwitch()
  }

  /// Returns the state of the customer that just signed in.
  ///
  /// The switch is stored, so an unreachable backend does not fail it: the answer is stale then.
  private func infoAfterSwitch() async -> CustomerInfo {
    do throws(LedgerError) { return try await customerInfo.current() } catch {
      log(.debug, "The customer info could not be requested after the switch: \(error)")
      return customerInfo.last(of: appUserID)
    }
  }

  private func becomeAnonymous() throws(LedgerError) {
    try become(AppUserID.anonymous(configuration.randomness), allowsSharing: true)
  }

  /// Changes the signed-in customer: durable first, so that a restart never returns to another customer.
  private func become(_ customer: CustomerID, allowsSharing: Bool? = nil) throws(LedgerError) {
    let identity = Identity(
      customer: customer, allowsSharing: allowsSharing ?? context.session.withLock { $0.identity.allowsSharing })
    try queue.record([.identity(identity)])
    let isNew = context.session.withLock { session in
      let isNew = session.identity.customer != customer
      session.identity = identity
      if isNew {
        session.info = nil
        session.isInfoFresh = false
        session.infoGeneration += 1
        session.balancesAreAnothers = true
      }
      return isNew
    }
    guard isNew else { return }
    warn(about: customer)
    balances.invalidate()
    context.balanceBroadcast.send { balances.lastKnown }
    balances.refreshForListeners()
  }

  func warn(about customer: CustomerID) {
    if let warning = AppUserID.warning(about: customer) { log(.warn, warning) }
  }
}
