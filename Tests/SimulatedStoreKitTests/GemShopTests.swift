import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreTestSupport
import XCTest

/// The story of a view model over StoreKit 2, with its server's ledger behind it.
@MainActor
final class GemShopTests: XCTestCase {
  private struct Stage {
    let session: SKTestSession
    let server: GemServer
    let shop: GemShop

    @MainActor
    func buy(_ id: String, quantity: Int = 1) async throws {
      await shop.buy(try XCTUnwrap(shop.products.first { $0.id == id }), quantity: quantity)
    }

    func unfinishedCount() async -> Int { await Transaction.unfinished.collect().count }
  }

  private static let alice = "0f7c5b64-16c8-4d3e-9f4a-3d7a1f5f2b10"

  private func stage() async throws -> Stage {
    let session = try ShopFixture.gemsSession()
    let server = try GemServer(
      verifying: XCTUnwrap(session.receipts), catalog: ShopFixture.gemsCatalog(), customer: Self.alice)
    return Stage(session: session, server: server, shop: try await shop(server))
  }

  private func shop(_ server: GemServer) async throws -> GemShop {
    let shop = GemShop(
      productIDs: ["gems_6500", "gems_300", "gems_1200", "unknown"], server: server,
      accountToken: try XCTUnwrap(UUID(uuidString: Self.alice)))
    await shop.start()
    return shop
  }

  func testItListsProductsWithPrices() async throws {
    let stage = try await stage()
    XCTAssertEqual(stage.shop.products.map(\.id), ["gems_300", "gems_1200", "gems_6500"])
    XCTAssertEqual(stage.shop.products.map(\.displayPrice), ["$2.99", "$9.99", "$49.99"])
    XCTAssertEqual(stage.shop.products.map(\.price), [Decimal(string: "2.99"), Decimal(string: "9.99"), 49.99])
    XCTAssertEqual(stage.shop.products.map(\.displayName), ["300 Gems", "1,200 Gems", "6,500 Gems"])
    XCTAssertEqual(Set(stage.shop.products.map(\.type)), [.consumable])
  }

  func testAPurchaseIsCreditedAndFinished() async throws {
    let stage = try await stage()
    try await stage.buy("gems_1200", quantity: 2)
    XCTAssertEqual(stage.shop.gems, 2400)
    let unfinished = await stage.unfinishedCount()
    XCTAssertEqual(unfinished, 0)
    let bought = try XCTUnwrap(stage.session.store.allTransactions().first?.transaction)
    XCTAssertEqual(bought.accountToken?.description, Self.alice)
    XCTAssertEqual(bought.quantity, 2)
  }

  func testAskToBuyWaitsAndIsCreditedOnceApproved() async throws {
    let stage = try await stage()
    stage.session.askToBuyEnabled = true
    try await stage.buy("gems_300")
    XCTAssertTrue(stage.shop.isWaitingForApproval)
    XCTAssertEqual(stage.shop.gems, 0)

    let waiting = try XCTUnwrap(stage.session.allTransactions().first)
    XCTAssertTrue(waiting.pendingAskToBuyConfirmation)
    try stage.session.approveAskToBuyTransaction(identifier: waiting.identifier)
    try await until { stage.shop.gems == 300 }
    XCTAssertFalse(stage.shop.isWaitingForApproval)
  }

  func testADeclinedPurchaseNeverComes() async throws {
    let stage = try await stage()
    stage.session.askToBuyEnabled = true
    try await stage.buy("gems_300")
    let waiting = try XCTUnwrap(stage.session.allTransactions().first)
    try stage.session.declineAskToBuyTransaction(identifier: waiting.identifier)
    // A later purchase shows that nothing came of it.
    try await stage.session.buyProduct(identifier: "gems_1200")
    try await until { stage.shop.gems == 1200 }
    let posts = await stage.server.postCount
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(stage.session.allTransactions().map(\.state), [.failed, .purchased])
  }

  func testARefundTakesTheGems() async throws {
    let stage = try await stage()
    try await stage.buy("gems_1200")
    XCTAssertEqual(stage.shop.gems, 1200)
    let bought = try XCTUnwrap(stage.session.allTransactions().first)
    try stage.session.refundTransaction(identifier: bought.identifier)
    try await until { stage.shop.gems == 0 }
  }

  func testAnUnreachableServerIsMadeUpForByTheNextLaunch() async throws {
    let stage = try await stage()
    await stage.server.setReachable(false)
    try await stage.buy("gems_1200")
    XCTAssertEqual(stage.shop.gems, 0)
    XCTAssertEqual(stage.shop.message, "Your purchase will arrive shortly.")
    await stage.server.setReachable(true)

    stage.session.relaunchApp()
    let next = try await shop(stage.server)
    try await until { next.gems == 1200 }
    try await untilFinished()
  }

