import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The client between the simulated stores and the real crediting side.
class EndToEndTests: XCTestCase {
  func testAPurchaseFromTheSheetToTheBooks() async throws {
    let world = try World()
    let client = try world.client("alice-4f1c9a7e", on: world.phone)
    let result = try await client.purchase(try ProductCode("gems"), quantity: 3)
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.map(\.quantity), [3])
    let balances = try await client.virtualCurrencies()
    XCTAssertEqual(balances["GEM"]?.balance, 900)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    try assertBooksAddUp(world.ledger)
  }

  func testWhatWasBoughtAnonymouslyComesAlongAtSignIn() async throws {
    let world = try World()
    let client = try world.client(nil, on: world.phone)
    try await client.purchase(try ProductCode("gems"))
    let (info, _) = try await client.logIn("alice-4f1c9a7e")
    XCTAssertEqual(info.nonSubscriptions.count, 1)
    let balances = try await client.virtualCurrencies()
    XCTAssertEqual(balances["GEM"]?.balance, 300)
    try await client.logOut()
    let others = try await client.virtualCurrencies()
    XCTAssertEqual(others["GEM"]?.balance, 0)
    try assertBooksAddUp(world.ledger)
  }

  /// A parent agrees when the app is closed and another customer signs in next.
  func testAnApprovedPurchaseIsItsBuyers() async throws {
    let world = try World()
    let eventLog = MemoryEventLog()
    var client: StoreClient? = try world.client("alice-4f1c9a7e", on: world.phone, eventLog: eventLog)
    world.store.askToBuyEnabled = true
    let result = try await client?.purchase(try ProductCode("gems"))
    XCTAssertEqual(result, .pending)
    client = nil
    let waiting = try XCTUnwrap(world.store.allTransactions().first)
    try world.store.approveAskToBuyTransaction(identifier: waiting.identifier)
    let next = try world.client("bobby-77d0e2b1", on: world.phone, eventLog: eventLog)
    await next.syncPurchases()
    XCTAssertEqual(try world.balance("alice-4f1c9a7e"), 300)
    XCTAssertEqual(try world.balance("bobby-77d0e2b1"), 0)
  }

  func testARefundTakesBackAndItsReversalGivesBack() async throws {
    let world = try World()
    let client = try world.client("alice-4f1c9a7e", on: world.phone, isAutomatic: true)
    let outcome = try await client.outcome(ofPurchasing: "gems", quantity: 2)
    let id = try XCTUnwrap(outcome.storeTransactionID)
    world.clock.advance(by: .seconds(60))
    try world.store.refundTransaction(identifier: id, extent: .milliPercent(50_000))
    try await until { try world.balance("alice-4f1c9a7e") == 300 }
    world.clock.advance(by: .seconds(60))
    try world.store.refundTransaction(identifier: id)
    try await until { try world.balance("alice-4f1c9a7e") == 0 }
    try assertBooksAddUp(world.ledger)
  }

  func testASubscriptionGrantsWithEveryRenewal() async throws {
    let world = try World()
    let client = try world.client("alice-4f1c9a7e", on: world.phone)
    try await client.purchase(try ProductCode("monthly"))
    for _ in 0..<2 {
      world.clock.advance(by: .seconds(86_400 * 31))
      try await client.appDidBecomeActive()
    }
    XCTAssertEqual(try world.balance("alice-4f1c9a7e"), 900)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
  }

  func testARestoreOnAnotherDeviceGivesNoConsumableTwice() async throws {
    let world = try World()
    let phone = try world.client("alice-4f1c9a7e", on: world.phone)
    for product in ["gems", "vip"] { try await phone.purchase(try ProductCode(product)) }
    let before = try world.balance("alice-4f1c9a7e")
    let tablet = try world.client("alice-4f1c9a7e", on: world.tablet)
    let info = try await tablet.restorePurchases()
    XCTAssertEqual(info.nonSubscriptions.count, 2)
    XCTAssertEqual(try world.balance("alice-4f1c9a7e"), before)
  }

  func testGooglePlayIsConsumedOnlyAfterTheCredit() async throws {
    let world = try World()
    let play = try SimulatedPlayStore(
      catalog: try SimulatedShop.catalog(), session: World.session, clock: world.clock, signer: world.receipts)
    let device = play.account("alice").device("phone")
    let client = try world.client("alice-4f1c9a7e", on: device)
    let outcome = try await client.outcome(ofPurchasing: "gems")
    XCTAssertNotNil(outcome.result.customerInfo)
    XCTAssertEqual(try world.balance("alice-4f1c9a7e"), 300)
    // Three days later a purchase that was not consumed would be gone.
    world.clock.advance(by: .seconds(86_400 * 4))
    await client.syncPurchases()
    XCTAssertEqual(try world.balance("alice-4f1c9a7e"), 300)
    let left = try await device.unfinishedIDs()
    XCTAssertEqual(left, [])
  }

  func testATwoStepPurchaseAndItsHistory() async throws {
    let world = try World()
    let client = try world.client("alice-4f1c9a7e", on: world.phone)
    let order = PurchaseOrder(productID: "gems", context: OrderContext(roleID: "char-12345"))
    let outcome = try await client.purchase(order: order)
    XCTAssertEqual(outcome.order?.status, .success)
    XCTAssertEqual(outcome.order?.request.context.roleID, "char-12345")
    let page = try await client.listSuccessfulTransactions(atPage: 1, size: 20)
    XCTAssertEqual(page.map(\.product.text), ["gems"])
    let behind = try await client.listSuccessfulTransactions(atPage: 2, size: 20)
    XCTAssertEqual(behind.count, 0)
  }

  /// Networks fail on the way to the store and to the backend, and the app starts anew again and again.
  ///
  /// In the end, the credits equal the payments.
  func testCreditedIsWhatWasPaidForWhateverHappens() async throws {
    var generator = SeededRandom()
    for _ in 0..<Tier.current.length(2, thorough: 8) {
      let world = try World(seed: generator.next())
      let eventLog = MemoryEventLog()
      let backend = FaultyBackend(world.access, seed: generator.next())
      backend.fail(with: .networkLostBeforeEffect, .random(percent: 15))
      backend.fail(with: .networkLostAfterEffect, .random(percent: 15))
      try world.store.inject(.chaos(percent: 15))
      for _ in 0..<60 {
        let client = try world.client("alice-4f1c9a7e", on: world.phone, eventLog: eventLog, backend: backend)
        // How each of them ends does not matter here.
        _ = try? await client.purchase(try ProductCode(generator.percent(50) ? "gems" : "chest"))
        if generator.percent(30) { await client.syncPurchases() }
        if generator.percent(20) { world.phone.relaunch() }
        world.clock.advance(by: .seconds(Int64(generator.below(600))))
      }
      backend.heal()
      try world.store.clearFaults()
      let last = try world.client("alice-4f1c9a7e", on: world.phone, eventLog: eventLog)
      for receipt in last.queueItems where receipt.status == .deadLettered {
        try await last.requeueReceipt(receipt.id)
      }
      try await world.phone.sync()
      await last.syncPurchases()
      for receipt in last.queueItems { XCTFail("\(receipt)") }
      let paid = world.store.allTransactions().filter { $0.state == .purchased }
      XCTAssertGreaterThan(paid.count, 5)
      XCTAssertEqual(try world.balance("alice-4f1c9a7e"), Int64(paid.count) * 300, "\(paid.count) purchases")
      try assertBooksAddUp(world.ledger)
    }
  }
}
