public import GemLedger
public import StoreBackend
internal import Synchronization

/// The name that RevenueCat's readers look for.
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

  /// Makes a client.
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

  /// Makes the shared client, and replaces an earlier one.
  ///
  /// - Throws: `LedgerError` as ``init(configuration:)``; the earlier one stays then.
  @_disfavoredOverload
  @discardableResult
  public static func configure(with configuration: Configuration) throws(LedgerError) -> StoreClient {
    try start(with: configuration)
  }

  /// Makes the shared client with these settings.
  package static func start(with configuration: Configuration) throws(LedgerError) -> StoreClient {
    let client = try StoreClient(configuration: configuration)
    share(client)
    return client
  }

  /// Replaces the shared client.
  static func share(_ client: StoreClient) { common.withLock { $0 = client } }

  /// Makes the shared client, and replaces an earlier one.
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

  /// The client that ``configure(with:)`` made; asking for it before is a mistake of the program, and ends it.
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

  /// Lets go of the shared client.
  public static func removeShared() { common.withLock { $0 = nil } }

  /// The least important messages that are logged, where a client's configuration says nothing else.
  public static var logLevel: LogLevel {
    get { ClientLog.sharedLevel }
    set { ClientLog.sharedLevel = newValue }
  }

  /// The receiver of the messages of clients without a handler of their own; standard error at first.
  public static var logHandler: LogHandler {
    get { ClientLog.sharedHandler }
    set { ClientLog.sharedHandler = newValue }
  }
}

// MARK: Telling the app

/// A listener for events that the app did not ask for.
///
/// Every method may be left out. All are called on the main actor, one after the other in the order of the events, so
/// that a view model conforms in one line: `extension ShopModel: PurchasesDelegate {}` with the methods it needs.
public protocol StoreClientDelegate: AnyObject {
  /// The customer's state changed.
  @MainActor func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo)
  /// A purchase was credited: once each, whether its call waited for that or not.
  @MainActor func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID)
}

extension StoreClientDelegate {
  /// Nothing.
  @MainActor public func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo) {}
  /// Nothing.
  @MainActor public func purchases(
    _ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID
  ) {}
}

extension StoreClient {
  /// The listener for events that the app did not ask for; not retained by the client.
  ///
  /// A new listener is told the known state of the customer, and then all events that follow. Code outside of the main
  /// actor may set it too, which Swift 6 warns of, as the listener need not be `Sendable`.
  @preconcurrency @MainActor public var delegate: (any StoreClientDelegate)? {
    get { context.delegateCalls.listener.object }
    set {
      guard newValue !== context.delegateCalls.listener.object else { return }
      context.delegateCalls.listener = DelegateCalls.Listener(object: newValue)
      if let info = cachedCustomerInfo { context.delegateCalls.send { $0.purchases(self, receivedUpdated: info) } }
    }
  }

  /// The steps of purchases as they happen; a stream of its own for each asking.
  ///
  /// The first events are kept for the first stream. A reader that falls a thousand events behind misses the next ones.
  public var funnelEvents: AsyncStream<FunnelEvent> { funnel.stream() }

  /// Whether the purchase funnel is reported.
  public var isFunnelEnabled: Bool {
    get { funnel.isEnabled }
    set { funnel.isEnabled = newValue }
  }
}
