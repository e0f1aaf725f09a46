public import GemLedger

/// A shop inside the process that sells at once and never fails: every purchase is paid for when the call returns.
///
/// It keeps nothing, so any number of them may sell from one catalog. A request with a key always gives the same
/// purchase, whoever asks and in whichever process.
public struct InstantStore: Sendable {
  /// What it lists, and at which prices.
  public let window: ShopWindow
  /// The world that its purchases belong to.
  public let environment: StoreEnvironment
  private let lookUp: @Sendable (ProductCode) throws(LedgerError) -> Product
  private let clock: LedgerClock
  private let randomness: @Sendable () -> UInt64

  /// A shop that asks for each product when somebody wants it.
  ///
  /// - Parameters:
  ///   - window: Store, country and language.
  ///   - session: Names the test session; the same store transaction id in another session is another purchase.
  ///   - clock: When purchases are made.
  ///   - randomness: Makes store transaction ids.
  ///   - product: Gives the product with a code, or throws `product_not_found`.
  /// - Throws: `LedgerError` with `invalid_identifier` when the session's name is none.
  public init(
    window: ShopWindow = ShopWindow(), session: String, clock: LedgerClock = .system,
    randomness: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) },
    product: @escaping @Sendable (ProductCode) throws(LedgerError) -> Product
  ) throws(LedgerError) {
    self.window = window
    environment = try .localTesting(session: session)
    self.clock = clock
    self.randomness = randomness
    lookUp = product
  }

  /// The listed ones among the products.
  public func products(for codes: [ProductCode]) throws(LedgerError) -> [StoreProduct] {
    var products: [StoreProduct] = []
    for code in codes {
      do throws(LedgerError) {
        if let listing = window.listing(of: try lookUp(code)) { products.append(listing) }
      } catch {
        guard error.code == .productNotFound else { throw error }
      }
    }
    return products
  }

  /// Sells at the catalog's price.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `product_not_found`, `not_available`, `amount_out_of_range`.
  public func purchase(_ request: PurchaseRequest) throws(LedgerError) -> StoreResult {
    let product = try lookUp(request.product)
    guard let listing = window.listing(of: product) else { throw notAvailable(product) }
    let now = clock.now()
    return .purchased(
      StorePurchase(
        store: window.store, environment: environment, transactionID: transactionID(for: request, at: now),
        product: product.code, quantity: request.quantity, price: try total(listing.price, request), purchasedAt: now))
  }

  /// Nothing to do: what it sold it never delivers again.
  public func finish(_ id: StoreTransactionID) {}

  private func notAvailable(_ product: Product) -> LedgerError {
    let why = product.obstacles(at: window.store.description, storefront: window.storefront).joined(separator: ", ")
    return LedgerError(
      .notAvailable, "\"\(product.code)\" cannot be bought at \(window.store) in \(window.storefront): \(why).",
      details: [.text("product_id", product.code.text), .text("why", why)])
  }

  private func total(_ price: Price, _ request: PurchaseRequest) throws(LedgerError) -> Money {
    guard (1...Limits.quantity).contains(request.quantity) else {
      throw LedgerError(
        .amountOutOfRange, "A quantity of \(request.quantity) is out of range: 1 to \(Limits.quantity).",
        details: [.integer("amount", request.quantity), .integer("limit", Limits.quantity)])
    }
    let (total, overflow) = price.minorUnits.multipliedReportingOverflow(by: request.quantity)
    guard !overflow, total <= Limits.amount else {
      throw LedgerError(
        .amountOutOfRange, "\(request.quantity) of \"\(request.product)\" would cost more than can be counted.")
    }
    return Money(minorUnits: total, currency: price.currency.code)
  }
}

extension InstantStore {
  private func transactionID(for request: PurchaseRequest, at now: Timestamp) -> StoreTransactionID {
    if let key = request.key { return Self.transactionID(for: request, key: key) }
    var generator = ClosureGenerator(next: randomness)
    return StoreTransactionID(unchecked: IdempotencyKey.timeOrdered(at: now, using: &generator).text)
  }

  /// The same request under the same key is the same purchase, so its id is made of them: a UUID of version 8.
  private static func transactionID(for request: PurchaseRequest, key: IdempotencyKey) -> StoreTransactionID {
    func word(seed: UInt64) -> UInt64 {
      var hash = StableHash(seed: seed)
      hash.combine(request.buyer.text)
      hash.combine(key.text)
      hash.combine(request.product.text)
      hash.combine(UInt64(bitPattern: request.quantity))
      return hash.value
    }
    let high = word(seed: 1) & ~0xF000 | 8 << 12
    let low = 2 << 62 | word(seed: 2) >> 2
    return StoreTransactionID(unchecked: HexForm.uuid(high: high, low: low))
  }
}

private struct ClosureGenerator: RandomNumberGenerator {
  let draw: @Sendable () -> UInt64

  init(next draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  mutating func next() -> UInt64 { draw() }
}
