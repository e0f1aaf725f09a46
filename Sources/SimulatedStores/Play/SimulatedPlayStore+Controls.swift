public import GemLedger
internal import StoreBackend

// Every method that takes a token throws `purchase_not_found` where the store knows no such purchase.
extension SimulatedPlayStore {
  /// A pending payment arrives: the purchase comes through the updates, and the three days begin.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the purchase is not pending.
  public func approvePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.approve(row, now: now)
      return nil
    }
  }

  /// A pending payment does not come; the app is told nothing, and the purchase is gone.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the purchase is not pending.
  public func declinePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.decline(row, now: now)
      return nil
    }
  }

  /// Gives units back, and where none is left, takes the purchase away; the backend is told.
  ///
  /// - Parameters:
  ///   - token: The purchase.
  ///   - quantity: How many units; nil for all that are left.
  ///   - source: Who does it.
  ///   - reason: Why.
  /// - Throws: `LedgerError` with `invalid_request` where it is not paid for or has fewer units, `already_refunded`.
  public func refund(
    token: StoreTransactionID, quantity: Int64? = nil, source: VoidedPurchase.Source = .developer,
    reason: VoidedPurchase.Reason = .other
  ) throws(LedgerError) {
    if let found = purchase(token: token), found.state == .canceled, found.transaction.revocation != nil {
      throw LedgerError(.alreadyRefunded, "The store gave all money for the purchase back already.")
    }
    try control(token) { shop, row, now in
      guard row.isPaid else { return "It is not paid for." }
      let units = quantity ?? row.refundableQuantity
      guard units > 0, units <= row.refundableQuantity else {
        return "\(row.refundableQuantity) units can be refunded."
      }
      shop.void(row, units: units, source: source, reason: reason, now: now)
      return nil
    }
  }

  /// Lets a subscription end with its period.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where it is no running subscription.
  public func cancelSubscription(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, _ in
      guard row.isPaid, row.period != nil else { return "It is no running subscription." }
      var row = row
      row.willAutoRenew = false
      shop.record(.row(row))
      return nil
    }
  }

  /// Removes all purchases, as if they had never been; their tokens are not used again.
  public func clearPurchases() throws(LedgerError) { try keeper.act { shop, _ in shop.clear() } }

  private func control(
    _ token: StoreTransactionID, _ body: (inout PlayShop, PlayRow, Timestamp) -> String?
  ) throws(LedgerError) {
    let problem = try keeper.act { shop, now -> LedgerError? in
      guard let row = shop.row(token) else { return Self.notFound }
      return body(&shop, row, now).map { .invalid("The purchase: \($0)") }
    }
    if let problem { throw problem }
  }
}

extension SimulatedPlayStore {
  /// Makes the store misbehave, on top of what it does already.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where a fault could never strike, such as an interrupted purchase,
  ///   which Google Play does not have.
  public func inject(_ plan: FaultPlan) throws(LedgerError) {
    guard !plan.faults.contains(where: { $0.effect == .interrupt }) else {
      throw .invalid("Google Play knows no interrupted purchases.")
    }
    try keeper.inject(plan)
  }

  /// Makes the store misbehave in one way more.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the fault could never strike.
  public func inject(_ fault: StoreFault) throws(LedgerError) { try inject(FaultPlan([fault])) }

  /// The faults that can still strike.
  public var faults: [StoreFault] { keeper.look { $0.desk.faults.armed.map(\.fault) } }

  /// Ends all faults, or those of one API.
  public func clearFaults(on api: StoreAPI? = nil) throws(LedgerError) { try keeper.clearFaults(on: api) }

  /// What the store tells the backend from now on; each call starts a stream of its own, and takes nothing away.
  public func notices() -> AsyncStream<StoreNotice> { keeper.notices() }

  /// What waits for the backend, oldest first; it waits until it is taken, across processes, the last 10,000 at most.
  public func pendingNotices(limit: Int = 100) -> [NumberedNotice] { keeper.pendingNotices(limit: limit) }

  /// The backend has taken everything up to the notice with this number.
  public func settleNotices(through id: Int64) throws(LedgerError) { try keeper.settleNotices(through: id) }

  /// Takes what waits for the backend, oldest first.
  public func takeNotices(limit: Int = 100) throws(LedgerError) -> [StoreNotice] {
    try keeper.takeNotices(limit: limit)
  }
}
