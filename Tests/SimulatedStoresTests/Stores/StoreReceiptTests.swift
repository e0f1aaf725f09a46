import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A crediting side reads from the receipts the store's own statements, and the file of a store can be opened again.
final class StoreReceiptTests: XCTestCase {
  private func receipts() throws -> UnsignedReceipts {
    try UnsignedReceipts(environment: .localTesting(session: "test"))
  }

  func testReceiptsOfTheAppStoreSayWhatTheStoreStates() async throws {
    let (clock, receipts) = (VirtualClock(), try receipts())
    let store = try SimulatedStore(
      catalog: SimulatedShop.catalog(), session: "test", clock: clock, signer: receipts)
    let phone = store.account("alice").device("phone")
    let token = AccountToken(of: try CustomerID("alice"))
    let gems = try await phone.buy("gems", quantity: 3, token: token).id
    for product in ["vip", "pass", "monthly"] { try await phone.buy(product) }
    store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    clock.advance(by: .seconds(31 * 86_400))
    try store.refundTransaction(identifier: gems, extent: .quantity(1))
    let listed = try await phone.all()
    XCTAssertEqual(listed.count, 5)
    for evidence in listed { XCTAssertEqual(try receipts.verify(evidence.receipt), evidence.transaction) }
    guard case .refunded(let evidence)? = try store.takeNotices().last else { return XCTFail("no refund") }
    XCTAssertEqual(try receipts.verify(evidence.receipt), evidence.transaction)
  }

  func testReceiptsOfGooglePlaySayWhatTheStoreStates() async throws {
    let (clock, receipts) = (VirtualClock(), try receipts())
    let store = try SimulatedPlayStore(
      catalog: SimulatedShop.catalog(), session: "test", clock: clock, signer: receipts)
    let phone = store.account("alice").device("pixel")
    let token = AccountToken(of: try CustomerID("alice"))
    let gems = try await phone.buy("gems", quantity: 3, token: token).id
    store.omitsOrderIDs = true
    for product in ["vip", "chest", "monthly"] { try await phone.buy(product) }
    try store.refund(token: gems, quantity: 1)
    let listed = try await phone.all()
    XCTAssertEqual(listed.count, 4)
    for evidence in listed { XCTAssertEqual(try receipts.verify(evidence.receipt), evidence.transaction) }
  }

  func testAStoreInAFileGoesOnInTheNextProcess() async throws {
    let directory = try TemporaryDirectory()
    let bought: StoreTransactionID
    do {
      let log = try FileEventLog(path: directory.path("store"))
      let store = try SimulatedStore(
        catalog: SimulatedShop.catalog(), session: "test", clock: VirtualClock(), signer: receipts(), eventLog: log)
      bought = try await store.account("alice").device("phone").buy("gems").id
      log.close()
    }
    let log = try FileEventLog(path: directory.path("store"))
    let store = try SimulatedStore(
      catalog: SimulatedShop.catalog(), session: "test", clock: VirtualClock(), signer: receipts(), eventLog: log)
    let unfinished = try await store.account("alice").device("phone").unfinishedIDs()
    XCTAssertEqual(unfinished, [bought])
    log.close()
  }
}
