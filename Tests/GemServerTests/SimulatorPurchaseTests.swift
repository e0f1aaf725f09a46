#if Server
import GemLedger
import GemServer
import GemTestSupport
import SimulatedStores
import StoreBackend
import XCTest

/// Payments at the simulated store over HTTP.
final class SimulatorPurchaseTests: XCTestCase {
  func testAPaymentCreditsNothingUntilItsReceiptIsPosted() async throws {
    let world = try SimulatorWorld()
    let bought = try await world.buy()
    XCTAssertEqual(bought["result"], "purchased")
    XCTAssertEqual(bought["new"], true)
    XCTAssertEqual(bought["credit"], .null)
    XCTAssertEqual(try world.balance(), 0)
    let wasCredited = try await world.post(bought)
    XCTAssertFalse(wasCredited)
    XCTAssertEqual(try world.balance(), 1200)
    let wasCreditedThen = try await world.post(bought)
    XCTAssertTrue(wasCreditedThen)
    XCTAssertEqual(try world.balance(), 1200)
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let shown = try await world.send("GET", "/simulator/purchases/\(id)").body
    XCTAssertEqual(shown["paid"], true)
    XCTAssertEqual(shown["finished"], false)
    XCTAssertEqual(shown["product_id"], "gems_1200")
    XCTAssertEqual(shown["price"], ["minor_units": 999, "currency": "USD"])
    XCTAssertNotNil(shown["fetch_token"]?.text)
  }

  func testAnUnfinishedPurchaseIsReturnedAgainWithoutAPayment() async throws {
    let world = try SimulatorWorld()
    let first = try await world.buy()
    let second = try await world.buy()
    XCTAssertEqual(second["store_transaction_id"], first["store_transaction_id"])
    XCTAssertEqual(second["new"], false)
    let id = try XCTUnwrap(first["store_transaction_id"]?.text)
    let finished = try await world.act("finish", on: id, [:])
    XCTAssertEqual(finished.body["finished"], true)
    let third = try await world.buy()
    XCTAssertEqual(third["new"], true)
    XCTAssertNotEqual(third["store_transaction_id"], first["store_transaction_id"])
  }

  func testTheServerPostsTheReceiptWhereItIsAskedTo() async throws {
    let world = try SimulatorWorld()
    let bought = try await world.buy("gems_300", "alice", ["deliver": true, "quantity": 2])
    XCTAssertEqual(bought["credit"]?["credited"], ["GEM": 600])
    XCTAssertEqual(bought["credit"]?["balances"], ["GEM": 600])
    XCTAssertEqual(bought["credit_error"], .null)
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let shown = try await world.send("GET", "/simulator/purchases/\(id)").body
    XCTAssertEqual(shown["finished"], true)
    XCTAssertEqual(try world.balance(), 600)
  }

