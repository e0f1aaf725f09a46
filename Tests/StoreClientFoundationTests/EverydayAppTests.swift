import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

@testable import PageSnippets

/// An app's everyday code in Swift 5 mode runs: its delegates and closures on the main actor.
@MainActor
final class EverydayAppTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  func testAViewModelBuysAndListens() async throws {
    let sandbox = try SnippetWorld.open()
    let model = EverydayModel()
    model.launch("appl_key", customer: "player-4f1c9a7e")
    await model.load()
    XCTAssertEqual(model.customer, "player-4f1c9a7e")
    XCTAssertFalse(model.isPremium)
    XCTAssertNil(model.subscriptionPage)
    let club = try XCTUnwrap(model.packages.first)
    sandbox.store.askToBuyEnabled = true
    await model.buy(club)
    XCTAssertEqual(model.message, "Waiting for an approval.")
    let waiting = try XCTUnwrap(sandbox.store.allTransactions().first?.id)
    try sandbox.store.approveAskToBuyTransaction(identifier: waiting)
    // Nothing was asked for: the delegate hears of it.
    try await until { model.isPremium }
    XCTAssertEqual(model.subscriptionPage?.absoluteString, "https://apps.apple.com/account/subscriptions")
  }

  func testPoliciesDatesAndKinds() async throws {
    let sandbox = try SnippetWorld.open()
    let model = EverydayModel()
    model.launch("appl_key", customer: nil)
    do {
      _ = try await Purchases.shared.customerInfo(fetchPolicy: .fromCacheOnly)
      XCTFail("nothing is known yet")
    } catch { XCTAssertEqual(error.code, .customerNotFound) }
    await model.load()
    XCTAssertEqual(model.packages.map(model.isOneTimePurchase), [false])
    let before = try await model.lastPurchase(of: "gems_300")
    XCTAssertNil(before)
    try await Purchases.shared.purchase("gems_300")
    let bought = try await model.lastPurchase(of: "gems_300")
    XCTAssertEqual(bought, sandbox.store.allTransactions().first?.purchaseDate.date)
    let isTaken = try await Purchases.shared.consumeProduct("gems_300", amount: 5, key: "tap-1")
    XCTAssertTrue(isTaken)

    sandbox.network.fail(.customer, with: .networkLostBeforeEffect)
    do {
      _ = try await Purchases.shared.customerInfo(fetchPolicy: .fetchCurrent)
      XCTFail("a known state was not asked for")
    } catch { XCTAssertEqual(error.errorCode, .networkError) }
    let known = try await Purchases.shared.customerInfo(fetchPolicy: .cachedOrFetched)
    XCTAssertEqual(known.nonSubscriptions.count, 1)
    let fresh = try await Purchases.shared.customerInfo(fetchPolicy: .notStaleCachedOrFetched)
    XCTAssertFalse(fresh.isStale)
    model.customer = ""
    model.sync()
    try await until { !model.customer.isEmpty }
  }

  func testClosuresAndErrorsAreThoseOfRevenueCatsReaders() async throws {
    let sandbox = try SnippetWorld.open()
    Purchases.configure(withAPIKey: "appl_key")
    let model = EverydayModel()
    let offerings = try await Purchases.shared.offerings()
    let pack = try XCTUnwrap(offerings["gems"]?["small"])
    model.buyWithAClosure(pack)
    try await until { model.message == "gems_300" }
    try await model.buyLife(tap: "tap-1")
    try await model.buyLife(tap: "tap-1")
    XCTAssertEqual(model.gems, 250)
    model.signIn("player-4f1c9a7e")
    try await until { model.message == "Welcome." }
    model.restore()
    try await until { !model.customer.isEmpty }
    sandbox.store.failTransactionsEnabled = true
    await model.buy(pack)
    XCTAssertEqual(model.message, "The store has a problem.")
    try sandbox.store.inject(StoreFault(.networkCutBefore, on: .purchase))
    await model.buy(pack)
    XCTAssertEqual(model.message, "You are offline.")
  }

  func testDelegatesHearTheKnownStateAndThenEachEventInOrder() async throws {
    let sandbox = try SnippetWorld.open()
    let client = Purchases.configure(withAPIKey: "appl_key")
    _ = try await client.customerInfo()
    let handler = DelegateHandler()
    client.delegate = handler
    XCTAssertTrue(client.delegate === handler)
    try await until { handler.isPremium == false }
    let listener = OrderedListener()
    client.delegate = listener
    let offerings = try await client.offerings()
    for package in offerings["gems"]?.availablePackages ?? [] {
      try await client.purchase(product: package.storeProduct)
    }
    try await until { listener.heard.count == 5 }
    XCTAssertEqual(listener.heard, ["0", "gems_300", "1", "gems_1200", "2"])
    // The client does not keep its listener.
    client.delegate = OrderedListener()
    XCTAssertNil(client.delegate)
    client.delegate = CountingDelegate()
    _ = sandbox
  }

  /// A listener's end may come while it is being told, and comes back to the client.
  func testAListenerMayTakeItselfAwayWhileItIsTold() async throws {
    _ = try SnippetWorld.open()
    let client = Purchases.configure(withAPIKey: "appl_key")
    let listener = LeavingListener()
    client.delegate = listener
    let offerings = try await client.offerings()
    for package in offerings["gems"]?.availablePackages ?? [] {
      try await client.purchase(product: package.storeProduct)
    }
    await MainActor.run {}
    XCTAssertEqual(listener.count, 1)
    XCTAssertNil(client.delegate)
  }
}

private final class OrderedListener: PurchasesDelegate {
  var heard: [String] = []
  func purchases(_ client: StoreClient, receivedUpdated info: CustomerInfo) {
    heard.append("\(info.nonSubscriptions.count)")
  }
  func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID) {
    heard.append(purchase.product.text)
  }
}

private final class LeavingListener: PurchasesDelegate {
  var count = 0
  func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID) {
    count += 1
    client.delegate = nil
  }
}
