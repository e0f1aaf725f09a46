#if Server
internal import GemLedger
internal import StoreBackend

// Collects the facts of a request of API v1, and applies the table of `WalletRights`.

extension Call {
  /// Returns the customer in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`, `forbidden`.
  func subscriber(for operation: WalletRights.Operation = .read) throws(LedgerError) -> CustomerID {
    try permitted(CustomerID(name("app_user_id")), for: operation)
  }

  /// Checks that the caller may do this with the customer.
  ///
  /// - Returns: The customer.
  /// - Throws: `LedgerError` with `forbidden`; the detail `needs` names the missing proof.
  func permitted(
    _ customer: CustomerID, for operation: WalletRights.Operation = .read
  ) throws(LedgerError) -> CustomerID {
    _ = try right(to: operation, customer)
    return customer
  }

  /// Returns whether the caller may do this with the customer.
  func may(_ operation: WalletRights.Operation, of customer: CustomerID) throws(LedgerError) -> Bool {
    if case .forbidden = WalletRights.decide(operation, try facts(of: customer, joining: nil)) { return false }
    return true
  }

  /// Returns the caller's right over a customer, or over two ids that would be merged.
  ///
  /// - Throws: `LedgerError` with `forbidden`; the detail `needs` names the missing proof.
  func right(
    to operation: WalletRights.Operation, _ customer: CustomerID, joining other: CustomerID? = nil
  ) throws(LedgerError) -> (decision: WalletRights.Decision, facts: WalletRights.Facts) {
    let facts = try facts(of: customer, joining: other)
    let decision = WalletRights.decide(operation, facts)
    if case .forbidden(let need) = decision { throw .forbidden(operation, need) }
    return (decision, facts)
  }

  /// Books for the session; `work` receives whether the customer must still be anonymous at the commit.
  ///
  /// - Throws: Errors of `work`; `unauthenticated` for a session that ended meanwhile.
  func asSession<Answer>(
    _ work: (_ whileAnonymous: Bool) async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    guard case .session(let own) = caller.kind, own.isAnonymous else { return try await work(false) }
    do throws(LedgerError) { return try await work(true) } catch {
      guard error.code == .conditionFailed else { throw error }
      throw .endedSession
    }
  }

  private func facts(of customer: CustomerID, joining other: CustomerID?) throws(LedgerError) -> WalletRights.Facts {
    let tokens = try provenIDs()
    let side = try side(of: customer, tokens)
    let otherSide = try other.map { (id) throws(LedgerError) in try self.side(of: id, tokens) }
    let isProven = side.isProven || otherSide?.isProven == true
    let kind: WalletRights.Caller =
      switch caller.kind {
      case .secret: .secretKey
      case .session: isProven ? .token : .otherToken
      case .app, .anybody: .publicKey
      }
    let logins = other == nil ? .open : try project.ledger.currentCatalog().settings.logins
    return WalletRights.Facts(kind, side, other: otherSide, logins: logins)
  }

  private func side(of id: CustomerID, _ tokens: [CustomerID]) throws(LedgerError) -> WalletRights.Side {
    let ids = try project.ids(ofCustomer: id)
    let kind: WalletRights.IDKind =
      if let ids {
        if ids.allSatisfy(\.isAnonymous) { .anonymous } else { id.isAnonymous ? .formerAnonymous : .named }
      } else {
        id.isAnonymous ? .newAnonymous : .newNamed
      }
    if case .secret = caller.kind { return WalletRights.Side(kind, isProven: true) }
    return WalletRights.Side(kind, isProven: tokens.contains { $0 == id || ids?.contains($0) == true })
  }

  /// The ids proven by session tokens in the request: its key, and `new_session_token` in its body.
  private func provenIDs() throws(LedgerError) -> [CustomerID] {
    var ids: [CustomerID] = []
    if case .session(let own) = caller.kind { ids.append(own) }
    guard let token = body["new_session_token"]?.text else { return ids }
    do throws(LedgerError) {
      if let id = try project.customer(ofSession: token) { return ids + [id] }
    } catch {
      guard error.code == .unauthenticated else { throw error }
    }
    throw LedgerError(
      .forbidden, "\"new_session_token\" is no token that holds; ask your server for a new one.",
      details: [.text("needs", WalletRights.Need.newSessionToken.rawValue)])
  }
}

extension ServerProject {
  /// Returns all ids of the customer with this id; nil if no customer has it.
  func ids(ofCustomer id: CustomerID) throws(LedgerError) -> [CustomerID]? {
    do throws(LedgerError) { return try ledger.customerIDs(of: id) } catch {
      guard error.code == .customerNotFound else { throw error }
      return nil
    }
  }

  /// Returns the customer of a session token; nil for a token of another project.
  ///
  /// - Throws: `LedgerError` with `unauthenticated` for a token that was changed or has expired, and for any token of
  ///   an anonymous id if its customer has a named id now.
  func customer(ofSession token: String) throws(LedgerError) -> CustomerID? {
    guard let id = try sessions.read(token, now: clock.now()) else { return nil }
    if id.isAnonymous, let ids = try ids(ofCustomer: id), !ids.allSatisfy(\.isAnonymous) { throw .endedSession }
    return id
  }
}

extension LedgerError {
  static let endedSession = LedgerError(
    .unauthenticated,
    "This session token is of an anonymous id, but its customer has signed in. Ask your server for a token of the "
      + "id that signed in.")

  /// Returns an unproven login's error with the missing proof; any other error unchanged.
  var needingProof: LedgerError {
    guard code == .conditionFailed, text("condition") == "movable" else { return self }
    return LedgerError(
      .forbidden, message, details: details + [.text("needs", WalletRights.Need.newSessionToken.rawValue)])
  }

  fileprivate static func forbidden(_ operation: WalletRights.Operation, _ need: WalletRights.Need) -> LedgerError {
    let remedy =
      switch need {
      case .sessionToken: "a session token of the customer; your server gets one with its secret key"
      case .newSessionToken:
        "a session token of the id that is added, as \"new_session_token\"; your server gets one with its secret key"
      case .secretKey: "a secret key, from a server of yours"
      case .namedID: "the id that signed in: the customer's anonymous ids have no session any more"
      }
    return LedgerError(
      .forbidden, "To \(operation.rawValue) needs \(remedy).", details: [.text("needs", need.rawValue)])
  }
}
#endif
