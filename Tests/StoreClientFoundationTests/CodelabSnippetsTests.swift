import GemLedger
import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import Synchronization
import XCTest

@testable import PageSnippets

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The snippets of RevenueCat's codelab on virtual currencies run as they stand, from the launch to the books.
@MainActor
final class CodelabSnippetsTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  func testAnAppIsConfiguredWithAKeyAlone() async throws {
    let sandbox = try SnippetWorld.open()
    let app = GemStoreApp()
    XCTAssertEqual(Purchases.logLevel, .debug)
    XCTAssertTrue(Purchases.shared.isAnonymous)
    XCTAssertNotNil(app.body.content as? Group)
    // The gems stay with the customer when the app starts again.
    let customer = Purchases.shared.appUserID
    _ = GemStoreApp()
    XCTAssertEqual(Purchases.shared.appUserID, customer)
    XCTAssertFalse(sandbox.eventLog.records().isEmpty)
  }

  func testSigningInSaysWhetherTheCustomerIsNew() async throws {
    _ = try SnippetWorld.open()
    _ = GemStoreApp()
    try await CodelabSnippets.signIn()
    XCTAssertEqual(Purchases.shared.appUserID, "your-stable-user-id")
    let (_, created) = try await Purchases.shared.logIn("your-stable-user-id")
    XCTAssertFalse(created)
  }

  func testTheStoreScreenShowsPacksAndBuysThem() async throws {
    let sandbox = try SnippetWorld.open()
    _ = GemStoreApp()
    let model = GemStoreModel()
    await model.loadStore()
    XCTAssertEqual(model.packages.map(\.storeProduct.localizedPriceString), ["$2.99", "$9.99"])
    XCTAssertNil(CodelabSnippets.firstPaint(), "nothing was asked for yet")
    await model.refreshBalance()
    XCTAssertEqual(model.gemBalance, 0)

    try sandbox.store.inject(StoreFault(.cancel, on: .purchase))
    await model.buy(model.packages[1])
    XCTAssertEqual(model.gemBalance, 0)
    XCTAssertNil(model.errorMessage, "turning back is no error")
    await model.buy(model.packages[1])
    XCTAssertEqual(model.gemBalance, 1200)
    XCTAssertEqual(CodelabSnippets.firstPaint(), 1200)

    sandbox.store.failTransactionsEnabled = true
    await model.buy(model.packages[0])
    XCTAssertEqual(model.errorMessage, "Purchase failed: The store failed: unknown.")
  }

  func testTheViewIsBuiltAndItsButtonBuys() async throws {
    _ = try SnippetWorld.open()
    _ = GemStoreApp()
    let view = GemStoreView()
    let first = Screen(view)
    XCTAssertEqual(first.texts, ["Gem Store", "Your balance", "0 gems", "Buy gems"])
    for task in first.tasks { await task() }
    let loaded = Screen(view)
    XCTAssertEqual(loaded.buttons.map(\.label), [["300 Gems", "$2.99"], ["1,200 Gems", "$9.99"]])
    loaded.buttons[0].action()
    try await until { Screen(view).texts.contains("300 gems") }
  }

  func testASpendGoesThroughTheAppsOwnServer() async throws {
    let sandbox = try SnippetWorld.open()
    _ = GemStoreApp()
    try await CodelabSnippets.signIn()
    let model = GemStoreModel()
    await model.loadStore()
    await model.buy(model.packages[0])
    SpendEndpoint.open(over: sandbox.ledger, session: yourSessionToken, customer: Purchases.shared.customerID)
    defer { SpendEndpoint.close() }
    await model.spend(on: "extra_life", idempotencyKey: "tap-1")
    await model.spend(on: "extra_life", idempotencyKey: "tap-1")
    XCTAssertNil(model.errorMessage)
    XCTAssertEqual(model.gemBalance, 250, "one tap, one spend")
    for tap in 2...6 { await model.spend(on: "extra_life", idempotencyKey: "tap-\(tap)") }
    XCTAssertEqual(model.gemBalance, 0)
    await model.spend(on: "extra_life", idempotencyKey: "tap-7")
    XCTAssertEqual(model.errorMessage, "You need more gems for that.")
    await model.spend(on: "no_such_item", idempotencyKey: "tap-8")
    XCTAssertEqual(model.errorMessage, "Could not complete that purchase.")
  }
}

/// The app's own server: takes the customer from the session, and the price from the item.
final class SpendEndpoint: URLProtocol {
  private struct Server: Sendable {
    let ledger: Ledger
    let session: String
    let customer: CustomerID
  }

  private static let server = Mutex<Server?>(nil)

  static func open(over ledger: Ledger, session: String, customer: CustomerID) {
    server.withLock { $0 = Server(ledger: ledger, session: session, customer: customer) }
    _ = URLProtocol.registerClass(SpendEndpoint.self)
  }

  static func close() { URLProtocol.unregisterClass(SpendEndpoint.self) }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "your-api.example.com" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocolDidFinishLoading(self)
  }

  private var status: Int {
    struct Body: Decodable {
      let item: String
      let idempotencyKey: String
    }
    guard let server = Self.server.withLock({ $0 }), request.httpMethod == "POST",
      request.value(forHTTPHeaderField: "Authorization") == "Bearer \(server.session)"
    else { return 401 }
    do {
      let body = try JSONDecoder().decode(Body.self, from: request.httpBody ?? Data())
      try server.ledger.buyItem(
        ItemID(body.item), customer: server.customer, key: IdempotencyKey(body.idempotencyKey))
      return 200
    } catch let error as LedgerError where error.code == .insufficientBalance {
      return 402
    } catch {
      return 400
    }
  }
}
