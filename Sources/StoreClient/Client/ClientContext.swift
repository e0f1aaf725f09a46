internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// The shared state of all parts of a client.
final class ClientContext: Sendable {
  let configuration: StoreClient.Configuration
  let store: Store
  let backend: any PurchaseBackend
  let storefront: any Storefront
  let queue: ReceiptQueue
  let pipeline: ReceiptPipeline
  let log: ClientLog
  let funnel: Funnel
  let session: Mutex<Session>
  let delegateCalls = DelegateCalls()
  let balances = Mutex(BalanceCache())
  let balanceBroadcast = Broadcast<VirtualCurrencies>(buffer: .bufferingNewest(1))
  let infoBroadcast = Broadcast<CustomerInfo>(buffer: .bufferingNewest(1))

  /// The state of a running client that is not stored.
  struct Session {
    var identity: Identity
    /// Customers that are certainly registered with the backend.
    var registered: Set<CustomerID> = []
    var purchasesInProgress: [ProductCode] = []
    var info: CustomerInfo?
    /// The generation of the customer's state; every event that may change it increments it.
    var infoGeneration: UInt64 = 0
    var isInfoFresh = false
    var offerings: Offerings?
    /// The end of the offerings' freshness.
    var offeringsFreshUntil: Timestamp?
    /// Whether the known products are outdated.
    var mustAskForOfferings = false
    /// Whether this client has seen all refunds made while the app was closed.
    var hasLookedForRefunds = false
    /// Receipts that were credited before this client posted them.
    var replayed: Set<ReceiptKey> = []
    /// The backend's latest answers, for purchases that another try of the same receipt credited.
    var answers = LastAnswers()
    /// Customers created by a sign-in that could not be stored on the device.
    var created: Set<CustomerID> = []
    /// Receipts whose credit the app learnt recently; an update may be faster than the answer to its purchase.
    var told = LastKeys()
    /// The keys of spends by product with a lost answer.
    var openConsumptions: [OpenConsumption: [IdempotencyKey]] = [:]
    /// Whether the readers of balances last received those of the previous customer.
    var balancesAreAnothers = false
    weak var client: StoreClient?
  }

  init(configuration: StoreClient.Configuration, queue: ReceiptQueue, identity: Identity) {
    self.configuration = configuration
    self.queue = queue
    store = configuration.storefront.store
    log = ClientLog(level: configuration.logLevel, handler: configuration.logHandler)
    backend = LoggedBackend(decorated: configuration.mode.backend, log: log)
    storefront = LoggedStorefront(decorated: configuration.storefront, log: log)
    session = Mutex(Session(identity: identity))
    funnel = Funnel(isEnabled: configuration.isFunnelEnabled, clock: configuration.clock)
    pipeline = ReceiptPipeline(
      queue: queue, backend: backend, storefront: storefront, clock: configuration.clock,
      settings: ReceiptPipeline.Settings(
        retry: configuration.retry, randomness: configuration.randomness,
        isTwoStep: configuration.purchaseStyle == .twoStep,
        provisionalAfter: configuration.mode.isLocal ? nil : configuration.provisionalAfter,
        onStep: configuration.onStep))
  }

  /// The app user id of the signed-in customer.
  var appUserID: CustomerID { session.withLock { $0.identity.customer } }

  /// Registers the customer with the backend if it is reachable; a failure does not fail a purchase.
  func register(_ customer: CustomerID) async {
    guard !session.withLock({ $0.registered.contains(customer) }) else { return }
    do throws(LedgerError) {
      _ = try await backend.register(customer)
      session.withLock { _ = $0.registered.insert(customer) }
    } catch {
      log(.debug, "The customer could not be registered yet: \(error)")
    }
  }

  func newKey() -> IdempotencyKey {
    var generator = DrawnNumbers(draw: configuration.randomness)
    return .timeOrdered(at: configuration.clock.now(), using: &generator)
  }

  func storeError(_ failure: StoreFailure) -> LedgerError {
    LedgerError(failure, isSimulated: store == .test || configuration.apiKey.hasPrefix("test_"))
  }
}

extension ClientContext.Session {
  /// Returns whether the backend's name of an owner is a name of the signed-in customer.
  func isOwn(_ owner: CustomerID) -> Bool {
    owner == identity.customer || info?.record.ids.contains(owner) == true
  }
}

extension ClientContext.Session {
  /// Returns the known state unless an event or the end of an entitlement may have changed it since.
  func freshInfo(at now: Timestamp) -> CustomerInfo? {
    guard let info, isInfoFresh else { return nil }
    let hasRunOut = info.entitlements.ordered.contains { $0.isActive && $0.expiresAt.map { $0 <= now } ?? false }
    return hasRunOut ? nil : info
  }
}

/// Random numbers from a closure.
struct DrawnNumbers: RandomNumberGenerator {
  let draw: @Sendable () -> UInt64

  mutating func next() -> UInt64 { draw() }
}
