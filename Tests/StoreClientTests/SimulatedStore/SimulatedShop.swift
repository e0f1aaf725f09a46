import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import Synchronization
import XCTest

/// A simulated store with a small catalog, for tests.
struct SimulatedShop {
  let clock: VirtualClock
  let store: SimulatedStore

  init(
    seed: UInt64 = 7, clock: VirtualClock = VirtualClock(), eventLog: RetainedEventLog? = nil
  ) throws {
    self.clock = clock
    store = try SimulatedStore(
      catalog: Self.catalog(), session: "test", seed: seed, clock: clock, signer: PlainSigner(), eventLog: eventLog)
  }

  var phone: StoreDevice { store.account("alice").device("phone") }
  var tablet: StoreDevice { store.account("alice").device("tablet") }

  static func catalog(gemPrice: String = "2.99", monthlyPrice: String = "5.99") throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    func product(
      _ code: String, _ type: ProductType, price: String, yen: String? = nil, period: String? = nil
    ) throws -> Product {
      var prices = [StorefrontCode.unitedStates: try Price(price, in: StorefrontCode.unitedStates.currency)]
      let japan = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
      if let yen { prices[japan] = try Price(yen, in: japan.currency) }
      return Product(
        code: try ProductCode(code), storeIDs: ["apple": code, "google": code], type: type,
        localizations: [
          Localization(locale: "en_US", title: "\(code) in English", description: "A \(code)"),
          Localization(locale: "ja_JP", title: "\(code) 日本語"),
        ], prices: prices, grants: [Grant(currency: gem, amount: 300)], period: period)
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        product("gems", .consumable, price: gemPrice, yen: "450"), product("chest", .consumable, price: "49.99"),
        product("vip", .nonConsumable, price: "9.99"), product("pass", .nonRenewingSubscription, price: "4.99"),
        product("monthly", .autoRenewableSubscription, price: monthlyPrice, yen: "900", period: "P1M"),
        product("weekly", .autoRenewableSubscription, price: "1.99", period: "P1W"),
      ], settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}

/// Signs nothing: the receipt names the transaction and when it was signed.
struct PlainSigner: ReceiptSigner {
  func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    StoreReceipt("\(transaction.id)@\(transaction.signedAt.milliseconds)")
  }
}

/// A journal in memory that outlives the stores that write it.
final class RetainedEventLog: EventLog {
  private struct State {
    var records: [String] = []
    var isBroken = false
    var compactions = 0
  }

  private let state = Mutex(State())

  var isBroken: Bool {
    get { state.withLock(\.isBroken) }
    set { state.withLock { $0.isBroken = newValue } }
  }

  var compactions: Int { state.withLock(\.compactions) }
  var count: Int { state.withLock(\.records.count) }

  func records() throws(LedgerError) -> [String] { state.withLock(\.records) }

  func append(_ records: [String]) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if state.isBroken { throw LedgerError(.inputOutput, "The disk is full.") }
      state.records += records
    }
  }

  func compact(to records: [String]) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if state.isBroken { throw LedgerError(.inputOutput, "The disk is full.") }
      state.records = records
      state.compactions += 1
    }
  }
}

extension Storefront {
  /// Buys one unit or more; fails unless it is paid for.
  @discardableResult
  func buy(
    _ product: String, quantity: Int64 = 1, token: AccountToken? = nil, file: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> StoreTransaction {
    let result = try await purchase(StorePaymentRequest(productID: product, quantity: quantity, accountToken: token))
    guard case .success(let evidence) = result else {
      XCTFail("expected a success, got \(result)", file: file, line: line)
      throw StoreFailure.unknown
    }
    return evidence.transaction
  }

  func unfinishedIDs() async throws -> [StoreTransactionID] {
    try await unfinished(after: nil, limit: 1000).map(\.transaction.id)
  }
}

/// Fails unless the store fails so.
func assertFails(
  _ failure: StoreFailure, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> some Any
) async {
  do {
    let value = try await body()
    XCTFail("expected \(failure), got \(value)", file: file, line: line)
  } catch {
    XCTAssertEqual(error as? StoreFailure, failure, "\(error)", file: file, line: line)
  }
}

/// Reads a stream one by one; a missing element must be shown by an element that comes after it.
struct Reader<Element: Sendable>: Sendable {
  private let stream: AsyncStream<Element>

  init(_ stream: AsyncStream<Element>) { self.stream = stream }

  func next() async -> Element? {
    // Every iterator goes on where the last one stopped.
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}
