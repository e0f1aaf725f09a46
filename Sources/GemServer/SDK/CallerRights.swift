#if Server
internal import GemLedger
internal import StoreBackend

// What callers of API v1 may do to which customer. A public key lies in every copy of an app, so it proves nothing
// about the person who sends it; an anonymous id is known to its own device alone, and proves that device.

extension Call {
  /// The customer in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`; `forbidden` for another customer than the session's.
  func subscriber() throws(LedgerError) -> CustomerID { try permitted(CustomerID(name("app_user_id"))) }

  /// Checks that the caller may read and post for the customer.
  ///
  /// - Returns: The customer.
  /// - Throws: `LedgerError` with `forbidden` for another customer than the session's.
  func permitted(_ customer: CustomerID) throws(LedgerError) -> CustomerID {
    guard case .session(let own) = caller.kind else { return customer }
    guard try isSame(own, customer) else {
      throw LedgerError(.forbidden, "This session token is of another customer.", details: [Self.needsSession])
    }
    return customer
  }

  /// Checks that the caller may give up what the customer has: with a session token of the customer or a secret key,
  /// or where all ids of the customer are anonymous.
  ///
  /// - Throws: `LedgerError` with `forbidden`; the detail `needs` is `session_token`.
  func checkMayGive(from customer: CustomerID, _ what: String) throws(LedgerError) {
    switch caller.kind {
    case .secret: return
    case .session: _ = try permitted(customer)
    case .app, .anybody:
      guard try ids(of: customer).allSatisfy(\.isAnonymous) else {
        throw Self.needsSession(what)
      }
    }
  }

  /// Whether the caller has shown nothing but a public key.
  var provesNobody: Bool {
    switch caller.kind {
    case .secret, .session: false
    case .app, .anybody: true
    }
  }

  static func needsSession(_ what: String) -> LedgerError {
    LedgerError(
      .forbidden, "\(what) needs a session token of the customer; your server gets one with its secret key.",
      details: [needsSession])
  }

  private static let needsSession = LedgerError.Detail.text("needs", "session_token")

  private func isSame(_ own: CustomerID, _ other: CustomerID) throws(LedgerError) -> Bool {
    if own == other { return true }
    return try ids(of: own).contains(other)
  }

  /// All ids of the customer; the id alone where no customer has it.
  private func ids(of customer: CustomerID) throws(LedgerError) -> [CustomerID] {
    do throws(LedgerError) { return try project.ledger.customerIDs(of: customer) } catch {
      guard error.code == .customerNotFound else { throw error }
      return [customer]
    }
  }
}
#endif
