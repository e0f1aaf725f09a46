internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// The outcome of a payment, before anything is signed.
struct PaymentAnswer: Sendable {
  enum Result: Sendable {
    case success(TransactionUpdate)
    case pending
    case userCancelled
    case failure(StoreFailure)
  }

  var result: Result
  /// The transaction that was paid for now, whatever result the app receives.
  var paid: StoreTransactionID?
  /// How long the answer takes.
  var slowness: Duration?
}

extension AppleStoreState {
  /// The most units in one purchase.
  static let quantityMax: Int64 = 10

  /// Decides a customer's purchase on a device, and the answer to the app.
  mutating func purchase(
    _ request: StorePaymentRequest, simulatesAskToBuy: Bool = false, by buyer: DeviceName, now: Timestamp
  ) -> PaymentAnswer {
    var faults = consult(.purchase, account: buyer.account, device: buyer.device)
    if simulatesAskToBuy { faults.append(.askToBuy) }
    let serial = lastSerial
    var answer = PaymentAnswer(result: decide(request, by: buyer, faults, now: now), slowness: faults.slowness)
    guard case .success(let update) = answer.result else { return answer }
    // Else it is an earlier transaction, without a payment.
    if lastSerial > serial { answer.paid = update.transaction.id }
    // A lost answer is lost all the same.
    answer.result = reported(answer.result, faults)
    return answer
  }

  /// Returns the result of a successful purchase as reported to the app.
  private func reported(_ result: PaymentAnswer.Result, _ faults: [StoreFault.Effect]) -> PaymentAnswer.Result {
    if faults.cutsAfter { return .failure(.networkError) }
    if faults.contains(.reportsCancelled) { return .userCancelled }
    if faults.contains(.reportsPending) { return .pending }
    return result
  }

  private mutating func decide(
    _ request: StorePaymentRequest, by buyer: DeviceName, _ faults: [StoreFault.Effect], now: Timestamp
  ) -> PaymentAnswer.Result {
    if let failure = faults.failureBefore { return .failure(failure) }
    if case .store(let failure)? = settings.simulatedErrors[.purchase] { return .failure(failure) }
    let order: Order
    switch check(request, by: buyer) {
    case .success(let checked): order = checked
    case .failure(let failure): return .failure(failure)
    }
    if let owned = ownedAlready(order) { return .success(owned.update) }
    if faults.contains(.cancel) || !settings.disableDialogs && settings.customerCancelsDialogs {
      return .userCancelled
    }
    if settings.failTransactionsEnabled {
      book(order, as: .failed, now: now)
      return settings.failureError == .userCancelled ? .userCancelled : .failure(settings.failureError)
    }
    if settings.interruptedPurchasesEnabled || faults.contains(.interrupt) {
      book(order, as: .issue, now: now)
      return .userCancelled
    }
    if settings.askToBuyEnabled || faults.contains(.askToBuy) {
      book(order, as: .deferred, now: now)
      return .pending
    }
    return .success(pay(order, faults, now: now))
  }

  /// Pays on a device, and sends updates to the account's devices that do not receive the answer.
  private mutating func pay(_ order: Order, _ faults: [StoreFault.Effect], now: Timestamp) -> TransactionUpdate {
    let isReported = !faults.cutsAfter && !faults.contains(.reportsCancelled) && !faults.contains(.reportsPending)
    var row = row(for: order, as: .purchased, now: now)
    row.knownToBuyer = isReported && !faults.contains(.duplicate)
    row.hiddenUntil = faults.delay.map { now.advanced(by: $0) }
    row.unverified = faults.unverified
    var answer = applyDue(paid: row, now: now).update
    answer.exceptDevice = nil
    return answer
  }

  /// Records a payment and shows the transaction, unless it is hidden.
  @discardableResult
  mutating func applyDue(paid row: AppleRow, now: Timestamp) -> AppleRow {
    var row = row
    startSubscription(&row, now: now)
    record(.row(row))
    if row.hiddenUntil == nil { send(row.update, now: now) }
    if settings.sendsOneTimeChargeNotices, row.transaction.reason == .purchase {
      post(.oneTimeCharge, row.transaction, of: row.account, now: now)
    }
    return row
  }

