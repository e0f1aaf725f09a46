import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreClient
import StoreClientStoreKit
import StoreTestSupport
import XCTest

/// The adapter over StoreKit, from the client's call to the ledger.
final class StoreKitStorefrontTests: XCTestCase {
  private struct Stage {
    let session: SKTestSession
    let ledger: Ledger
    let backend: LocalBackend
    let storefront = StoreKitStorefront()

    init() throws {
      session = try ShopFixture.gemsSession()
      ledger = Ledger.inMemory()
      try ledger.apply(ShopFixture.gemsCatalog())
      backend = LocalBackend(ledger: ledger, verifier: try XCTUnwrap(session.receipts))
    }

    func client(isAutomatic: Bool = false, eventLog: (any EventLog)? = nil) throws -> StoreClient {
      var configuration = StoreClient.Configuration(
        apiKey: "appl_key", appUserID: "alice", mode: .payment(backend), storefront: storefront, eventLog: eventLog)
      configuration.isAutomatic = isAutomatic
      configuration.logHandler = { _, _ in }
      return try StoreClient(configuration: configuration)
    }

    func gems() throws -> Int64 {
      do { return try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance } catch {
        return 0
      }
    }
  }

  func testAPurchaseOfTheClientReachesTheLedger() async throws {
    let stage = try Stage()
    let client = try stage.client()
    let offered = try await client.offerings().current?.availablePackages.first {
      $0.storeProduct.storeID == "gems_1200"
    }
    let outcome = try await client.purchase(package: XCTUnwrap(offered))
    guard case .success = outcome else { return XCTFail("expected a success, got \(outcome)") }
    XCTAssertEqual(try stage.gems(), 1200)
    let unfinished = try await stage.storefront.unfinished(after: nil, limit: 10)
    XCTAssertEqual(unfinished.count, 0)
    let bought = try XCTUnwrap(stage.session.store.allTransactions().first?.transaction)
    XCTAssertEqual(bought.accountToken, AccountToken(of: try CustomerID("alice")))
  }

