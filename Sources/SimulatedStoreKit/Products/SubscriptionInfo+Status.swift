internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Product.SubscriptionInfo {
  /// The status of a subscription.
  public struct Status: Hashable, Sendable {
    /// Whether it runs.
    public let state: RenewalState
    /// Its latest transaction.
    public let transaction: VerificationResult<Transaction>
    /// The plan for the end of the paid period.
    public let renewalInfo: VerificationResult<RenewalInfo>
  }

  /// Whether a subscription runs.
  public struct RenewalState: RawRepresentable, Hashable, Sendable {
    /// Apple's number of it.
    public let rawValue: Int

    /// Makes a state with Apple's number of it.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It is paid for.
    public static let subscribed = RenewalState(rawValue: 1)
    /// It has ended.
    public static let expired = RenewalState(rawValue: 2)
    /// It is not paid for, and the store still tries to collect the payment.
    public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
    /// It is not paid for, but stays active for a while.
    public static let inGracePeriod = RenewalState(rawValue: 4)
    /// It was refunded.
    public static let revoked = RenewalState(rawValue: 5)
  }

  /// The plan for the end of the paid period.
  ///
  /// The simulated store signs no such information, so its JWS is left out.
  public struct RenewalInfo: Hashable, Sendable {
    /// The state of a price increase that needs the customer's consent.
    @nonexhaustive
    public enum PriceIncreaseStatus: Hashable, Sendable {
      /// No consent is asked for.
      case noIncreasePending
      /// Asked, without an answer.
      case pending
      /// Agreed.
      case agreed
    }

    /// The first transaction of the subscription.
    public let originalTransactionID: UInt64
    /// The product that runs.
    public let currentProductID: String
    /// Whether it renews.
    public let willAutoRenew: Bool
    /// The product that it renews to; nil if it does not renew.
    public let autoRenewPreference: String?
    /// Whether the store still tries to collect the money for a renewal.
    public let isInBillingRetry: Bool
    /// The time of the renewal; nil if it does not renew.
    public let renewalDate: Date?
    /// The state of a price increase that needs the customer's consent.
    public let priceIncreaseStatus: PriceIncreaseStatus
    /// The world that the subscription belongs to.
    public let environment: AppStore.Environment
  }
}

extension Product.SubscriptionInfo.Status {
  init(_ status: SubscriptionStatus, _ latest: StoreTransaction, _ result: VerificationResult<Transaction>) {
    state = Product.SubscriptionInfo.RenewalState(status.state)
    transaction = result
    let info = Product.SubscriptionInfo.RenewalInfo(status, latest)
    renewalInfo =
      switch transaction {
      case .verified: .verified(info)
      case .unverified(_, let error): .unverified(info, error.of(Product.SubscriptionInfo.RenewalInfo.self))
      }
  }
}

extension Product.SubscriptionInfo.RenewalInfo {
  init(_ status: SubscriptionStatus, _ latest: StoreTransaction) {
    originalTransactionID = latest.originalID.number
    currentProductID = status.productID
    willAutoRenew = status.willAutoRenew
    autoRenewPreference = status.willAutoRenew ? status.productID : nil
    isInBillingRetry = status.state == .inBillingRetryPeriod || status.state == .inGracePeriod
    renewalDate = status.willAutoRenew ? status.expiresAt.date : nil
    priceIncreaseStatus =
      switch status.priceIncrease {
      case .pending: .pending
      case .agreed: .agreed
      case .noIncreasePending, .declined: .noIncreasePending
      }
    environment = AppStore.Environment(latest.environment)
  }
}

extension Product.SubscriptionInfo.RenewalState {
  init(_ state: SubscriptionStatus.State) {
    switch state {
    case .subscribed: self = .subscribed
    case .inGracePeriod: self = .inGracePeriod
    case .inBillingRetryPeriod: self = .inBillingRetryPeriod
    case .expired: self = .expired
    case .revoked: self = .revoked
    }
  }
}