  func testACrashBetweenCreditAndFinishCreditsOnce() async throws {
    let stage = try await stage()
    let product = try XCTUnwrap(stage.shop.products.first { $0.id == "gems_1200" })
    stage.shop.stop()
    // The app dies after the server's answer, before it could finish.
    guard case .success(let verification) = try await product.purchase() else { return XCTFail("expected a success") }
    let credited = try await stage.server.post(jws: verification.jwsRepresentation)
    XCTAssertEqual(credited, 1200)

    // The next process: another session on the same device of the same store.
    let session = SKTestSession(device: stage.session.device)
    let next = try await shop(stage.server)
    try await until { next.gems == 1200 }
    try await untilFinished()
    let posts = await stage.server.postCount
    XCTAssertEqual(posts, 2)
    XCTAssertEqual(session.allTransactions().count, 1)
  }

  func testTheNextProcessOverKeptStateCreditsOnce() async throws {
    let kept = RetainedEventLog()
    let receipts = try UnsignedReceipts(session: "kept")
    let server = try GemServer(verifying: receipts, catalog: ShopFixture.gemsCatalog(), customer: Self.alice)
    func session() throws -> SKTestSession {
      let store = try SimulatedStore(
        storeKit: StoreKitConfiguration.load(Array(Data(contentsOf: ShopFixture.gemsFile))),
        bundleID: "com.example.gems", session: "kept", signer: receipts, eventLog: kept)
      return SKTestSession(device: store.account("alice").device("phone"))
    }
    let first = try session()
    let product = try await ShopFixture.product("gems_6500")
    guard case .success(let verification) = try await product.purchase() else { return XCTFail("expected a success") }
    let credited = try await server.post(jws: verification.jwsRepresentation)
    XCTAssertEqual(credited, 6500)
    first.end()

    let second = try session()
    let shop = try await shop(server)
    try await until { shop.gems == 6500 }
    try await untilFinished()
    XCTAssertEqual(second.allTransactions().map(\.identifier), first.allTransactions().map(\.identifier))
    shop.stop()
    // A third start finds nothing to do.
    _ = try session()
    let left = await Transaction.unfinished.collect()
    XCTAssertEqual(left.count, 0)
  }

  func testARedeliveryCreditsOnce() async throws {
    let stage = try await stage()
    try await stage.buy("gems_300")
    let bought = try XCTUnwrap(stage.session.store.allTransactions().first)
    try stage.session.store.redeliverTransaction(identifier: bought.identifier)
    try await until { await stage.server.postCount == 2 }
    let gems = try await stage.server.gems()
    XCTAssertEqual(gems, 300)
  }

  func testAnUnverifiedPurchaseIsNeitherCreditedNorFinished() async throws {
    let stage = try await stage()
    try await stage.session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
    try await stage.buy("gems_300")
    XCTAssertEqual(stage.shop.message, "The purchase could not be verified.")
    let posts = await stage.server.postCount
    XCTAssertEqual(posts, 0)
    let results = await Transaction.unfinished.collect()
    guard case .unverified(let transaction, .invalidSignature)? = results.first else {
      return XCTFail("expected an unverified transaction, got \(results)")
    }
    XCTAssertEqual(transaction.productID, "gems_300")
    XCTAssertThrowsError(try results[0].payloadValue)

    try await stage.session.setSimulatedError(nil, forAPI: .verification)
    stage.session.relaunchApp()
    let next = try await shop(stage.server)
    try await until { next.gems == 300 }
  }

  func testOfflineNothingIsListedOrBought() async throws {
    let stage = try await stage()
    let offline = StoreKitError.networkError(URLError(.notConnectedToInternet))
    try await stage.session.setSimulatedError(.generic(offline), forAPI: .purchase)
    try await stage.buy("gems_300")
    XCTAssertEqual(stage.shop.message, "You are offline.")

    try await stage.session.setSimulatedError(.generic(offline), forAPI: .loadProducts)
    await stage.shop.loadProducts()
    XCTAssertEqual(stage.shop.message, offline.localizedDescription)
    try await stage.session.setSimulatedError(nil, forAPI: .loadProducts)
    try await stage.session.setSimulatedError(nil, forAPI: .purchase)
    await stage.shop.loadProducts()
    try await stage.buy("gems_300")
    XCTAssertEqual(stage.shop.gems, 300)
  }

  func testBuyingAgainWhileUnfinishedPaysOnce() async throws {
    let stage = try await stage()
    await stage.server.setReachable(false)
    try await stage.buy("gems_300")
    try await stage.buy("gems_300")
    await stage.server.setReachable(true)
    try await stage.buy("gems_300")
    XCTAssertEqual(stage.shop.gems, 300)
    XCTAssertEqual(stage.session.allTransactions().count, 1)
  }

  private func untilFinished() async throws {
    try await until { await Transaction.unfinished.collect().isEmpty }
  }
}