  /// Shows a hidden transaction once it is due.
  mutating func show(_ serial: UInt64, at: Timestamp) {
    guard var row = rows[serial], row.hiddenUntil == at else { return }
    row.hiddenUntil = nil
    record(.row(row))
    send(row.update, now: at)
  }
}

// From a request to a row.
extension AppleStoreState {
  /// A request that can be paid for.
  struct Order: Sendable {
    var product: Product
    var storeProductID: String
    var quantity: Int64
    var total: Money
    var token: AccountToken?
    var offer: StoreTransaction.Offer?
    var account: String
    var device: String?
  }

  func check(_ request: StorePaymentRequest, by buyer: DeviceName) -> Result<Order, StoreFailure> {
    let (product, price): (Product, Price)
    switch productIndex.offer(request.productID, settings.common) {
    case .success(let offer): (product, price) = offer
    case .failure(let failure): return .failure(failure)
    }
    guard product.type != .autoRenewableSubscription || product.period.flatMap(SubscriptionPeriod.init) != nil else {
      return .failure(.productUnavailable)
    }
    let most = product.type.allowsQuantity ? Self.quantityMax : 1
    guard (1...most).contains(request.quantity), let total = price.total(of: request.quantity) else {
      return .failure(.invalidQuantity)
    }
    return .success(
      Order(
        product: product, storeProductID: request.productID, quantity: request.quantity, total: total,
        token: request.accountToken, account: buyer.account, device: buyer.device))
  }

  /// Returns the earlier transaction that the store returns instead of taking money.
  private func ownedAlready(_ order: Order) -> AppleRow? {
    let account = accounts[ByteString(order.account)]
    let product = ByteString(order.storeProductID)
    switch order.product.type.kind {
    case .consumable:
      guard settings.repurchaseReturnsUnfinished else { return nil }
      return account?.unfinishedByProduct[product]?.first.flatMap { rows[$0] }
    case .nonConsumable:
      return account?.owned[product].flatMap { rows[$0] }.flatMap { $0.transaction.revocation == nil ? $0 : nil }
    case .autoRenewableSubscription:
      let key = SubscriptionKey(account: order.account, productID: order.storeProductID)
      return subscriptions[key].flatMap { $0.isEntitling ? rows[$0.latestSerial] : nil }
    case .nonRenewingSubscription: return nil
    }
  }

  mutating func book(_ order: Order, as state: AppleRow.State, now: Timestamp) {
    record(.row(row(for: order, as: state, now: now)))
  }

  func row(for order: Order, as state: AppleRow.State, now: Timestamp) -> AppleRow {
    let transaction = StoreTransaction(
      store: identity.store, environment: identity.environment, id: id(lastSerial + 1), bundleID: identity.bundleID,
      storeProductID: order.storeProductID, productType: order.product.type,
      subscriptionGroupID: order.product.type == .autoRenewableSubscription
        ? productIndex.group(of: order.storeProductID) : nil,
      quantity: order.quantity, price: order.total, storefront: settings.storefront, accountToken: order.token,
      purchasedAt: now, offer: order.offer, signedAt: now)
    return AppleRow(
      serial: lastSerial + 1, account: order.account, state: state, transaction: transaction, device: order.device)
  }
}

extension AppleStoreState.Order {
  /// Applies an offer code; a free first period of a subscription is a trial.
  mutating func take(_ code: OfferCode, in storefront: StorefrontCode) {
    total = code.total(in: storefront)
    offer = StoreTransaction.Offer(
      kind: .code, identifier: code.identifier,
      isFreeTrial: total.minorUnits == 0 && product.type.isSubscription)
  }
}

extension ProductType {
  /// Whether several units can be bought at once.
  var allowsQuantity: Bool { self == .consumable || self == .nonRenewingSubscription }
}