  /// StoreKit answers a cancelled task with an empty list: the shop would be empty for as long as it is fresh.
  func testACancelledTaskGetsTheWholeShopAndAllPurchases() async throws {
    let stage = try Stage()
    let client = try stage.client()
    _ = try await stage.storefront.purchase(StorePaymentRequest(productID: "gems_1200"))
    let storefront = stage.storefront
    let screen = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let offered = try await client.offerings().current?.availablePackages.count ?? 0
      let unfinished = try await storefront.unfinished(after: nil, limit: 10)
      let all = try await storefront.all()
      await client.syncPurchases()
      let left = try await storefront.unfinished(after: nil, limit: 10)
      return [offered > 0 ? 1 : 0, unfinished.count, all.count, left.count]
    }
    let counts = try await screen.value
    XCTAssertEqual(counts, [1, 1, 1, 0])
    XCTAssertEqual(try stage.gems(), 1200)
  }

  func testAnApprovalAndARefundReachTheLedgerThroughUpdates() async throws {
    let stage = try Stage()
    let client = try stage.client(isAutomatic: true)
    stage.session.askToBuyEnabled = true
    let outcome = try await client.purchase(ProductCode("gems_300"))
    XCTAssertEqual(outcome, .pending)
    let waiting = try XCTUnwrap(stage.session.allTransactions().first)
    try stage.session.approveAskToBuyTransaction(identifier: waiting.identifier)
    try await until { try stage.gems() == 300 }
    try stage.session.refundTransaction(identifier: waiting.identifier)
    try await until { try stage.gems() == 0 }
  }

  func testAFinishThatIsLostIsMadeUpForByTheNextStart() async throws {
    let stage = try Stage()
    let kept = RetainedEventLog()
    try stage.session.store.inject(StoreFault(.networkCutBefore, on: .finish))
    // Without a listener, which could find the purchase unfinished at once.
    let client = try stage.client(eventLog: kept)
    let outcome = try await client.purchase(ProductCode("gems_1200"))
    guard case .success = outcome else { return XCTFail("expected a success, got \(outcome)") }
    let unfinished = try await stage.storefront.unfinished(after: nil, limit: 10)
    XCTAssertEqual(unfinished.count, 1)

    stage.session.relaunchApp()
    let next = try stage.client(isAutomatic: true, eventLog: kept)
    try await until { try await stage.storefront.unfinished(after: nil, limit: 10).isEmpty }
    XCTAssertEqual(try stage.gems(), 1200)
    withExtendedLifetime((client, next)) {}
  }

  func testTheEvidenceIsThatOfTheSimulatedStore() async throws {
    let stage = try Stage()
    let request = StorePaymentRequest(
      productID: "gems_1200", quantity: 3, accountToken: AccountToken(of: try CustomerID("alice")))
    guard case .success(let evidence) = try await stage.storefront.purchase(request) else {
      return XCTFail("expected a success")
    }
    var expected = try XCTUnwrap(stage.session.store.allTransactions().first?.transaction)
    XCTAssertEqual(expected.environment.description, "local_testing")
    // The adapter cannot know the session's name; the backend reads it from the receipt's own environment.
    expected.environment = try .localTesting(session: "xcode")
    XCTAssertEqual(evidence.transaction, expected)
    XCTAssertNil(evidence.unverified)

    let id = try XCTUnwrap(stage.session.allTransactions().first?.identifier)
    try stage.session.store.refundTransaction(
      identifier: evidence.transaction.id, extent: .quantity(1), isAppIssue: true)
    expected = try XCTUnwrap(stage.session.store.allTransactions().first?.transaction)
    expected.environment = try .localTesting(session: "xcode")
    let history = try await stage.storefront.all()
    XCTAssertEqual(history.map(\.transaction), [expected])
    XCTAssertEqual(history.first?.transaction.revocation?.extent, .milliPercent(33_333))
    XCTAssertEqual(history.first?.transaction.id.text, "\(id)")
  }

  func testItListsPagesAndFinishes() async throws {
    let stage = try Stage()
    for id in ["gems_300", "gems_1200", "gems_6500"] {
      _ = try await stage.storefront.purchase(StorePaymentRequest(productID: id))
    }
    let first = try await stage.storefront.unfinished(after: nil, limit: 2)
    XCTAssertEqual(first.map(\.transaction.storeProductID), ["gems_300", "gems_1200"])
    let second = try await stage.storefront.unfinished(after: first.last?.transaction.id, limit: 2)
    XCTAssertEqual(second.map(\.transaction.storeProductID), ["gems_6500"])
    try await stage.storefront.finish(try XCTUnwrap(second.first?.transaction.id))
    try await stage.storefront.finish(try XCTUnwrap(second.first?.transaction.id))
    let left = try await stage.storefront.unfinished(after: nil, limit: 10)
    XCTAssertEqual(left.count, 2)
    let entitlements = try await stage.storefront.currentEntitlements()
    XCTAssertEqual(entitlements.count, 0)
    try await stage.storefront.sync()
  }

  func testProductsHaveTheStorefrontsPrices() async throws {
    let stage = try Stage()
    let listed = try await stage.storefront.products(for: ["gems_1200", "unknown"])
    let product = try XCTUnwrap(listed.first)
    XCTAssertEqual(listed.count, 1)
    let listedByTheStore = try await stage.session.device.products(for: ["gems_1200"])
    XCTAssertEqual(product, listedByTheStore.first)
    XCTAssertEqual(product.price.minorUnits, 999)
    let storefront = await stage.storefront.storefront()
    XCTAssertEqual(storefront, .unitedStates)
  }

  func testEveryFailureOfThePurchaseIsHandedOn() async throws {
    let stage = try Stage()
    for failure in StoreFailure.allCases {
      try stage.session.store.setSimulatedError(.store(failure), forAPI: .purchase)
      await assertFails(failure) { try await stage.storefront.purchase(StorePaymentRequest(productID: "gems_300")) }
    }
    try stage.session.store.setSimulatedError(nil, forAPI: .purchase)
    await assertFails(.productUnavailable) {
      try await stage.storefront.purchase(StorePaymentRequest(productID: "unknown"))
    }
    stage.session.interruptedPurchasesEnabled = true
    let result = try await stage.storefront.purchase(StorePaymentRequest(productID: "gems_300"))
    XCTAssertEqual(result, .userCancelled)
  }

  func testEveryFailureToVerifyIsHandedOn() async throws {
    let stage = try Stage()
    _ = try await stage.storefront.purchase(StorePaymentRequest(productID: "gems_300"))
    for failure in VerificationFailure.allCases {
      try stage.session.store.setSimulatedError(.verification(failure), forAPI: .verification)
      let unfinished = try await stage.storefront.unfinished(after: nil, limit: 1)
      XCTAssertEqual(unfinished.map(\.unverified), [failure])
    }
  }

  func testAnAppCanBeginThePaymentItself() async throws {
    let session = try ShopFixture.gemsSession()
    let storefront = StoreKitStorefront(testSession: session.store.environment.session ?? "") { product, options in
      XCTAssertEqual(options, [.quantity(2)])
      return try await product.purchase(options: options)
    }
    let result = try await storefront.purchase(StorePaymentRequest(productID: "gems_300", quantity: 2))
    guard case .success(let evidence) = result else { return XCTFail("expected a success") }
    XCTAssertEqual(evidence.transaction, session.store.allTransactions().first?.transaction)
  }

  func testTheStorefrontsChangesAreStreamed() async throws {
    let stage = try Stage()
    let changes = Reader(stage.storefront.storefrontUpdates())
    let next = Task { await changes.next() }
    try await until { stage.session.storefrontReaderCount == 1 }
    stage.session.storefront = "DEU"
    let change = await next.value
    XCTAssertEqual(change?.description, "DEU")
    let now = await stage.storefront.storefront()
    XCTAssertEqual(now.description, "DEU")
  }
}
