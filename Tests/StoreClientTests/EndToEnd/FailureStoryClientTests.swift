import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The stories of shops and devices, between the simulated store and the real crediting side.
class FailureStoryClientTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"

  /// The process died after the store took the money, and the second of two purchases was never seen again.
  func testPaidAndNothingDelivered() async throws {
    let world = try World()
    // Both are paid for while no client runs.
    for _ in 0..<2 {
      try world.store.account("family").buyProduct(
        identifier: "gems", options: [.appAccountToken(AccountToken(of: CustomerID(alice)))])
    }
    XCTAssertEqual(try world.balance(alice), 0)
    let eventLog = MemoryEventLog()
    // The first launch does not reach the backend, and dies; the purchase that it found stays unfinished at the store.
    let faulty = FaultyBackend(world.access)
    faulty.fail(.post, with: .networkLostBeforeEffect, .always)
    let first = try world.client(alice, on: world.phone, eventLog: eventLog, backend: faulty)
    await first.syncPurchases()
    let waiting = try await world.phone.unfinishedIDs()
    XCTAssertEqual(waiting.count, 2)
    let second = try world.client(alice, on: world.phone, eventLog: eventLog)
    await second.syncPurchases()
    XCTAssertEqual(try world.balance(alice), 600)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    XCTAssertEqual(second.queueCounts.pending, 0)
    try assertBooksAddUp(world.ledger)
  }

  /// A duplicate was recognised and could never be finished: the buyer was stuck behind it.
  func testAStuckBuyer() async throws {
    let world = try World()
    try world.store.account("family").buyProduct(
      identifier: "gems", options: [.appAccountToken(AccountToken(of: CustomerID(alice)))])
    // Another device credits it and dies before it finishes it.
    let evidence = try await world.phone.unfinished(after: nil, limit: 1)
    let receipt = try XCTUnwrap(evidence.first?.receipt)
    _ = try await world.access.post(
      ReceiptPost(receipt: receipt, customer: CustomerID(alice), source: .updates))
    let client = try world.client(alice, on: world.phone)
    await client.syncPurchases()
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    XCTAssertEqual(client.queueCounts.pending, 0)
    try await client.purchase(try ProductCode("gems"))
    XCTAssertEqual(try world.balance(alice), 600)
    try assertBooksAddUp(world.ledger)
  }

  /// A first launch meets a backlog of old transactions: each is credited once, and in order.
  func testABacklogOfOldTransactionsAtTheFirstLaunch() async throws {
    let world = try World()
    for _ in 0..<30 {
      try world.store.account("family").buyProduct(
        identifier: "gems", options: [.appAccountToken(AccountToken(of: CustomerID(alice)))])
      world.clock.advance(by: .seconds(60))
    }
    let client = try world.client(alice, on: world.phone)
    await client.syncPurchases()
    await client.syncPurchases()
    XCTAssertEqual(try world.balance(alice), 9000)
    let bought = try world.ledger.purchases(of: CustomerID(alice)).purchases.map(\.purchasedAt)
    XCTAssertEqual(bought, bought.sorted(by: >))
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    try assertBooksAddUp(world.ledger)
  }

  /// A charge with an unknown outcome is not a failure: asking again neither charges nor credits twice.
  func testAnUnknownOutcomeIsNoFailure() async throws {
    let world = try World()
    let faulty = FaultyBackend(world.access)
    faulty.fail(.post, with: .networkLostAfterEffect, .next)
    let client = try world.client(alice, on: world.phone, backend: faulty)
    _ = try? await client.purchase(try ProductCode("gems"))
    await client.syncPurchases()
    XCTAssertEqual(try world.balance(alice), 300)
    XCTAssertEqual(world.store.allTransactions().count, 1)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    try assertBooksAddUp(world.ledger)
  }
}
