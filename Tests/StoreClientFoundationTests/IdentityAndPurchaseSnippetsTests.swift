import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

@testable import PageSnippets

/// The snippets of RevenueCat's page on identity and of AppActor's page on purchases run as they stand.
@MainActor
final class IdentityAndPurchaseSnippetsTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  func testTheCustomerIsNamedIdentifiedAndAliased() async throws {
    _ = try SnippetWorld.open()
    IdentitySnippets.configure()
    XCTAssertEqual(Purchases.shared.appUserID, "my_app_user_id")

    try await Purchases.shared.reset()
    IdentitySnippets.identify()
    try await until { Purchases.shared.appUserID == "my_app_user_id" }

    Purchases.shared.reset { (purchaserInfo, error) in
      XCTAssertEqual(purchaserInfo?.hasActiveEntitlement("premium"), false)
      XCTAssertNil(error)
    }
    try await until { Purchases.shared.isAnonymous }
    IdentitySnippets.createAlias()
    try await until { Purchases.shared.appUserID == "my_app_user_id" }
    IdentitySnippets.restore()
  }

  func testClosuresGetTheirAnswersOnceOnTheMainActor() async throws {
    _ = try SnippetWorld.open()
    IdentitySnippets.configure()
    var answers: [String] = []
    Purchases.shared.identify("another_user_id") { (purchaserInfo, error) in
      MainActor.assertIsolated()
      answers.append("\(purchaserInfo?.originalAppUserID ?? "-") \(error?.localizedDescription ?? "-")")
    }
    try await until { answers.count == 1 }
    Purchases.shared.identify("null") { (purchaserInfo, error) in
      answers.append("\(purchaserInfo?.originalAppUserID ?? "-") \(error?.code.description ?? "-")")
    }
    try await until { answers.count == 2 }
    XCTAssertEqual(answers, ["another_user_id -", "- invalid_user_id"])
  }

  func testAPurchaseHasFiveEnds() async throws {
    let sandbox = try SnippetWorld.open()
    IdentitySnippets.configure()
    let screen = PurchaseScreen()
    let snippets = PurchaseSnippets(screen: screen)
    try sandbox.store.inject(StoreFault(.cancel, on: .purchase))
    try await snippets.buyMonthly()
    sandbox.store.askToBuyEnabled = true
    try await snippets.buyMonthly()
    sandbox.store.askToBuyEnabled = false
    XCTAssertEqual(screen.lines, ["pending"])
    sandbox.network.fail(.post, with: .refused(.receiptRevoked))
    try await snippets.buyMonthly()
    XCTAssertEqual(screen.lines.last, "refused receipt_revoked")
    sandbox.network.fail(.post, with: .networkLostBeforeEffect)
    try await snippets.buyMonthly()
    XCTAssertEqual(screen.lines.last, "syncing")
    await AppActor.shared.syncPurchases()
    try await snippets.buyMonthly()
    XCTAssertEqual(screen.lines, ["pending", "refused receipt_revoked", "syncing", "premium"])
  }

  func testABuyButtonIsGuarded() async throws {
    let sandbox = try SnippetWorld.open()
    IdentitySnippets.configure()
    let offerings = try await AppActor.shared.offerings()
    let package = try XCTUnwrap(offerings["gems"]?["small"])
    let button = BuyButton.button(package)
    let screen = Screen(button)
    XCTAssertEqual(screen.buttons.map(\.label), [["Subscribe"]])
    for _ in 0..<3 { screen.buttons[0].action() }
    try await until { sandbox.store.allTransactions().count == 1 }
    try await until { !Screen(button).buttons[0].isDisabled }
    let gems = try await AppActor.shared.virtualCurrencies()
    XCTAssertEqual(gems["GEM"]?.balance, 300, "three taps, one purchase")
  }

  func testTheErrorsOfAPurchaseAreToldApart() async throws {
    let sandbox = try SnippetWorld.open()
    IdentitySnippets.configure()
    let snippets = PurchaseSnippets(screen: PurchaseScreen())
    let offerings = try await AppActor.shared.offerings()
    let package = try XCTUnwrap(offerings["gems"]?["small"])
    _ = Console.take()
    await snippets.buy(package)
    XCTAssertEqual(Console.take(), [])
    sandbox.store.failTransactionsEnabled = true
    await snippets.buy(package)
    XCTAssertEqual(Console.take(), ["Billing error: The store could not complete the request. Try again later."])
  }

  func testTheReceiptPipelineIsInSight() async throws {
    let sandbox = try SnippetWorld.open()
    IdentitySnippets.configure()
    _ = Console.take()
    sandbox.network.fail(.post, with: .networkLostBeforeEffect)
    _ = try await AppActor.shared.outcome(ofPurchasing: "com.myapp.coins")
    await PurchaseSnippets(screen: PurchaseScreen()).inspectThePipeline()
    XCTAssertEqual(Console.take(), ["pending=0, deadLettered=0"], "the drain posted it")
    XCTAssertNotNil(AppActor.shared.onReceiptPipelineEvent)
    let pending = await AppActor.shared.pendingReceiptCount
    XCTAssertEqual(pending, 0)
  }

  func testConsumablesAreCountedAndSpent() async throws {
    _ = try SnippetWorld.open()
    IdentitySnippets.configure()
    let snippets = PurchaseSnippets(screen: PurchaseScreen())
    var answers = [await snippets.spendCoins()]
    _ = try await AppActor.shared.outcome(ofPurchasing: "com.myapp.coins")
    for _ in 0..<3 { answers.append(await snippets.spendCoins()) }
    XCTAssertEqual(answers.map(\.coins), [0, 10, 5, 0])
    XCTAssertEqual(answers.map(\.success), [false, true, true, false])
  }
}
