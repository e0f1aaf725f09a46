public import GemLedger
public import StoreBackend
internal import Synchronization

/// The client's name in RevenueCat's SDK.
public typealias Purchases = StoreClient

/// The app's side of buying: the shop window, purchases that survive every crash, balances, and the signed-in customer.
///
/// ```swift
/// StoreClient.defaults.mode = .payment(backend)
/// StoreClient.defaults.storefront = storefront
/// Purchases.configure(withAPIKey: "appl_…")
/// let offerings = try await Purchases.shared.offerings()
/// ```
///
/// There is one shared client, and any number of free ones: they share nothing but the settings of the log. All methods
/// can be called from any thread. Completions and the delegate are called on the main actor, other closures on any
/// thread.
///
/// ## Topics
///
/// ### Setting up
/// - ``configure(withAPIKey:appUserID:)``
/// - ``Defaults-swift.struct``
/// - ``configure(with:)``
/// - ``shared``
/// - ``init(configuration:)``
///
/// ### Buying
/// - ``offerings()``
/// - ``purchase(package:)``
/// - ``purchase(order:)``
/// - ``restorePurchases()``
///
/// ### Balances
/// - ``virtualCurrencies()``
/// - ``cachedVirtualCurrencies``
/// - ``balanceUpdates``
///
/// ### Identity
/// - ``logIn(_:)``
/// - ``logOut()``
///
/// ### The receipt queue
/// - ``receiptQueueSnapshot()``
/// - ``syncPurchases()``
public final class StoreClient: Sendable {
  /// The client's settings.
  public let configuration: Configuration
  let context: ClientContext
  let identity: IdentitySwitch
  let work: QueueWork

  var queue: ReceiptQueue { context.queue }
  var pipeline: ReceiptPipeline { context.pipeline }
  var funnel: Funnel { context.funnel }
  var infoSource: CustomerInfoSource { CustomerInfoSource(context: context) }
  var balanceSource: BalanceSource { BalanceSource(context: context) }
  var offeringsSource: OfferingsSource { OfferingsSource(context: context) }

  /// Creates a client.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `configuration` for a secret or unfitting key,
  ///   `invalid_user_id`, and those of the event log.
  public convenience init(configuration: Configuration) throws(LedgerError) {
    let key = try APIKey(configuration.apiKey)
    try key.check(fits: configuration.storefront.store)
    let wanted: CustomerID? =
      if let id = configuration.appUserID { try AppUserID.checked(id) } else { nil }
    let queue = try ReceiptQueue(eventLog: configuration.eventLog)
    self.init(configuration, queue: queue, identity: try Identity(wanted, in: queue, configuration))
    reportStart(key)
    funnel.send(.sdkInit)
    if configuration.isAutomatic { work.start() }
  }

  /// A client with checked settings, which has not started yet.
  init(_ configuration: Configuration, queue: ReceiptQueue, identity signedIn: Identity) {
    self.configuration = configuration
    context = ClientContext(configuration: configuration, queue: queue, identity: signedIn)
    identity = IdentitySwitch(context: context)
    work = QueueWork(context: context)
    context.session.withLock { $0.client = self }
    work.observePipeline()
  }

  deinit {
    work.stop()
    // Losing these records only repeats harmless work.
    _ = context.queue.note([])
    context.balanceBroadcast.finish()
    context.infoBroadcast.finish()
    context.funnel.finish()
  }

  private func reportStart(_ key: APIKey) {
    if key.store == nil { context.log(.warn, "The API key has no known prefix; its store is taken from the shop.") }
    identity.warn(about: customerID)
    var events = queue.unknown.map { ReceiptPipelineEvent.unknownRecord($0) }
    if let log = configuration.eventLog as? any DamageReporting { events += log.problems.map { .damaged($0) } }
    for event in events { context.log(.error, "The receipt queue: \(event)") }
    pipeline.observe { $0.unheard = events }
  }
}

// MARK: The shared client

extension StoreClient {
  private static let common = Mutex<StoreClient?>(nil)

