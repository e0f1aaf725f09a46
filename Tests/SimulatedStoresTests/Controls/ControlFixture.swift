import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A client of the App-Store-like store; the tests do something to the store, and look at the client alone.
struct ControlFixture {
  static let alice = "alice-4f1c9a7e"
  static let bob = "bobby-77d0e2b1"

  let world: World
  let backend: FaultyBackend
  let eventLog = MemoryEventLog()
  let client: StoreClient

  init(
    seed: UInt64 = 7, catalog: Catalog? = nil, policy: BackendPolicy = BackendPolicy(), isAutomatic: Bool = false
  ) throws {
    world = try World(seed: seed, catalog: try catalog ?? Self.catalog(), policy: policy)
    backend = FaultyBackend(world.backend)
    client = try world.client(
      Self.alice, on: world.phone, eventLog: eventLog, backend: backend, isAutomatic: isAutomatic)
  }

  var store: SimulatedStore { world.store }
  var clock: VirtualClock { world.clock }
  var family: StoreAccount { store.account("family") }

  /// A client that knows nothing of before: another device, another customer, or a new installation.
  func fresh(
    _ customer: String = alice, on device: (any Storefront)? = nil, isAutomatic: Bool = false
  ) throws -> StoreClient {
    try world.client(customer, on: device ?? world.phone, backend: backend, isAutomatic: isAutomatic)
  }

  /// Applies the store's own notices in the backend.
  func deliverNotices() async throws {
    for notice in try store.takeNotices() { try await world.take(notice) }
  }

  /// The small catalog, with a window that shows everything; all but consumables entitle to `premium`.
  static func catalog(gemPrice: String = "2.99", monthlyPrice: String = "5.99") throws -> Catalog {
    let plain = try SimulatedShop.catalog(gemPrice: gemPrice, monthlyPrice: monthlyPrice)
    let products = plain.products.map { product in
      Product(
        code: product.code, storeIDs: product.storeIDs, type: product.type, localizations: product.localizations,
        prices: product.prices, grants: product.grants,
        entitlement: product.type == .consumable ? nil : "premium", period: product.period)
    }
    let packages = products.map { CatalogOffering.Package(id: $0.code.text, product: $0.code) }
    return try Catalog(
      currencies: plain.currencies, products: products,
      offerings: [CatalogOffering(id: try OfferingID("shop"), packages: packages)],
      currentOffering: try OfferingID("shop"),
      settings: plain.settings)
  }
}

/// The same for Google Play.
struct PlayFixture {
  static let alice = ControlFixture.alice
  static let bob = ControlFixture.bob

  let world: World
  let store: SimulatedPlayStore
  let backend: FaultyBackend
  let eventLog = MemoryEventLog()
  let client: StoreClient

  init(seed: UInt64 = 7, policy: BackendPolicy = BackendPolicy(), isAutomatic: Bool = false) throws {
    world = try World(catalog: ControlFixture.catalog(), policy: policy)
    store = try SimulatedPlayStore(
      catalog: ControlFixture.catalog(), session: World.session, seed: seed, clock: world.clock, signer: world.receipts)
    backend = FaultyBackend(world.backend)
    client = try world.client(
      Self.alice, on: store.account("family").device("pixel"), eventLog: eventLog, backend: backend,
      isAutomatic: isAutomatic)
  }

  var clock: VirtualClock { world.clock }
  var pixel: PlayDevice { store.account("family").device("pixel") }
  var tablet: PlayDevice { store.account("family").device("tablet") }

  /// A client that knows nothing of before: another device, another customer, or a new installation.
  func fresh(
    _ customer: String = alice, on device: PlayDevice? = nil, isAutomatic: Bool = false
  ) throws -> StoreClient {
    try world.client(customer, on: device ?? pixel, backend: backend, isAutomatic: isAutomatic)
  }

  /// Applies the store's own notices in the backend.
  func deliverNotices() async throws {
    for notice in try store.takeNotices() {
      if case .oneTimePurchased(let token) = notice {
        _ = try await world.backend.apply(try XCTUnwrap(store.purchase(token: token)).transaction)
      } else {
        try await world.take(notice)
      }
    }
  }
}