  func testWhatTheStoreRefusesIsAResultAndWhatIsWrongAnError() async throws {
    let world = try SimulatorWorld()
    let tooMany = try await world.buy("gems_300", "alice", ["quantity": 11])
    XCTAssertEqual(tooMany["result"], "failed")
    XCTAssertEqual(tooMany["failure"], "invalidQuantity")
    XCTAssertEqual(tooMany["fetch_token"], .null)
    let rows: [(line: UInt, body: JSONValue, status: Int)] = [
      (#line, ["product_id": "nothing", "app_user_id": "alice"], 404),
      (#line, ["product_id": "gems_300", "app_user_id": "a\nb"], 400),
      (#line, ["product_id": "gems_300"], 400), (#line, ["product_id": "gems_300", "app_user_id": "a", "x": 1], 400),
      (#line, ["product_id": "gems_300", "app_user_id": "alice", "quantity": 0], 400),
      (#line, ["product_id": "gems_300", "app_user_id": "alice", "fail": "delay"], 400),
      (#line, ["product_id": "gems_300", "app_user_id": "alice", "fail": "cancel", "ask_to_buy": true], 400),
    ]
    for row in rows {
      let answer = try await world.send("POST", "/simulator/purchases", row.body)
      XCTAssertEqual(answer.status, row.status, answer.body.text(), line: row.line)
    }
    let listed = try await world.send("GET", "/simulator/purchases").body
    XCTAssertEqual(listed["items"], [])
  }

  func testAnOrderThatNoGameServerConfirmsIsRefundedAtTheStore() async throws {
    struct NoServer: DeliveryTarget {
      func deliver(_ delivery: Delivery) async -> Bool { false }
    }
    for store in [Store.apple, .google] {
      let policy = BackendPolicy(
        sandboxReceipts: .anybody, deliverySchedule: DeliverySchedule(retriesAfterMilliseconds: []))
      let world = try SimulatorWorld(store, policy: policy, delivery: NoServer())
      let bought = try await world.buy()
      let customer = try CustomerID("alice")
      let order = try await world.backend.initPayment(
        OrderRequest(customer: customer, product: ProductCode("gems_1200"), store: store, bundleID: "com.example.gems"))
      let receipt = StoreReceipt(try XCTUnwrap(bought["fetch_token"]?.text))
      let paid = try await world.backend.completePayment(
        order.code, post: ReceiptPost(receipt: receipt, customer: customer, source: .purchase))
      XCTAssertEqual(paid.order?.status, .deliveryPending)
      XCTAssertEqual(try world.balance(), 1200)
      // What is due is done at once, and not in the next round of the standing work.
      _ = try await world.send("POST", "/simulator/clock", ["advance_seconds": 600])
      XCTAssertEqual(try world.backend.order(order.code).status, .failed)
      XCTAssertEqual(try world.balance(), 0)
      let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
      let shown = try await world.send("GET", "/simulator/purchases/\(id)").body
      XCTAssertNotNil(shown["refunded_at"]?.integer, shown.text())
    }
  }

  func testApprovalAndRefusalDecideAPendingPurchase() async throws {
    for store in [Store.apple, .google] {
      let world = try SimulatorWorld(store)
      let first = try await world.buy("gems_300", "alice", ["ask_to_buy": true])
      XCTAssertEqual(first["result"], "pending")
      XCTAssertEqual(first["fetch_token"], .null)
      let id = try XCTUnwrap(first["store_transaction_id"]?.text)
      let waiting = try await world.send("GET", "/simulator/purchases/\(id)").body
      XCTAssertEqual(waiting["pending"], true)
      XCTAssertEqual(waiting["fetch_token"], .null)
      let approved = try await world.act("approve", on: id).body
      XCTAssertEqual(approved["paid"], true)
      try await world.post(approved)
      XCTAssertEqual(try world.balance(), 300)
      let twice = try await world.act("approve", on: id)
      XCTAssertEqual(twice.status, 422)
      XCTAssertEqual(twice.body["code"], "not_available")

      let second = try await world.buy("gems_1200", "alice", ["ask_to_buy": true])
      let other = try XCTUnwrap(second["store_transaction_id"]?.text)
      let declined = try await world.act("decline", on: other)
      XCTAssertEqual(declined.status, 200)
      XCTAssertEqual(declined.body["paid"], false)
      let late = try await world.act("approve", on: other)
      XCTAssertEqual(late.status, 422)
      XCTAssertEqual(try world.balance(), 300)
    }
  }

  func testAnInterruptedPurchaseIsCancelledToTheAppAndResolvedLater() async throws {
    let world = try SimulatorWorld()
    let bought = try await world.buy("gems_300", "alice", ["fail": "interrupt"])
    XCTAssertEqual(bought["result"], "cancelled")
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let resolved = try await world.act("resolve", on: id).body
    XCTAssertEqual(resolved["paid"], true)
    try await world.post(resolved)
    XCTAssertEqual(try world.balance(), 300)
  }

  func testTheFailureOfOnePaymentIsGoneWithIt() async throws {
    let world = try SimulatorWorld()
    let failed = try await world.buy("gems_300", "alice", ["fail": "systemError"])
    XCTAssertEqual(failed["result"], "failed")
    XCTAssertEqual(failed["failure"], "systemError")
    let cancelled = try await world.buy("gems_300", "alice", ["fail": "cancel"])
    XCTAssertEqual(cancelled["result"], "cancelled")
    let paid = try await world.buy("gems_300")
    XCTAssertEqual(paid["result"], "purchased")
    let faults = try await world.send("GET", "/simulator/faults").body
    XCTAssertEqual(faults["items"], [])
  }

  func testALostAnswerIsAPaidPurchaseThatTheListShows() async throws {
    let world = try SimulatorWorld()
    let lost = try await world.buy("gems_300", "alice", ["fail": "networkCutAfter"])
    XCTAssertEqual(lost["failure"], "networkError")
    let listed = try await world.send("GET", "/simulator/purchases?store_account=alice").body
    let one = try XCTUnwrap(listed["items"]?.array?.first)
    XCTAssertEqual(one["paid"], true)
    let id = try XCTUnwrap(one["store_transaction_id"]?.text)
    try await world.post(try await world.send("GET", "/simulator/purchases/\(id)").body)
    XCTAssertEqual(try world.balance(), 300)
  }

  func testTwoCustomersOnOneDeviceGetTheirOwnPurchases() async throws {
    let world = try SimulatorWorld()
    let family: JSONObject = ["store_account": "family", "device": "tablet"]
    _ = try await world.buyAll("gems_300", "alice", family)
    let bobs = try await world.buy("gems_300", "bob", family)
    XCTAssertEqual(bobs["new"], true)
    // The receipt names its buyer, whoever posts it.
    try await world.post(bobs, as: "alice")
    XCTAssertEqual(try world.balance("alice"), 300)
    XCTAssertEqual(try world.balance("bob"), 300)
    let listed = try await world.send("GET", "/simulator/purchases?store_account=family&limit=1").body
    XCTAssertEqual(listed["items"]?.array?.count, 1)
    XCTAssertNotNil(listed["next_page"]?.text)
  }

  func testWhatTheCatalogGainsIsOnSale() async throws {
    let world = try SimulatorWorld()
    let text = String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self)
    let pack = text.replacingOccurrences(of: "gems_300", with: "new_pack")
    try world.ledger.apply(Catalog.load(Array(pack.utf8)))
    let bought = try await world.buy("new_pack", "alice", ["deliver": true])
    XCTAssertEqual(bought["credit"]?["credited"], ["GEM": 300])
  }

  func testManyPaymentsAtOnceAreEachCreditedOnce() async throws {
    let world = try SimulatorWorld()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let bought = try await world.buy("gems_300", "c\(number % 5)", ["store_account": .string("a\(number)")])
          try await world.post(bought, as: "c\(number % 5)")
          try await world.post(bought, as: "c\(number % 5)")
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<5 { XCTAssertEqual(try world.balance("c\(number)"), 1200) }
  }
}
#endif