  /// Creates the shared client, and replaces an earlier client.
  ///
  /// - Throws: `LedgerError` as ``init(configuration:)``; the earlier client remains then.
  @_disfavoredOverload
  @discardableResult
  public static func configure(with configuration: Configuration) throws(LedgerError) -> StoreClient {
    try start(with: configuration)
  }

  /// Creates the shared client with these settings.
  package static func start(with configuration: Configuration) throws(LedgerError) -> StoreClient {
    let client = try StoreClient(configuration: configuration)
    share(client)
    return client
  }

  /// Replaces the shared client.
  static func share(_ client: StoreClient) { common.withLock { $0 = client } }

  /// Creates the shared client, and replaces an earlier client.
  ///
  /// - Throws: `LedgerError` as ``init(configuration:)``.
  @_disfavoredOverload
  @discardableResult
  public static func configure(
    withAPIKey apiKey: String, appUserID: String? = nil, mode: Mode, storefront: any Storefront,
    eventLog: (any EventLog)? = nil
  ) throws(LedgerError) -> StoreClient {
    try start(
      with: Configuration(
        apiKey: apiKey, appUserID: appUserID, mode: mode, storefront: storefront, eventLog: eventLog))
  }

  /// The client of ``configure(with:)``; reading it before is a programmer error that ends the program.
  public static var shared: StoreClient {
    guard let client = common.withLock({ $0 }) else {
      preconditionFailure("There is no shared client yet: call StoreClient.configure first.")
    }
    return client
  }

  /// Whether there is a shared client.
  public static var isConfigured: Bool { sharedIfConfigured != nil }

  /// The shared client; nil before there is one.
  package static var sharedIfConfigured: StoreClient? { common.withLock { $0 } }

  /// Releases the shared client.
  public static func removeShared() { common.withLock { $0 = nil } }

  /// The lowest level of logged messages, unless a client's configuration sets it.
  public static var logLevel: LogLevel {
    get { ClientLog.sharedLevel }
    set { ClientLog.sharedLevel = newValue }
  }

  /// The receiver of messages of clients without a handler; standard error by default.
  public static var logHandler: LogHandler {
    get { ClientLog.sharedHandler }
    set { ClientLog.sharedHandler = newValue }
  }
}

// MARK: Telling the app

/// A listener for events without a call of the app.
///
/// All methods are optional. They are called on the main actor, one after another in the order of the events, so that a
/// view model conforms in one line: `extension ShopModel: PurchasesDelegate {}` with the methods it needs.
public protocol StoreClientDelegate: AnyObject {
  /// The customer's state changed.
  @MainActor func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo)
  /// A purchase was credited: called once for each, whether its call waited for that or not.
  @MainActor func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID)
}

extension StoreClientDelegate {
  /// Does nothing.
  @MainActor public func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo) {}
  /// Does nothing.
  @MainActor public func purchases(
    _ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID
  ) {}
}

extension StoreClient {
  /// The listener for events without a call of the app; not retained by the client.
  ///
  /// A new listener receives the known state of the customer, and then all later events. Code outside of the main actor
  /// may set it too, with a warning of Swift 6, as the listener need not be `Sendable`.
  @preconcurrency @MainActor public var delegate: (any StoreClientDelegate)? {
    get { context.delegateCalls.listener.object }
    set {
      guard newValue !== context.delegateCalls.listener.object else { return }
      context.delegateCalls.listener = DelegateCalls.Listener(object: newValue)
      if let info = cachedCustomerInfo { context.delegateCalls.send { $0.purchases(self, receivedUpdated: info) } }
    }
  }

  /// The steps of purchases as they happen; each access starts a separate stream.
  ///
  /// The first events are kept for the first stream. A reader that is a thousand events late misses the next events.
  public var funnelEvents: AsyncStream<FunnelEvent> { funnel.stream() }

  /// Whether the purchase funnel is reported.
  public var isFunnelEnabled: Bool {
    get { funnel.isEnabled }
    set { funnel.isEnabled = newValue }
  }
}
