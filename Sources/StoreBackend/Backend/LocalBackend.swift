public import GemLedger
internal import Synchronization

/// The crediting side in this process: it verifies receipts and books what they prove into a ledger, once.
///
/// ```swift
/// let backend = LocalBackend(ledger: ledger, verifier: try UnsignedReceipts(session: "demo"))
/// let answer = try await backend.post(ReceiptPost(receipt: receipt, customer: alice, source: .purchase))
/// ```
///
/// Everything that must outlive the process lies in the ledger's storage, so any number of backends may serve one
/// ledger. All methods may be called from anywhere at once.
public final class LocalBackend: PurchaseBackend {
  /// Where everything is booked.
  public let ledger: Ledger
  /// What is taken and what is refused.
  public let policy: BackendPolicy

  let verifier: any ReceiptVerifier
  let delivery: (any DeliveryTarget)?
  let clock: LedgerClock
  let randomness: @Sendable () -> UInt64
  let shelves = ShelfCache()
  private let requestSeed: UInt64
  private let requestCount = Atomic<UInt64>(0)

  /// A backend over a ledger.
  ///
  /// - Parameters:
  ///   - ledger: Where everything is booked; its catalog says what is sold.
  ///   - verifier: Reads receipts and proves that the store made them.
  ///   - policy: What is taken and what is refused.
  ///   - delivery: Whom to tell of paid orders, such as a game server; nil where nobody is told.
  ///   - clock: Where it reads the time; nil for the ledger's clock.
  ///   - randomness: Makes purchase codes and request ids; it must not be guessable.
  public init(
    ledger: Ledger, verifier: any ReceiptVerifier, policy: BackendPolicy = BackendPolicy(),
    delivery: (any DeliveryTarget)? = nil, clock: LedgerClock? = nil,
    randomness: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
  ) {
    self.ledger = ledger
    self.verifier = verifier
    self.policy = policy
    self.delivery = delivery
    self.clock = clock ?? ledger.clock
    self.randomness = randomness
    requestSeed = randomness()
  }

  // MARK: Shop window and balances

  /// The offerings and products on sale at the platform's store; packages of other products are left out.
  public func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    let catalog = try reading { (_, shelf) in shelf.catalog }
    let products = catalog.products.filter {
      $0.obstacles(at: app.store.description, storefront: app.storefront).isEmpty
    }
    let listed = Set(products.map(\.code))
    let offerings = catalog.offerings.map { offering in
      Offering(
        id: offering.id, description: offering.description, metadata: offering.metadata,
        packages: offering.packages.filter { listed.contains($0.product) })
    }
    return OfferingsSnapshot(
      offerings: offerings, current: catalog.currentOffering, products: products, currencies: catalog.currencies)
  }

  /// All balances of the customer, zeros included; a customer who was not known comes into being.
  public func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    do throws(LedgerError) {
      return try ledger.balances(of: customer)
    } catch {
      guard error.code == .customerNotFound else { throw error }
    }
    _ = try await register(customer)
    return try ledger.balances(of: customer)
  }

  /// Spends: this backend trusts who calls it.
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Receipt {
    try await ledger.book(LedgerCommand.spend(amounts, customer: customer, key: key))
  }

  // MARK: Shared

  func reading<R>(_ body: (any StorageSnapshot, Shelf) throws(LedgerError) -> R) throws(LedgerError) -> R {
    let shelves = shelves
    return try ledger.storage.read { (snapshot) throws(LedgerError) -> R in
      try body(snapshot, try shelves.shelf(in: snapshot))
    }
  }

  /// Names a request in errors, answers and logs.
  func newRequestID() -> String {
    // It has to be another one each time, and may be guessed: so chance is asked for once, which takes the system long.
    let number = requestCount.wrappingAdd(1, ordering: .relaxed).newValue
    var generator = CountedNumbers(seed: requestSeed, count: number)
    return IdempotencyKey.timeOrdered(at: clock.now(), using: &generator).text
  }
}

/// Numbers that look random, others for each count.
private struct CountedNumbers: RandomNumberGenerator {
  let seed: UInt64
  let count: UInt64
  private var place: UInt64 = 0

  init(seed: UInt64, count: UInt64) {
    self.seed = seed
    self.count = count
  }

  mutating func next() -> UInt64 {
    var hash = StableHash(seed: seed)
    hash.combine(count)
    hash.combine(place)
    place += 1
    return hash.value
  }
}

extension LedgerError {
  /// The same error with one fact more.
  func adding(_ detail: Detail) -> Self {
    var error = LedgerError(code, message, details: details + [detail])
    error.isReplayed = isReplayed
    return error
  }
}
