public import GemLedger
public import StoreBackend

/// A store account, which pays on any number of devices; several customers of a game may share one.
public struct StoreAccount: Sendable {
  /// The store.
  public let store: SimulatedStore
  /// Its name.
  public let name: String

  /// A device that is signed in to the account; made when it is first named.
  public func device(_ name: String) -> StoreDevice { StoreDevice(account: self, name: name) }

  /// Everything that happened on the account, failed attempts too, oldest first.
  public func transactions() -> [SimulatedTransaction] {
    store.allTransactions().filter { $0.account.hasBytes(of: name) }
  }

  /// Buys without a device, as by a promotion; every device of the account learns of it through its updates.
  ///
  /// No dialog is shown, and no question is asked. See ``SimulatedStore/buyProduct(identifier:options:account:)``.
  @discardableResult
  public func buyProduct(
    identifier: String, options: [SimulatedPurchaseOption] = []
  ) throws(LedgerError) -> SimulatedTransaction {
    try store.buyProduct(identifier: identifier, options: options, account: name)
  }
}

/// StoreKit's `Product.PurchaseOption`, as far as tests need it.
public enum SimulatedPurchaseOption: Hashable, Sendable {
  /// The number of units.
  case quantity(Int64)
  /// The buyer.
  case appAccountToken(AccountToken)
  /// Whether another person must approve first.
  case simulatesAskToBuyInSandbox(Bool)
}

/// A transaction with all data of the store; StoreKit's `SKTestTransaction`.
public struct SimulatedTransaction: Hashable, Sendable, Identifiable {
  /// The state of a transaction.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Paid for.
    case purchased
    /// Waiting for another person's approval, or for the customer to resolve an issue.
    case deferred
    /// It failed.
    case failed
  }

  /// Its id.
  public let identifier: StoreTransactionID
  /// The first transaction of the same subscription.
  public let originalTransactionIdentifier: StoreTransactionID
  /// The product.
  public let productIdentifier: String
  /// The account that paid.
  public let account: String
  /// The state of the transaction.
  public let state: State
  /// When it was bought.
  public let purchaseDate: Timestamp
  /// When the paid period ends.
  public let expirationDate: Timestamp?
  /// When it was refunded.
  public let cancelDate: Timestamp?
  /// Whether the subscription renews automatically.
  public let autoRenewingEnabled: Bool
  /// Whether the customer must resolve an issue with the store first.
  public let hasPurchaseIssue: Bool
  /// Whether another person must approve first.
  public let pendingAskToBuyConfirmation: Bool
  /// Whether a question for consent to a higher price has no answer yet.
  public let pendingPriceIncreaseConsent: Bool
  /// Whether the app has finished it.
  public let isFinished: Bool
  /// The store's current record of it.
  public let transaction: StoreTransaction

  /// Its id.
  public var id: StoreTransactionID { identifier }
}

extension SimulatedTransaction {
  init(_ row: AppleRow, _ subscription: AppleSubscription?) {
    identifier = row.transaction.id
    originalTransactionIdentifier = row.transaction.originalID
    productIdentifier = row.transaction.storeProductID
    account = row.account
    state = row.isPurchased ? .purchased : row.state == .failed ? .failed : .deferred
    purchaseDate = row.transaction.purchasedAt
    expirationDate = row.transaction.expiresAt
    cancelDate = row.transaction.revocation?.revokedAt
    autoRenewingEnabled = subscription?.willAutoRenew ?? false
    let isLatest = subscription?.latestSerial == row.serial
    hasPurchaseIssue =
      row.state == .issue
      || isLatest && (subscription?.state == .inBillingRetry || subscription?.state == .inGracePeriod)
    pendingAskToBuyConfirmation = row.state == .deferred
    pendingPriceIncreaseConsent = isLatest && subscription?.priceIncrease == .pending
    isFinished = row.isFinished
    transaction = row.transaction
  }
}
