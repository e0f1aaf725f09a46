internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Transaction {
  /// A sequence of transactions.
  public struct Transactions: AsyncSequence, Sendable {
    enum Source: Sendable {
      case updates
      case unfinished
      case all
      case currentEntitlements
    }

    let source: Source
    var productID: String?

    /// Begins an iteration: a list is requested with its first element, and updates are received from now on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
  }

  /// The events outside of a purchase by this app: approvals, renewals, refunds, purchases on other devices.
  ///
  /// The first iteration since the start of the app begins with the unfinished transactions, each once. It ends when
  /// another test session begins, or ``SKTestSession/relaunchApp()`` restarts the app.
  public static var updates: Transactions { Transactions(source: .updates) }

  /// The paid and unfinished transactions, oldest first.
  public static var unfinished: Transactions { Transactions(source: .unfinished) }

  /// The history: without finished consumables, unless these were refunded or the app asks for them.
  public static var all: Transactions { Transactions(source: .all) }

  /// The transactions that entitle the customer to something now: never consumables.
  public static var currentEntitlements: Transactions { Transactions(source: .currentEntitlements) }

  /// Returns the transactions that entitle the customer to a product now; never those of consumables.
  public static func currentEntitlements(for productID: String) -> Transactions {
    Transactions(source: .currentEntitlements, productID: productID)
  }

  /// Returns the newest transaction of a product that entitles the customer to it now; never that of a consumable.
  public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
    await currentEntitlements(for: productID).last()
  }

  /// Returns the newest transaction of a product, if the history shows one.
  public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
    await Transactions(source: .all, productID: productID).last()
  }
}

extension Transaction.Transactions {
  /// A reader of the sequence.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private static let pageLimit = 100

    private let transactions: Transaction.Transactions
    private var attached: AttachedDevice?
    private var updates: AsyncStream<StoreEvidence>?
    private var page: ArraySlice<StoreEvidence> = []
    private var hasMore = true
    private var lastID: StoreTransactionID?

    init(_ transactions: Transaction.Transactions) {
      self.transactions = transactions
      attached = ProcessStore.current
      if transactions.source == .updates { updates = attached?.device.updates() }
    }

    /// The next transaction; nil at the end of a list, and for updates at the end of the app.
    public mutating func next() async -> VerificationResult<Transaction>? {
      if transactions.source == .updates { return await nextUpdate() }
      if page.isEmpty, hasMore { await readPage() }
      return page.popFirst().map(VerificationResult.init)
    }

    private mutating func nextUpdate() async -> VerificationResult<Transaction>? {
      if updates == nil {
        attached = await ProcessStore.next()
        updates = attached?.device.updates()
      }
      let evidence = await updates?.nextElement()
      return evidence.map(VerificationResult.init)
    }

    /// Reads the next page; a list is empty without a test session, and ends if the store cannot be reached, since
    /// StoreKit's sequences report no failure.
    private mutating func readPage() async {
      hasMore = false
      guard let device = attached?.device else { return }
      do throws(StoreFailure) {
        switch transactions.source {
        case .updates: return
        case .unfinished:
          page = try await device.unfinished(after: lastID, limit: Self.pageLimit)[...]
          lastID = page.last?.transaction.id
          hasMore = page.count == Self.pageLimit
        case .all: page = try await device.all()[...]
        case .currentEntitlements: page = try await device.currentEntitlements()[...]
        }
      } catch {
        return
      }
      if let productID = transactions.productID {
        page = page.filter { $0.transaction.storeProductID.hasBytes(of: productID) }[...]
      }
    }
  }

  fileprivate func last() async -> VerificationResult<Transaction>? {
    var last: VerificationResult<Transaction>?
    for await result in self { last = result }
    return last
  }
}
