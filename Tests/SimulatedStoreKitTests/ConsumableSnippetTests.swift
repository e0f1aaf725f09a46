import GemLedger
import SimulatedStoreKit
import SimulatedStores
import XCTest

@testable import PageSnippets

/// The snippets of a page on consumables with StoreKit 2 run as they stand.
@MainActor
final class ConsumableSnippetTests: XCTestCase {
  private var server: GemServer?

  /// The page's server call; with StoreKit 2 the evidence is the transaction's JWS.
  private var snippets: ConsumableSnippets {
    ConsumableSnippets { [server] transactionId in
      for await result in Transaction.unfinished where result.unsafePayloadValue.id == transactionId {
        return await (try? server?.post(jws: result.jwsRepresentation)) != nil
      }
      return false
    }
  }

  func testAPurchaseIsFinishedOnceTheServerCreditedIt() async throws {
    let session = try ShopFixture.gemsSession()
    server = try GemServer(verifying: XCTUnwrap(session.receipts), catalog: ShopFixture.gemsCatalog())
    try await snippets.buy(ShopFixture.product("gems_1200"))
    let gems = try await server?.gems()
    XCTAssertEqual(gems, 1200)
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.count, 0)
  }

  func testAnUnreachableServerLeavesItUnfinishedForTheNextLaunch() async throws {
    let session = try ShopFixture.gemsSession()
    server = try GemServer(verifying: XCTUnwrap(session.receipts), catalog: ShopFixture.gemsCatalog())
    await server?.setReachable(false)
    try await snippets.buy(ShopFixture.product("gems_1200"))
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.map(\.unsafePayloadValue.productID), ["gems_1200"])
  }

  func testTheSessionsSwitches() async throws {
    let bundle = Bundle.main.bundleURL.appendingPathComponent("ConsumableSnippetTests.resources")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: bundle) }
    try Data(contentsOf: ShopFixture.gemsFile).write(to: bundle.appendingPathComponent("Products.storekit"))

    let session = try ConsumableSnippets.failingSession()
    let product = try await ShopFixture.product("gems_300")
    do {
      _ = try await product.purchase()
      XCTFail("expected a failure")
    } catch StoreKitError.unknown {}
    XCTAssertEqual(session.allTransactions().map(\.state), [.failed])

    session.failTransactionsEnabled = false
    guard case .success = try await product.purchase() else { return XCTFail("expected a success") }
  }
}
