internal import GemLedger
internal import StoreBackend

extension PlayStoreState {
  /// The maximum number of renewals of a subscription, which bounds the work of one move of the clock.
  private static let renewalsMax: Int64 = 10_000

  /// Records that the app has granted the goods; returns nil if that is recorded, now or before.
  mutating func acknowledge(_ token: StoreTransactionID, of account: String?) -> BillingResponseCode? {
    guard let row = row(token), account.map({ $0.hasBytes(of: row.account) }) ?? true, row.state != .canceled else {
      return .itemNotOwned
    }
    guard row.isPaid else { return .developerError }
    if !row.isAcknowledged { record(.acknowledged(row.serial)) }
    return nil
  }

  /// Records that the app has granted the goods, and the purchase may be made again.
  mutating func consume(_ token: StoreTransactionID, of account: String?) -> BillingResponseCode? {
    guard let row = row(token), account.map({ $0.hasBytes(of: row.account) }) ?? true, row.isOwned else {
      return .itemNotOwned
    }
    guard row.isPaid, row.period == nil else { return .developerError }
    record(.consumed(row.serial))
    return nil
  }

  /// Refunds and removes a purchase that was not acknowledged within three days.
  mutating func missDeadline(_ serial: UInt64, at: Timestamp) {
    guard let row = rows[serial], row.deadline == at else { return }
    void(row, units: row.refundableQuantity, source: .google, reason: .unacknowledged, now: at)
  }

  /// Refunds units; if none is left, removes the purchase.
  mutating func void(
    _ row: PlayRow, units: Int64, source: VoidedPurchase.Source, reason: VoidedPurchase.Reason, now: Timestamp
  ) {
    var row = row
    let stamp = row.nextStamp(now)
    row.refundedQuantity += units
    let isPartial = row.refundedQuantity < row.transaction.quantity
    let extent: StoreTransaction.Revocation.Extent = isPartial ? .totalQuantity(row.refundedQuantity) : .full
    row.transaction.revocation = StoreTransaction.Revocation(revokedAt: stamp, extent: extent)
    row.transaction.signedAt = stamp
    if !isPartial {
      row.state = .canceled
      row.willAutoRenew = false
    }
    let purchase = VoidedPurchase(
      purchaseToken: row.transaction.id, orderID: row.transaction.orderID, voidedAt: stamp, source: source,
      reason: reason, voidedQuantity: units, isPartial: isPartial)
    row.voided.append(purchase)
    record(.row(row))
    post(.voided, row.transaction, of: row.account, voided: purchase, now: now)
  }

  /// Renews a subscription under the same token and the next order id, or ends it.
  mutating func endPeriod(_ serial: UInt64, at: Timestamp) {
    guard var row = rows[serial], row.isPaid, row.transaction.expiresAt == at,
      let period = row.period.flatMap(SubscriptionPeriod.init)
    else { return }
    row.transaction.signedAt = row.nextStamp(at)
    guard row.willAutoRenew, row.renewalCount < Self.renewalsMax else {
      row.state = .expired
      record(.row(row))
      return
    }
    let price = productIndex.renewalPrice(of: row.transaction.storeProductID, settings.common)
    row.transaction.orderID = "\(orderID(serial))..\(row.renewalCount)"
    row.renewalCount += 1
    row.transaction.reason = .renewal
    row.transaction.price = price ?? row.transaction.price
    row.transaction.storefront = settings.storefront
    row.transaction.purchasedAt = at
    row.transaction.expiresAt = settings.timeRate.end(of: period, from: at)
    record(.row(row))
    effects.append(.step(.paid(row.transaction.id)))
    send(row.update, now: at)
    post(.renewed, row.transaction, of: row.account, now: at)
  }

  mutating func change(_ body: (inout PlaySettings) -> Void) {
    var changed = settings
    body(&changed)
    record(.settings(changed))
  }

  mutating func clear() {
    for serial in rows.keys.sorted() { record(.deleted(serial)) }
  }
}

// The lists for devices.
extension PlayStoreState {
  /// Returns the account's owned and pending purchases, oldest first.
  func listed(of account: String) -> [PlayRow] {
    (accounts[ByteString(account)]?.listed.all ?? []).compactMap { rows[$0] }
  }

  func unfinished(of account: String, after: StoreTransactionID?, limit: Int) -> [TransactionUpdate] {
    // An unknown token was the last of a page that no longer exists: the list begins again.
    let start = after.flatMap { serials[$0] }
    return (accounts[ByteString(account)]?.unfinished.page(after: start, limit: limit) ?? []).compactMap {
      rows[$0]?.update
    }
  }

  func owned(by account: String) -> [TransactionUpdate] { listed(of: account).filter(\.isPaid).map(\.update) }

  func entitlements(of account: String) -> [TransactionUpdate] {
    listed(of: account).filter { $0.isPaid && !$0.isConsumable }.map(\.update)
  }

  /// Shows hidden purchases and sends held-back deliveries, as a query for purchases does.
  mutating func sync(_ account: String, now: Timestamp) {
    for serial in hidden.sorted() {
      guard let row = rows[serial], row.account.hasBytes(of: account), let until = row.hiddenUntil else { continue }
      show(serial, at: until)
    }
    releaseAll(account: account)
  }

  /// Returns the purchases voided in a period, oldest first, from the given position on.
  func voided(
    from start: Timestamp, until end: Timestamp, position: Int, limit: Int, includingPartial: Bool
  ) -> VoidedPage {
    let chosen = voided.filter { $0.voidedAt >= start && $0.voidedAt <= end && (includingPartial || !$0.isPartial) }
    let page = chosen.dropFirst(position).prefix(limit)
    let next = position + page.count
    return VoidedPage(purchases: Array(page), nextToken: next < chosen.count ? String(next) : nil)
  }
}
