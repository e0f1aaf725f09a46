internal import GemLedger
public import StoreBackend

extension StoreClient {
  /// The owner of the balances.
  public enum Mode: Sendable {
    /// The balances are on this device: the backend works in this process, over a ledger on the device, and is always
    /// reachable.
    case local(any PurchaseBackend)
    /// A backend owns them; while it is unreachable, purchases queue and the last known balances are shown.
    case payment(any PurchaseBackend)

    var backend: any PurchaseBackend {
      switch self {
      case .local(let backend), .payment(let backend): backend
      }
    }

    var isLocal: Bool {
      switch self {
      case .local: true
      case .payment: false
      }
    }
  }

  /// The purchases that exclude each other.
  public enum PurchaseGuard: Hashable, Sendable {
    /// Any two purchases.
    case perClient
    /// Two purchases of the same product.
    case perProduct
  }

  /// The steps from a purchase to its credit.
  public enum PurchaseStyle: Hashable, Sendable {
    /// The receipt is posted after the payment.
    case direct
    /// An order is made before the payment, and completed with the receipt.
    case twoStep
  }

  /// The settings of a client.
  public struct Configuration: Sendable {
    /// The public key; its prefix `appl_`, `goog_`, `amzn_` or `test_` names the store.
    public var apiKey: String
    /// The signed-in customer; nil for the last customer, or an anonymous customer.
    public var appUserID: String?
    /// The owner of the balances.
    public var mode: Mode
    /// The shop.
    public var storefront: any Storefront
    /// The app's id in its receipts; needed for two-step purchases only.
    public var bundleID = ""
    /// The store of the receipt queue, the identity and the last known balances; nil for none.
    public var eventLog: (any EventLog)?
    /// The client's source of time and waits.
    public var clock = StoreClock.system
    /// Makes anonymous ids, keys and the random part of back-off.
    public var randomness: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    /// The language and region of texts and prices, such as `en_US`.
    public var locale = "en_US"
    /// The lowest level of logged messages; nil for ``StoreClient/logLevel``.
    public var logLevel: LogLevel?
    /// The receiver of the messages; nil for ``StoreClient/logHandler``.
    public var logHandler: LogHandler?
    /// The retries of receipts.
    public var retry = RetryPolicy()
    /// How long a purchase waits for its credit before it is shown as provisional; nil for never.
    public var provisionalAfter: Duration? = .seconds(60)
    /// How long ``StoreClient/purchase(package:)`` waits for the backend before it answers `pendingServerValidation`;
    /// nil for no limit.
    public var validationTimeout: Duration? = .seconds(35)
    /// Whether the purchase funnel is reported.
    public var isFunnelEnabled = true
    /// The purchases that exclude each other.
    public var purchaseGuard = PurchaseGuard.perClient
    /// The steps from a purchase to its credit.
    public var purchaseStyle = PurchaseStyle.direct
    /// The rule of a restore for the entitlements of an owner that signed in.
    ///
    /// `keepWithOwner` applies only if the store account may not be shared. `alias` gives two signed-in customers one
    /// wallet.
    public var restoreBehavior = EntitlementSharing.transfer
    /// Whether the client listens to the store, processes its queue at launch and retries automatically.
    public var isAutomatic = true
    /// Whether a sign-in is stored for the next start; false in a tool that acts for other customers for one call.
    package var keepsIdentity = true
    /// Called after each step of each purchase.
    package var onStep: (@Sendable (PurchaseStep) -> Void)?

    /// A configuration.
    public init(
      apiKey: String, appUserID: String? = nil, mode: Mode, storefront: any Storefront,
      eventLog: (any EventLog)? = nil
    ) {
      self.apiKey = apiKey
      self.appUserID = appUserID
      self.mode = mode
      self.storefront = storefront
      self.eventLog = eventLog
    }
  }
}
