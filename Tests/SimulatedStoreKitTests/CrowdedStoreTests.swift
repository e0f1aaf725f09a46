import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreClient
import StoreClientStoreKit
import StoreTestSupport
import XCTest

import struct SimulatedStoreKit.Product

/// Many calls at once, several listeners, and calls that come twice.
final class CrowdedStoreTests: XCTestCase {
  func testAHundredPurchasesAtOnceAreAHundredTransactions() async throws {
    let session = try ShopFixture.gemsSession()
    session.store.repurchaseReturnsUnfinished = false
    let product = try await ShopFixture.product("gems_300")
    let ids = try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { () -> UInt64? in
          guard case .success(let result) = try await product.purchase() else { return nil }
          return result.unsafePayloadValue.id
        }
      }
      return try await group.reduce(into: Set<UInt64?>()) { $0.insert($1) }
    }
    XCTAssertEqual(ids.count, 100)
    let unfinished = await Transaction.unfinished.collect().map(\.unsafePayloadValue)
    XCTAssertEqual(Set(unfinished.map(\.id)), ids)
    // Each is finished twice, by two tasks at once.
    await withTaskGroup { group in
      for transaction in unfinished + unfinished { group.addTask { await transaction.finish() } }
    }
    let left = await Transaction.unfinished.collect()
    XCTAssertEqual(left.count, 0)
    XCTAssertEqual(session.allTransactions().count, 100)
  }

  /// Without a finish in between, the same taps are one payment.
  func testAHundredTapsOnAnUnfinishedConsumableAreOnePayment() async throws {
    let session = try ShopFixture.gemsSession()
    let product = try await ShopFixture.product("gems_300")
    await withTaskGroup { group in for _ in 0..<100 { group.addTask { _ = try? await product.purchase() } } }
    XCTAssertEqual(session.allTransactions().count, 1)
  }

  func testEveryListenerHearsOfARefundAndOneThatStopsDisturbsNoOther() async throws {
    let session = try ShopFixture.gemsSession()
    let product = try await ShopFixture.product("gems_300")
    guard case .success(let result) = try await product.purchase() else { return XCTFail("not bought") }
    await result.unsafePayloadValue.finish()
    var listeners = (0..<3).map { _ in Transaction.updates.makeAsyncIterator() }
    listeners.removeFirst()
    try session.refundTransaction(identifier: UInt(result.unsafePayloadValue.id))
    for index in listeners.indices {
      let heard = await listeners[index].next()
      XCTAssertNotNil(heard?.unsafePayloadValue.revocationDate)
    }
  }

  /// A transaction of another customer on the same store account is credited to that customer, whoever is signed in.
  func testATokenOfAnotherCustomerIsCreditedToThatCustomer() async throws {
    let session = try ShopFixture.gemsSession()
    let ledger = Ledger.inMemory()
    try ledger.apply(ShopFixture.gemsCatalog())
    let backend = LocalBackend(ledger: ledger, verifier: try XCTUnwrap(session.receipts))
    _ = try await backend.register(CustomerID("alice"))
    let token = try XCTUnwrap(UUID(uuidString: AccountToken(of: try CustomerID("alice")).description))
    let product = try await ShopFixture.product("gems_300")
    _ = try await product.purchase(options: [.appAccountToken(token)])
    var configuration = StoreClient.Configuration(
      apiKey: "appl_key", appUserID: "bob", mode: .payment(backend), storefront: StoreKitStorefront(), eventLog: nil)
    configuration.isAutomatic = false
    configuration.logHandler = { _, _ in }
    let client = try StoreClient(configuration: configuration)
    await client.syncPurchases()
    let gem = try CurrencyCode("GEM")
    XCTAssertEqual(try ledger.balance(of: gem, customer: CustomerID("alice")).balance, 300)
    let own = try await client.virtualCurrencies()
    XCTAssertEqual(own["GEM"]?.balance, 0)
    let left = await Transaction.unfinished.collect()
    XCTAssertEqual(left.count, 0)
  }

  func testADeclinedApprovalNeverComesAndTheNextPurchaseIsANewOne() async throws {
    let session = try ShopFixture.gemsSession()
    session.askToBuyEnabled = true
    let product = try await ShopFixture.product("gems_300")
    guard case .pending = try await product.purchase() else { return XCTFail("not pending") }
    let first = try XCTUnwrap(session.allTransactions().first)
    try session.declineAskToBuyTransaction(identifier: first.identifier)
    session.relaunchApp()
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.count, 0)
    XCTAssertThrowsError(try session.approveAskToBuyTransaction(identifier: first.identifier))
    session.askToBuyEnabled = false
    guard case .success(let result) = try await product.purchase() else { return XCTFail("not bought") }
    XCTAssertNotEqual(UInt(result.unsafePayloadValue.id), first.identifier)
  }
}
