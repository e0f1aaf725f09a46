internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// The outcome of a payment at Google Play, before anything is signed.
struct PlayAnswer: Sendable {
  enum Result: Sendable {
    case purchased(PlayRow)
    case pending(PlayRow)
    /// The account has it, or waits for it.
    case alreadyOwned(PlayRow)
    case userCanceled
    case failure(StoreFailure)
  }

  var result: Result
  /// The transaction that was paid for now, whatever result the app receives.
  var paid: StoreTransactionID?
  var slowness: Duration?
}

extension PlayStoreState {
  /// The maximum number of units in one purchase of a consumable.
  static let quantityMax: Int64 = 99

  /// The duration of slow payments.
  private static let slowPayment = Duration.seconds(300)

  mutating func purchase(_ request: StorePaymentRequest, by buyer: DeviceName, now: Timestamp) -> PlayAnswer {
    let faults = consult(.purchase, account: buyer.account, device: buyer.device)
    var answer = PlayAnswer(result: decide(request, by: buyer, faults, now: now), slowness: faults.slowness)
    guard case .purchased(let row) = answer.result else { return answer }
    answer.paid = row.transaction.id
    if faults.cutsAfter {
      answer.result = .failure(.networkError)
    } else if faults.contains(.reportsCancelled) {
      answer.result = .userCanceled
    } else if faults.contains(.reportsPending) {
      answer.result = .pending(row)
    }
    return answer
  }

  private mutating func decide(
    _ request: StorePaymentRequest, by buyer: DeviceName, _ faults: [StoreFault.Effect], now: Timestamp
  ) -> PlayAnswer.Result {
    if let failure = faults.failureBefore { return .failure(failure) }
    if case .store(let failure)? = settings.simulatedErrors[.purchase] { return .failure(failure) }
    var row: PlayRow
    switch newRow(request, by: buyer, now: now) {
    case .success(let new): row = new
    case .failure(let failure): return .failure(failure)
    }
    let product = ByteString(request.productID)
    if let owned = accounts[ByteString(buyer.account)]?.ownedByProduct[product].flatMap({ rows[$0] }) {
      return .alreadyOwned(owned)
    }
    if faults.contains(.cancel) || settings.customerCancelsSheets { return .userCanceled }
    switch faults.contains(.askToBuy) ? .cash : settings.instrument {
    case .declines: return .userCanceled
    case .slowApproves, .slowDeclines, .cash:
      row.state = .pending
      row.pendingApproves = settings.instrument == .slowApproves
      let isSlow = !faults.contains(.askToBuy) && settings.instrument != .cash
      row.pendingUntil = isSlow ? now.advanced(by: Self.slowPayment) : nil
      record(.row(row))
      return .pending(row)
    case .approves:
      row.hiddenUntil = faults.delay.map { now.advanced(by: $0) }
      row.unverified = faults.unverified
      book(paid: row, now: now)
      let isReported = !faults.cutsAfter && !faults.contains(.reportsCancelled) && !faults.contains(.reportsPending)
      // Google sends nothing to other devices; they query purchases when they return to the foreground.
      if !isReported || faults.contains(.duplicate), row.hiddenUntil == nil {
        var update = row.update
        update.onlyDevice = buyer.device
        send(update, now: now)
      }
      return .purchased(row)
    }
  }

