import GemLedger
import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

@testable import PageSnippets

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
    XCTAssertEqual(model.errorMessage, "Purchase failed: The store could not complete the request. Try again later.")
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
