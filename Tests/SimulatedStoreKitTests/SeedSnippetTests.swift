import GemLedger
import SimulatedStoreKit
import SimulatedStores
import XCTest

import struct SimulatedStoreKit.Product

/// The snippets of tutorials about consumables: as they are written, but for `try` before an assignment, of which the
/// compiler warns that nothing in it throws.
@MainActor
final class SeedSnippetTests: XCTestCase {
  private var server: GemServer?
  private let receiptData = Data()

  /// The tutorial's server call; with StoreKit 2 the evidence is the transaction's JWS.
  private func creditOnServer(transactionId: UInt64, receiptData: Data) async -> Bool {
    for await result in Transaction.unfinished where result.unsafePayloadValue.id == transactionId {
      return await (try? server?.post(jws: result.jwsRepresentation)) != nil
    }
    return false
  }

  private func buy(_ product: Product) async throws {
    let result = try await product.purchase()
    if case .success(let verification) = result,
      case .verified(let transaction) = verification
    {
      // Send to server for crediting
      let credited = await creditOnServer(
        transactionId: transaction.id,
        receiptData: receiptData)
      if credited {
        await transaction.finish()
      }
      // If server unavailable — don't finish,
      // transaction comes again on next launch
    }
  }

  func testAPurchaseIsFinishedOnceTheServerCreditedIt() async throws {
    let session = try ShopFixture.gemsSession()
    server = try GemServer(verifying: XCTUnwrap(session.receipts), catalog: ShopFixture.gemsCatalog())
    let product = try await ShopFixture.product("gems_1200")
    try await buy(product)
    let gems = try await server?.gems()
    XCTAssertEqual(gems, 1200)
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.count, 0)
  }

  func testAnUnreachableServerLeavesItUnfinishedForTheNextLaunch() async throws {
    let session = try ShopFixture.gemsSession()
    server = try GemServer(verifying: XCTUnwrap(session.receipts), catalog: ShopFixture.gemsCatalog())
    let product = try await ShopFixture.product("gems_1200")
    await server?.setReachable(false)
    try await buy(product)
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.map(\.unsafePayloadValue.productID), ["gems_1200"])
  }

  func testTheSessionsSwitches() async throws {
    let session = try SKTestSession(configurationFileNamed: "gems")
    session.simulateAskToBuyInSandbox = false
    // Force error for testing retry logic
    session.failTransactionsEnabled = true

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
