internal import Foundation
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// A simulated store, a backend over a ledger, and a client between them: all parts of a purchase.
final class PurchaseFixture: Sendable {
  static let product = "gems"

  let ledger: Ledger
  let store: SimulatedStore
  let client: StoreClient

  static func environment() throws -> StoreEnvironment { try .localTesting(session: "gembench") }

  /// - Parameters:
  ///   - ledger: New and empty; the caller closes it.
  ///   - eventLog: The event log that keeps the client's queue; nil for none.
  ///   - receipts: Signs and verifies; nil for unsigned receipts.
  init(ledger: Ledger, eventLog: (any EventLog)?, receipts: (any SimulatedReceipts)? = nil) throws {
    let catalog = try Self.catalog()
    let receipts = try receipts ?? UnsignedReceipts(environment: Self.environment())
    let clock = VirtualClock()
    try ledger.apply(catalog)
    self.ledger = ledger
    store = try SimulatedStore(catalog: catalog, session: "gembench", clock: clock, signer: receipts)
    var configuration = StoreClient.Configuration(
      apiKey: "appl_gembench", appUserID: "alice",
      mode: .payment(LocalBackend(ledger: ledger, verifier: receipts)),
      storefront: store.account("alice").device("phone"), eventLog: eventLog)
    configuration.clock = clock.storeClock
    configuration.validationTimeout = nil
    configuration.isFunnelEnabled = false
    configuration.isAutomatic = false
    configuration.logHandler = { _, _ in }
    client = try StoreClient(configuration: configuration)
  }

  /// Buys units one after the other, each paid, queued, credited and finished before the next.
  func buy(_ count: Int) async throws {
    let product = try ProductCode(Self.product)
    for _ in 0..<count {
      let result = try await client.purchase(product)
      guard case .success = result else { throw LedgerError.defect("A purchase ended with \(result)") }
    }
  }

  private static func catalog() throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    let code = try ProductCode(product)
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        Product(
          code: code, storeIDs: ["apple": product], type: .consumable,
          localizations: [Localization(locale: "en_US", title: "Gems")],
          prices: [.unitedStates: try Price("0.99", in: StorefrontCode.unitedStates.currency)],
          grants: [Grant(currency: gem, amount: 100)])
      ],
      offerings: [
        CatalogOffering(id: try OfferingID("main"), packages: [CatalogOffering.Package(id: "one", product: code)])
      ], currentOffering: try OfferingID("main"), settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}

/// Purchases one after the other.
final class PurchaseBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let make: () throws -> PurchaseFixture
  private var fixture: PurchaseFixture?
  private var count = 0

  init(_ name: String, operationCount: Int, fixture: @escaping () throws -> PurchaseFixture) {
    self.name = name
    self.operationCount = operationCount
    make = fixture
  }

  func setUp() throws { fixture = try make() }
  func prepare(_ count: Int) throws { self.count = count }

  func run() throws -> UInt64 {
    guard let fixture else { return 0 }
    let count = count
    try Blocking.wait { try await fixture.buy(count) }
    return UInt64(count)
  }

  func tearDown() {
    fixture?.ledger.close()
    fixture = nil
  }
}
