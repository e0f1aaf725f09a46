public import GemLedger
public import StoreBackend

/// A store account: who pays, on however many devices; several customers of a game may share one.
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
  /// No dialog is shown, and nobody is asked. See ``SimulatedStore/buyProduct(identifier:options:account:)``.
  @discardableResult
  public func buyProduct(
    identifier: String, options: [SimulatedPurchaseOption] = []
  ) throws(LedgerError) -> SimulatedTransaction {
    try store.buyProduct(identifier: identifier, options: options, account: name)
  }
}

/// StoreKit's `Product.PurchaseOption`, as far as tests need it.
public enum SimulatedPurchaseOption: Hashable, Sendable {
  /// How many units.
  case quantity(Int64)
  /// Who buys.
  case appAccountToken(AccountToken)
  /// Whether somebody else has to agree first.
  case simulatesAskToBuyInSandbox(Bool)
}

/// A transaction with all that the store knows; StoreKit's `SKTestTransaction`.
public struct SimulatedTransaction: Hashable, Sendable, Identifiable {
  /// How far it came.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Paid for.
    case purchased
    /// Waiting for somebody to agree, or for the customer to settle something.
    case deferred
    /// It came to nothing.
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
  /// How far it came.
  public let state: State
  /// When it was bought.
  public let purchaseDate: Timestamp
  /// When the paid period ends.
  public let expirationDate: Timestamp?
  /// When money was given back.
  public let cancelDate: Timestamp?
  /// Whether the subscription goes on by itself.
  public let autoRenewingEnabled: Bool
  /// Whether the customer has something to settle with the store first.
  public let hasPurchaseIssue: Bool
  /// Whether somebody else has to agree first.
  public let pendingAskToBuyConfirmation: Bool
  /// Whether somebody was asked to agree to a higher price, and has not answered.
  public let pendingPriceIncreaseConsent: Bool
  /// Whether the app has said that it is credited.
  public let isFinished: Bool
  /// The store's record of it as it stands.
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
