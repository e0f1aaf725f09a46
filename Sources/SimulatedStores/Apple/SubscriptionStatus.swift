public import GemLedger
internal import StoreBackend

/// The status of a subscription; StoreKit's `Product.SubscriptionInfo.Status`.
public struct SubscriptionStatus: Hashable, Sendable {
  /// Whether it runs.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// It is paid for.
    case subscribed
    /// It is not paid for, but stays active for a while.
    case inGracePeriod
    /// It is not paid for, and the store still tries to collect the payment.
    case inBillingRetryPeriod
    /// It has ended.
    case expired
    /// It was refunded.
    case revoked
  }

  /// The state of a price increase that needs the customer's consent.
  public enum PriceIncrease: String, Hashable, Sendable, CaseIterable {
    /// No consent was asked for.
    case noIncreasePending
    /// Asked, without an answer.
    case pending
    /// Agreed.
    case agreed
    /// Not agreed: it ends with its period.
    case declined
  }

  /// The product.
  public let productID: String
  /// Whether it runs.
  public let state: State
  /// Whether it renews automatically.
  public let willAutoRenew: Bool
  /// When the paid period ends.
  public let expiresAt: Timestamp
  /// The number of renewals.
  public let renewalCount: Int64
  /// The state of a price increase that needs the customer's consent.
  public let priceIncrease: PriceIncrease
  /// Its latest transaction, unless that was deleted.
  public let latestTransactionID: StoreTransactionID?
}

/// The app's receipt; StoreKit's `AppTransaction`.
public struct AppTransaction: Hashable, Sendable {
  /// The app.
  public let bundleID: String
  /// The world that its purchases belong to.
  public let environment: StoreEnvironment
}

extension AppTransaction {
  init(_ identity: StoreIdentity) { self.init(bundleID: identity.bundleID, environment: identity.environment) }
}

extension SubscriptionStatus {
  init(_ subscription: AppleSubscription, _ shop: borrowing AppleStoreState) {
    self.init(
      productID: subscription.productID, state: State(subscription.state), willAutoRenew: subscription.willAutoRenew,
      expiresAt: subscription.expiresAt, renewalCount: subscription.renewalCount,
      priceIncrease: PriceIncrease(subscription.priceIncrease),
      latestTransactionID: shop.rows[subscription.latestSerial]?.transaction.id)
  }
}

extension SubscriptionStatus.State {
  init(_ state: AppleSubscription.State) {
    switch state {
    case .active: self = .subscribed
    case .inGracePeriod: self = .inGracePeriod
    case .inBillingRetry: self = .inBillingRetryPeriod
    case .expired: self = .expired
    case .revoked: self = .revoked
    }
  }
}

extension SubscriptionStatus.PriceIncrease {
  init(_ answer: AppleSubscription.PriceIncrease?) {
    switch answer {
    case nil: self = .noIncreasePending
    case .pending?: self = .pending
    case .agreed?: self = .agreed
    case .declined?: self = .declined
    }
  }
}