extension World {
  /// Applies a notice in the backend, if the notice states its event in full.
  func take(_ notice: StoreNotice) async throws {
    switch notice {
    case .oneTimeCharge(let evidence), .renewed(let evidence), .refunded(let evidence), .refundReversed(let evidence),
      .revoked(let evidence),
      .voided(_, let evidence):
      _ = try await backend.apply(evidence.transaction)
    case .consumptionRequest, .refundDeclined, .oneTimePurchased, .oneTimeCanceled: break
    }
  }
}

extension StoreClient {
  func buy(_ product: String, quantity: Int64 = 1) async throws -> PurchaseResult {
    try await purchase(try ProductCode(product), quantity: quantity)
  }

  /// The balance as the app shows it, asked for anew.
  func gems() async throws -> Int {
    invalidateVirtualCurrenciesCache()
    return try await virtualCurrencies()["GEM"]?.balance ?? 0
  }

  /// Returns the purchases that the customer is shown, oldest first.
  func products() async throws -> [String] {
    try await customerInfo().nonSubscriptions.reversed().map(\.productIdentifier)
  }

  func isPremium() async throws -> Bool { try await customerInfo().hasActiveEntitlement("premium") }

  /// Returns the content of the shop window once the earlier content is old.
  func window(_ clock: VirtualClock) async throws -> [String: String] {
    clock.advance(by: .seconds(301))
    let packages = try await offerings().current?.availablePackages ?? []
    return Dictionary(packages.map { ($0.identifier, $0.localizedPriceString) }) { first, _ in first }
  }

  /// Waits, without a clock, for the client's own work.
  func comes(
    to gems: Int, _ message: String = "", file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    try await comes(to: gems, \.self, message, file: file, line: line) { try await self.gems() }
  }

  /// The same for anything that can be asked.
  func comes<Value: Equatable, Seen>(
    to wanted: Value, _ part: KeyPath<Seen, Value>, _ message: String = "", file: StaticString = #filePath,
    line: UInt = #line, _ ask: () async throws -> Seen
  ) async throws {
    var seen: Value?
    do {
      try await until {
        seen = try await ask()[keyPath: part]
        return seen == wanted
      }
    } catch is NeverHappened {
      XCTFail("expected \(wanted), saw \(String(describing: seen)) \(message)", file: file, line: line)
    }
  }
}

/// Collects the messages that a client sends by itself.
final class PurchaseListener: StoreClientDelegate, Sendable {
  let bought = Collector<PurchaseRecord>()
  let infos = Collector<CustomerInfo>()

  init(_ client: StoreClient) async { await MainActor.run { client.delegate = self } }

  /// Waits for the calls of the events until now, which wait for the main actor in their order.
  func heardAll() async { await MainActor.run {} }

  func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo) { infos.add(info) }

  func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID) {
    bought.add(purchase)
  }
}

/// Fails unless the client reports that the store failed so.
func assertStoreFails<T: Sendable>(
  _ failure: StoreFailure, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> T
) async {
  let error = await assertRefused(.storeError, file: file, line: line, body)
  XCTAssertEqual(error?.text("store_error"), failure.rawValue, file: file, line: line)
}

/// Fails unless the client's user has so much, and nothing is under way.
func assertSees(
  _ gems: Int, _ client: StoreClient, pending: Int = 0, _ message: String = "", file: StaticString = #filePath,
  line: UInt = #line
) async throws {
  // Asking for the balance works off the queue, so the queue is looked at first; a client that works by itself may
  // have shown the credit before it told the store, or have been handed the same once more.
  do {
    try await until { client.queueCounts.pending == pending && client.queueItems.count == pending }
  } catch is NeverHappened {
    XCTFail("expected \(pending) pending, saw \(client.queueItems) \(message)", file: file, line: line)
  }
  let seen = try await client.gems()
  XCTAssertEqual(seen, gems, message, file: file, line: line)
}
