internal import GemLedger
internal import StoreBackend

extension AppleStoreState {
  /// The maximum number of renewals, which bounds the work of one move of the clock; then the subscription lapses.
  static let renewalsMax: Int64 = 10_000

  private static let retryDays: Int64 = 60

  /// Gives a bought subscription its period, and begins it or takes it up again.
  mutating func startSubscription(_ row: inout AppleRow, now: Timestamp) {
    guard row.transaction.productType == .autoRenewableSubscription, row.transaction.reason == .purchase,
      let text = productIndex[row.transaction.storeProductID]?.period, let period = SubscriptionPeriod(text)
    else { return }
    let key = SubscriptionKey(account: row.account, productID: row.transaction.storeProductID)
    let expiresAt = settings.timeRate.end(of: period, from: now)
    row.transaction.expiresAt = expiresAt
    var originalSerial = row.serial
    // A group has one original transaction for a customer, through lapses and changes.
    let group = members(ofGroupOf: key)
    if let first = group.map(\.originalSerial).min(), let original = rows[first] {
      originalSerial = original.serial
      row.transaction.originalID = original.transaction.id
      row.transaction.originalPurchasedAt = original.transaction.purchasedAt
    }
    endOthers(inGroupOf: key, now: now)
    record(
      .subscription(
        AppleSubscription(
          account: row.account, productID: key.productID, period: text, originalSerial: originalSerial,
          latestSerial: row.serial, expiresAt: expiresAt)))
  }

  /// The end of a period, of grace, or of the attempts to collect the money.
  mutating func applyDue(_ key: SubscriptionKey, at: Timestamp) {
    guard var subscription = subscriptions[key], subscription.nextDue == at else { return }
    switch subscription.state {
    case .active: endPeriod(subscription, at: at)
    case .inGracePeriod:
      subscription.state = .inBillingRetry
      let end = settings.timeRate.end(ofDays: Self.retryDays, from: subscription.expiresAt)
      // If a time rate makes all spans as long as a period, grace and retry follow each other.
      subscription.waitsUntil = end > at ? end : settings.timeRate.end(ofDays: Self.retryDays, from: at)
      record(.subscription(subscription))
    case .inBillingRetry: expire(subscription)
    case .expired, .revoked: break
    }
  }

  private mutating func endPeriod(_ subscription: AppleSubscription, at: Timestamp) {
    var subscription = subscription
    let hasConsent = subscription.priceIncrease == nil || subscription.priceIncrease == .agreed
    guard subscription.willAutoRenew, hasConsent, subscription.renewalCount < Self.renewalsMax else {
      return expire(subscription)
    }
    guard settings.shouldEnterBillingRetryOnRenewal else { return renew(subscription, at: at, from: at) }
    if settings.billingGracePeriodIsEnabled {
      let isWeekly = SubscriptionPeriod(subscription.period).map { $0.nominalDays <= 7 } ?? false
      subscription.state = .inGracePeriod
      subscription.waitsUntil = settings.timeRate.end(ofDays: isWeekly ? 6 : 16, from: at)
    } else {
      subscription.state = .inBillingRetry
      subscription.waitsUntil = settings.timeRate.end(ofDays: Self.retryDays, from: at)
    }
    record(.subscription(subscription))
  }

  /// Takes money for the next period.
  mutating func renew(_ subscription: AppleSubscription, at: Timestamp, from start: Timestamp) {
    guard let last = rows[subscription.latestSerial], let period = SubscriptionPeriod(subscription.period) else {
      return
    }
    let expiresAt = settings.timeRate.end(of: period, from: start)
    var transaction = last.transaction
    transaction.id = id(lastSerial + 1)
    transaction.reason = .renewal
    transaction.price = productIndex.renewalPrice(of: subscription.productID, settings.common) ?? transaction.price
    transaction.offer = nil
    transaction.storefront = settings.storefront
    transaction.purchasedAt = at
    transaction.expiresAt = expiresAt
    transaction.revocation = nil
    transaction.signedAt = at
    let row = AppleRow(serial: lastSerial + 1, account: last.account, state: .purchased, transaction: transaction)
    var subscription = subscription
    subscription.latestSerial = row.serial
    subscription.expiresAt = expiresAt
    subscription.state = .active
    subscription.waitsUntil = nil
    subscription.priceIncrease = nil
    subscription.renewalCount += 1
    endOthers(inGroupOf: subscription.key, now: at)
    record(.subscription(subscription))
    applyDue(paid: row, now: at)
    effects.append(.step(.paid(transaction.id)))
    post(.renewed, transaction, of: row.account, now: at)
    shareAgain(last, as: row, now: at)
  }

