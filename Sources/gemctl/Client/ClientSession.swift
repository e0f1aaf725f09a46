import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

/// The client's side for one command: the simulated store, the backend over the ledger, and the client between them.
struct ClientSession: Sendable {
  let ledger: Ledger
  let store: any LocalShop
  let backend: LocalBackend
  /// The way to the backend, which can be cut.
  let network: FaultyBackend
  let client: StoreClient
  /// The device that pays.
  let storefront: ArmedStorefront
  let receipts: any SimulatedReceipts
  /// The unreadable parts of the store's file.
  let storeProblems: [FileEventLog.Problem]
  /// The store account that pays.
  private let account: String

  /// - Parameters:
  ///   - home: The home that stores the state of client and store after the command, or nil.
  ///   - customer: The acting customer; nil for the signed-in customer.
  ///   - clientLog: The client's open file; nil without a home.
  ///   - clock: The time of the home's store and client.
  init(
    _ invocation: Invocation, _ state: Home.State, home: Home?, customer: CustomerID?, clientLog: FileEventLog?,
    clock: VirtualClock, onStep: (@Sendable (PurchaseStep) -> Void)?, ledger: Ledger
  ) throws(LedgerError) {
    let settings = invocation.settings
    let catalog = try ledger.currentCatalog()
    let opened = try HomeShop(state, in: home, selling: catalog, clock: clock, timeout: invocation.timeout)
    (store, receipts, storeProblems) = (opened.shop, opened.receipts, opened.problems)
    self.ledger = ledger
    backend = LocalBackend(
      ledger: ledger, verifier: receipts, policy: BackendPolicy(sandboxReceipts: .anybody),
      delivery: settings.deliver.map(CommandDelivery.init))
    network = FaultyBackend(backend)
    let who = customer ?? state.customer
    account = settings.storeAccount ?? who.text
    storefront = ArmedStorefront(store.device(account: account, name: settings.device ?? "device"), of: store)
    var configuration = StoreClient.Configuration(
      apiKey: state.store == .apple ? "appl_gemctl" : "goog_gemctl", appUserID: who.text, mode: .payment(network),
      storefront: storefront, eventLog: clientLog)
    configuration.clock = clock.storeClock
    configuration.bundleID = catalog.settings.bundleID ?? "com.example.app"
    configuration.isAutomatic = false
    configuration.keepsIdentity = customer == nil
    configuration.isFunnelEnabled = false
    configuration.validationTimeout = nil
    configuration.provisionalAfter = nil
    configuration.logLevel = .error
    configuration.logHandler = { _, _ in }  // What matters is in the queue, and in what the verbs print.
    configuration.onStep = onStep
    client = try StoreClient(configuration: configuration)
  }

  /// Finishes the work of earlier commands: the store's notices to the backend, the queue, and unfinished transactions.
  func recover() async throws(LedgerError) {
    try await deliverNotices()
    await client.drainReceipts()
  }

  /// Passes the store's notices to the backend: renewals, refunds, and reversed refunds.
  func deliverNotices() async throws(LedgerError) {
    while true {
      let notices = store.pendingNotices()
      guard let last = notices.last else { return }
      for numbered in notices {
        switch numbered.notice {
        case .refunded(let evidence), .refundReversed(let evidence), .revoked(let evidence), .voided(_, let evidence):
          if let text = numbered.signedText {
            try await backend.apply(signedNotice: text)
          } else {
            try await backend.apply(evidence: evidence.receipt)
          }
        case .renewed(let evidence) where store.store == .google:
          // The next renewal replaces this transaction in all lists.
          try await backend.apply(evidence: evidence.receipt)
        case .oneTimeCharge, .renewed, .consumptionRequest, .refundDeclined, .oneTimePurchased, .oneTimeCanceled:
          // Paid purchases are credited from the queue, to their buyer.
          continue
        }
      }
      try store.acknowledgeNotices(through: last.id)
    }
  }

  /// Whether the ledger has credited the purchase, to any customer.
  func isCredited(_ transaction: StoreTransaction) throws(LedgerError) -> Bool {
    let purchase = try ledger.purchase(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID)
    return purchase != nil
  }

  /// How many purchases wait for their credit, at the store and in the queue.
  var backlogCount: Int {
    let unfinished = store.transactions().count { $0.isPaid && !$0.isFinished && $0.account.hasBytes(of: account) }
    return max(client.queueCounts.pending, unfinished)
  }

  /// The account's purchases that were interrupted, oldest first.
  var interruptedPayments: [ShopTransaction] {
    store.transactions().filter { $0.isInterrupted && $0.account.hasBytes(of: account) }
  }

  /// The account's pending purchase: the first purchase after the order, else the newest.
  func pendingPayment(of code: ProductCode, _ order: Order?) -> StoreTransactionID? {
    let pending = store.transactions().filter { $0.isPending && $0.account.hasBytes(of: account) }
    guard let order else { return pending.last?.id }
    // A product that left the catalog has no id to compare.
    let storeID = (try? ledger.product(code))?.storeIDs[store.store.description]
    let fitting = pending.filter { $0.pays(for: order.request, storeProductID: storeID) }
    return (fitting.first { $0.transaction.purchasedAt >= order.createdAt } ?? fitting.last)?.id
  }

  /// Whether no work is left for a later command to finish.
  ///
  /// A purchase that was refused its credit waits for a person, and not for a command.
  var isComplete: Bool {
    let queue = client.queueItems
    let refused = Set(queue.filter { $0.status == .deadLettered }.map(\.storeTransactionID))
    return queue.count == refused.count
      && store.transactions().allSatisfy { $0.isFinished || !$0.isPaid || refused.contains($0.id) }
  }
}