  /// Returns the new purchase, or the reason why it cannot be bought.
  private func newRow(
    _ request: StorePaymentRequest, by buyer: DeviceName, now: Timestamp
  ) -> Result<PlayRow, StoreFailure> {
    productIndex.offer(request.productID, settings.common).flatMap { product, price in
      let period = product.type == .autoRenewableSubscription ? product.period.flatMap(SubscriptionPeriod.init) : nil
      if product.type == .autoRenewableSubscription, period == nil { return .failure(.productUnavailable) }
      let most = product.type == .consumable ? Self.quantityMax : 1
      guard (1...most).contains(request.quantity), let total = price.total(of: request.quantity) else {
        return .failure(.invalidQuantity)
      }
      let serial = lastSerial + 1
      let order = settings.omitsOrderIDs && period == nil ? nil : orderID(serial)
      let transaction = StoreTransaction(
        store: identity.store, environment: identity.environment, id: token(serial), orderID: order,
        bundleID: identity.bundleID, storeProductID: request.productID, productType: product.type,
        subscriptionGroupID: period == nil ? nil : request.productID, quantity: request.quantity, price: total,
        storefront: settings.storefront, accountToken: request.accountToken, purchasedAt: now,
        expiresAt: period.map { settings.timeRate.end(of: $0, from: now) }, signedAt: now)
      return .success(
        PlayRow(
          serial: serial, account: buyer.account, state: .purchased, transaction: transaction, device: buyer.device,
          period: period == nil ? nil : product.period, willAutoRenew: period != nil))
    }
  }

  /// Redeems a promo code: a purchase without a price.
  mutating func redeem(_ code: String, by buyer: DeviceName, now: Timestamp) -> Result<Void, BillingResponseCode> {
    guard let offer = settings.offerCodes[ByteString(code)] else { return .failure(.developerError) }
    var row: PlayRow
    switch newRow(StorePaymentRequest(productID: offer.productID), by: buyer, now: now) {
    case .success(let new): row = new
    case .failure(let failure): return .failure(BillingResponseCode(failure))
    }
    guard accounts[ByteString(buyer.account)]?.ownedByProduct[ByteString(offer.productID)] == nil else {
      return .failure(.itemAlreadyOwned)
    }
    row.transaction.price = offer.total(in: settings.storefront)
    // Marks the purchase as a promotion: no other field shows that it was free.
    row.transaction.offer = StoreTransaction.Offer(kind: .code, identifier: offer.identifier)
    if row.period == nil { row.transaction.orderID = nil }
    book(paid: row, now: now)
    effects.append(.step(.paid(row.transaction.id)))
    send(row.update, now: now)
    return .success(())
  }

  private mutating func book(paid row: PlayRow, now: Timestamp) {
    record(.row(row))
    if settings.sendsPurchaseNotices { post(.oneTimePurchased, row.transaction, of: row.account, now: now) }
  }
}

// The end of a slow payment.
extension PlayStoreState {
  mutating func endPayment(_ serial: UInt64, at: Timestamp) {
    guard let row = rows[serial], row.state == .pending, row.pendingUntil == at else { return }
    if row.pendingApproves { approve(row, now: at) } else { decline(row, now: at) }
  }

  /// The payment arrived; only now do the three days begin.
  mutating func approve(_ row: PlayRow, now: Timestamp) {
    var row = row
    row.state = .purchased
    row.pendingUntil = nil
    row.transaction.purchasedAt = now
    row.transaction.originalPurchasedAt = now
    row.transaction.signedAt = row.nextStamp(now)
    if let period = row.period.flatMap(SubscriptionPeriod.init) {
      row.transaction.expiresAt = settings.timeRate.end(of: period, from: now)
    }
    book(paid: row, now: now)
    effects.append(.step(.paid(row.transaction.id)))
    send(row.update, now: now)
  }

  /// Removes a purchase that was not paid for; the app no longer sees it.
  mutating func decline(_ row: PlayRow, now: Timestamp) {
    var row = row
    row.state = .canceled
    row.pendingUntil = nil
    row.transaction.signedAt = row.nextStamp(now)
    record(.row(row))
    if settings.sendsPurchaseNotices { post(.oneTimeCanceled, row.transaction, of: row.account, now: now) }
  }

  mutating func show(_ serial: UInt64, at: Timestamp) {
    guard var row = rows[serial], row.hiddenUntil == at else { return }
    row.hiddenUntil = nil
    record(.row(row))
    send(row.update, now: at)
  }
}