  /// The account's subscriptions of a group that were ever bought.
  func members(ofGroupOf key: SubscriptionKey) -> [AppleSubscription] {
    let group = productIndex.group(of: key.productID)
    return subscriptions(of: key.account).filter { productIndex.group(of: $0.productID).hasBytes(of: group) }
  }

  /// Whether another subscription of the group runs.
  func hasRunningOther(inGroupOf key: SubscriptionKey) -> Bool {
    members(ofGroupOf: key).contains { $0.key != key && $0.isEntitling }
  }

  /// One subscription of a group runs at a time: the one bought or renewed last replaces the others.
  private mutating func endOthers(inGroupOf key: SubscriptionKey, now: Timestamp) {
    for var other in members(ofGroupOf: key) where other.key != key && other.nextDue != nil {
      other.expiresAt = min(other.expiresAt, now)
      expire(other)
    }
  }

  private mutating func expire(_ subscription: AppleSubscription) {
    var subscription = subscription
    subscription.state = .expired
    subscription.willAutoRenew = false
    subscription.waitsUntil = nil
    record(.subscription(subscription))
  }
}

// The tests' controls of subscriptions.
extension AppleStoreState {
  /// The subscriptions to a product, of one account or of all, in the order of accounts.
  func subscriptions(to productID: String, account: String?) -> [AppleSubscription] {
    subscriptions.values.filter { subscription in
      subscription.productID.hasBytes(of: productID) && account.map { $0.hasBytes(of: subscription.account) } ?? true
    }.sorted { $0.account < $1.account }
  }

  func subscriptions(of account: String) -> [AppleSubscription] {
    (accounts[ByteString(account)]?.subscribed ?? []).compactMap { product in
      subscriptions[SubscriptionKey(account: account, productID: product.text)]
    }
  }

  func subscription(of id: StoreTransactionID) -> AppleSubscription? {
    // A family member's subscription is its buyer's.
    guard let row = row(id), row.sharedSerial == nil else { return nil }
    return subscriptions[SubscriptionKey(account: row.account, productID: row.transaction.storeProductID)]
  }

  /// Ends a subscription now.
  mutating func expireNow(_ subscription: AppleSubscription, now: Timestamp) {
    var subscription = subscription
    subscription.expiresAt = min(subscription.expiresAt, now)
    expire(subscription)
    guard var row = rows[subscription.latestSerial] else { return }
    row.transaction.expiresAt = subscription.expiresAt
    row.transaction.signedAt = row.nextStamp(now)
    record(.row(row))
    send(TransactionUpdate(transaction: row.transaction, account: row.account), now: now)
  }

  /// Renews before its time: a running period is made longer, an ended one begins now.
  mutating func renewNow(_ subscription: AppleSubscription, now: Timestamp) {
    renew(subscription, at: now, from: max(subscription.expiresAt, now))
  }

  mutating func change(_ subscription: AppleSubscription, _ body: (inout AppleSubscription) -> Void) {
    var changed = subscription
    body(&changed)
    record(.subscription(changed))
  }
}

extension AppleRow {
  /// Returns the signing time of a change: later than all earlier times, even if the clock is stopped.
  func nextStamp(_ now: Timestamp) -> Timestamp { max(now, transaction.signedAt.advanced(milliseconds: 1)) }
}
