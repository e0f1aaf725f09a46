internal import GemLedger
internal import StoreBackend
internal import StoreClient

extension AppleStoreState {
  mutating func change(_ body: (inout AppleSettings) -> Void) {
    var changed = settings
    body(&changed)
    record(.settings(changed))
  }

  /// Completes a deferred purchase after its approval, or an interrupted one after its issue: it is paid for now.
  mutating func complete(_ row: AppleRow, now: Timestamp) {
    var row = row
    row.state = .purchased
    row.transaction.purchasedAt = now
    row.transaction.originalPurchasedAt = now
    row.transaction.signedAt = row.nextStamp(now)
    applyDue(paid: row, now: now)
    effects.append(.step(.paid(row.transaction.id)))
  }

  /// Ends a deferred purchase without approval; the app receives no update.
  mutating func decline(_ row: AppleRow) {
    var row = row
    row.state = .failed
    record(.row(row))
  }

  /// A purchase without a device: by an offer code, a promotion, or a test.
  mutating func buyElsewhere(
    _ request: StorePaymentRequest, by offer: OfferCode? = nil, account: String, now: Timestamp
  ) -> Result<StoreTransactionID, StoreFailure> {
    if case .store(let failure)? = settings.simulatedErrors[.purchase] { return .failure(failure) }
    if settings.failTransactionsEnabled { return .failure(settings.failureError) }
    return check(request, by: DeviceName(account: account, device: "")).map { order in
      var order = order
      if let offer { order.take(offer, in: settings.storefront) }
      var row = row(for: order, as: .purchased, now: now)
      row.device = nil
      applyDue(paid: row, now: now)
      effects.append(.step(.paid(row.transaction.id)))
      return row.transaction.id
    }
  }

  /// Begins the same purchase, but leaves it waiting for another person's approval.
  mutating func deferElsewhere(
    _ request: StorePaymentRequest, account: String, now: Timestamp
  ) -> Result<StoreTransactionID, StoreFailure> {
    check(request, by: DeviceName(account: account, device: "")).map { order in
      book(order, as: .deferred, now: now)
      return id(lastSerial)
    }
  }

  /// Gives money back, or, without a revocation, takes the refund back.
  mutating func revoke(_ row: AppleRow, _ extent: StoreTransaction.Revocation.Extent?, isAppIssue: Bool, now: Timestamp)
  {
    var row = row
    let stamp = row.nextStamp(now)
    row.transaction.signedAt = stamp
    row.transaction.revocation = extent.map {
      StoreTransaction.Revocation(revokedAt: stamp, extent: $0, isAppIssue: isAppIssue)
    }
    record(.row(row))
    if let subscription = subscription(of: row.transaction.id), subscription.latestSerial == row.serial {
      revoke(subscription, isRevoked: extent == .full, now: now)
    }
    if row.isShown { send(TransactionUpdate(transaction: row.transaction, account: row.account), now: now) }
    post(extent == nil ? .refundReversed : .refunded, row.transaction, of: row.account, now: now)
    revokeShares(of: row, now: now)
  }

  private mutating func revoke(_ subscription: AppleSubscription, isRevoked: Bool, now: Timestamp) {
    if isRevoked, subscription.isEntitling {
      change(subscription) { changed in
        changed.state = .revoked
        changed.willAutoRenew = false
        changed.waitsUntil = nil
      }
    } else if !isRevoked, subscription.state == .revoked {
      // The paid period runs on to its end, and ends there.
      let isReplaced = hasRunningOther(inGroupOf: subscription.key)
      change(subscription) { $0.state = $0.expiresAt > now && !isReplaced ? .active : .expired }
    }
  }

  /// As if it had never been.
  mutating func delete(row: AppleRow) {
    let subscription = subscription(of: row.transaction.id)
    record(.deleted(row.serial))
    if let subscription, subscription.latestSerial == row.serial {
      record(.subscriptionDeleted(subscription.key))
    }
  }

  mutating func clear() {
    for serial in rows.keys.sorted() { record(.deleted(serial)) }
    for key in subscriptions.keys { record(.subscriptionDeleted(key)) }
  }

  /// Delivers a transaction once more to every device.
  mutating func redeliver(_ row: AppleRow, now: Timestamp) {
    send(TransactionUpdate(transaction: row.transaction, account: row.account, unverified: row.unverified), now: now)
  }

  /// The customer asks for money back; the store asks the backend.
  mutating func requestRefund(_ row: AppleRow, by device: DeviceName, now: Timestamp) -> RefundRequestFailure? {
    let faults = consult(.refundRequest, account: device.account, device: device.device)
    switch settings.simulatedErrors[.refundRequest] {
    case .refundRequest(let failure)?: return failure
    case .store?: return .failed
    case .verification?, nil: break
    }
    guard faults.failureBefore == nil else { return .failed }
    guard !row.hasRefundRequest, row.transaction.revocation == nil else { return .duplicateRequest }
    var row = row
    row.hasRefundRequest = true
    record(.row(row))
    post(.consumptionRequest, row.transaction, of: row.account, now: now)
    return faults.cutsAfter ? .failed : nil
  }
}
