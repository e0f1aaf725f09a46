#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreReceipts
import SystemCrypto
import SystemHTTP
import XCTest

@testable import GemServer

/// Google's simulated servers, and this project's own look-ups against them, over HTTP.
final class SimulatedGoogleTests: XCTestCase {
  private func withWorld(
    timeout: Duration = .seconds(30), _ body: (SimulatedGoogleWorld) async throws -> Void
  ) async throws {
    let world = try await SimulatedGoogleWorld(timeout: timeout)
    do { try await body(world) } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  // MARK: Purchases

  func testATokenIsCreditedAndConsumed() async throws {
    try await withWorld { world in
      let token = try await world.buy(quantity: 2)
      for _ in 0..<2 {
        let answer = try await world.post(token, source: "restore")
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(try world.gems(), 600)
      }
      XCTAssertFalse(try world.purchase(token).isConsumed)
      for _ in 0..<2 { try await world.maintain() }
      XCTAssertTrue(try world.purchase(token).isConsumed)
      // It can be bought again.
      let next = try await world.buy()
      XCTAssertNotEqual(next, token)
      // The older call knows it too.
      let lookUp = PlayLookUp(
        packageName: "com.example.gems", token: try StoreTransactionID(next), askedAt: world.seller.ledger.clock.now())
      let found = try await world.api.purchase(lookUp)
      let reply = try await world.api.get("products/gems_300/tokens/\(next)", of: "com.example.gems")
      let older = try PlayProductPurchase(
        json: reply.body,
        for: .init(
          packageName: lookUp.packageName, token: lookUp.token, productID: "gems_300",
          fetchedAt: try XCTUnwrap(found.lines.first).transaction.signedAt))
      XCTAssertEqual(found.lines, older.lines)
      XCTAssertEqual(found.transactions.first?.environment, .sandbox)
    }
  }

  func testAPurchaseOfSeveralProducts() async throws {
    try await withWorld { world in
      let token = try await world.buy(quantity: 2)
      try await world.control(
        "/google/line_items",
        ["store_transaction_id": .string(token), "product_id": "gems_1200", "quantity": 3])
      let answer = try await world.post(token, source: "restore")
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try world.gems(), 2 * 300 + 3 * 1200)
      for _ in 0..<2 { try await world.maintain() }
      let reply = try await world.api.get("productsv2/tokens/\(token)", of: "com.example.gems")
      let states = reply.json?["productLineItem"]?.array?.map { $0["productOfferDetails"]?["consumptionState"]?.text }
      XCTAssertEqual(states, ["CONSUMPTION_STATE_CONSUMED", "CONSUMPTION_STATE_CONSUMED"])
      let older = try await world.api.get("products/gems_1200/tokens/\(token)", of: "com.example.gems")
      XCTAssertEqual(older.json?["quantity"], 3)
      let refused = try await world.api.get("products/gems_6500/tokens/\(token)", of: "com.example.gems")
      XCTAssertEqual(refused.status, 404)
      try await world.control("/purchases/\(token)/actions/refund")
      _ = try await world.post(token)
      XCTAssertEqual(try world.gems(), 0)
    }
  }

  func testNotificationsArePushedAndApplied() async throws {
    try await withWorld { world in
      try await world.control("/google/notifications", ["url": .string(world.pushURL)])
      let token = try await world.buy()
      // A tester's purchase waits for its post.
      XCTAssertEqual(try world.gems(), 0)
      _ = try await world.post(token)
      XCTAssertEqual(try world.gems(), 300)
      let refunded = try await world.control("/purchases/\(token)/actions/refund")
      XCTAssertEqual(refunded["notice_error"], .null, refunded.text())
      XCTAssertEqual(try world.gems(), 0)
      // One that is not taken waits for the next control.
      try await world.control("/google/notifications", ["url": "http://127.0.0.1:1/"])
      let failed = try await world.control(
        "/purchases", ["product_id": "gems_300", "app_user_id": "alice"])
      XCTAssertEqual(failed["notice_error"]?["code"], "backend_unreachable")
      let sent = try await world.control("/google/notifications", ["url": .string(world.pushURL)])
      XCTAssertEqual(sent["notice_error"], .null)
    }
  }

  func testARenewalIsCreditedOnce() async throws {
    try await withWorld { world in
      try await world.control("/google/notifications", ["url": .string(world.pushURL)])
      let token = try await world.buy("monthly")
      let answer = try await world.post(token, source: "restore", products: ["monthly"])
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try world.gems(), 50)
      try await world.maintain()
      XCTAssertTrue(try world.purchase(token).isAcknowledged)
      // A post of a purchase does not name the order; the newest one counts.
      _ = try await world.post(token, products: ["monthly"])
      XCTAssertEqual(try world.gems(), 50)
      try await world.control("/clock", ["advance_seconds": .integer(32 * 86_400)])
      XCTAssertEqual(try world.purchase(token).orderIDs.count, 2)
      XCTAssertEqual(try world.gems(), 100)
    }
  }

  func testARefundedSubscriptionIsClawedBack() async throws {
    try await withWorld { world in
      try await world.control("/google/notifications", ["url": .string(world.pushURL)])
      let token = try await world.buy("monthly")
      _ = try await world.post(token, source: "restore", products: ["monthly"])
      try await world.maintain()
      try await world.control("/clock", ["advance_seconds": .integer(32 * 86_400)])
      XCTAssertEqual(try world.gems(), 100)
      let refunded = try await world.control("/purchases/\(token)/actions/refund")
      XCTAssertEqual(refunded["notice_error"], .null, refunded.text())
      XCTAssertEqual(try world.gems(), 100)
      for _ in 0..<2 {
        try await world.maintain()
        XCTAssertEqual(try world.gems(), 50)
        _ = try await world.post(token, products: ["monthly"])
      }
    }
  }

  func testAnOrderIsRefundedByTheSeller() async throws {
    try await withWorld { world in
      let token = try await world.buy()
      _ = try await world.post(token)
      let order = try XCTUnwrap(world.purchase(token).orderID)
      try await world.api.refund(order: order, of: "com.example.gems")
      _ = try await world.post(token)
      XCTAssertEqual(try world.gems(), 0)
      let reply = try await world.api.get("voidedpurchases?type=1", of: "com.example.gems")
      let voided = try XCTUnwrap(reply.json?["voidedPurchases"]?.array)
      XCTAssertEqual(voided.map { $0["purchaseToken"]?.text }, [token])
      XCTAssertEqual(voided.first?["orderId"]?.text, order)
      do {
        try await world.api.refund(order: order, of: "com.example.gems")
        XCTFail("It was refunded before")
      } catch { XCTAssertEqual((error as? LedgerError)?.code, .purchaseNotFound) }
    }
  }

  // MARK: Faults

  func testEveryRefusalHoldsThePurchaseUntilItEnds() async throws {
    try await withWorld { world in
      let token = try await world.buy()
      for status in [400, 403, 404, 409, 410, 429, 500, 503] as [Int64] {
        // The newer call is refused; the other one does not know the token.
        try await world.control("/api-faults", ["call": "product", "status": .integer(status)])
        let answer = try await world.post(token)
        XCTAssertEqual(answer.status, 503, "\(status): \(answer.body.text())")
        XCTAssertEqual(world.seller.project.quarantine.count, 1)
      }
      // A refused access token is replaced, and the request is repeated.
      try await world.control("/api-faults", ["call": "product", "status": 401])
      let answer = try await world.post(token)
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try world.gems(), 300)
    }
  }

  /// The answer to a completion is lost: it was done all the same.
  func testALostAnswerCompletesOnce() async throws {
    try await withWorld { world in
      let token = try await world.buy()
      _ = try await world.post(token, source: "restore")
      try await world.control("/api-faults", ["call": "consume", "status": 500, "after": true])
      try await world.maintain()
      XCTAssertTrue(try world.purchase(token).isConsumed)
      XCTAssertEqual(try world.seller.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 1)
    }
  }

  /// An app waits for the answer: if Google's is slow, the purchase is held meanwhile.
  func testASlowAnswer() async throws {
    try await withWorld(timeout: .milliseconds(400)) { world in
      let token = try await world.buy()
      for call in ["token", "product"] {
        try await world.control("/api-faults", ["call": .string(call), "delay_milliseconds": 1500])
        let answer = try await world.post(token)
        XCTAssertEqual(answer.status, 503)
        XCTAssertEqual(world.seller.project.quarantine.count, 1)
      }
    }
  }

  // MARK: Credentials

  func testTheTokenEndpointChecksTheAssertion() async throws {
    try await withWorld { world in
      let file = try await JSONValue.parse(
        world.control("/api-faults", ["call": "voided", "status": 500]).text().utf8.map(\.self))
      XCTAssertEqual(file["items"]?.array?.last?["call"], "voided")
      func exchange(_ body: String) async throws -> HTTPReply {
        try await world.sender.post(
          OutgoingURL("\(world.url)/token"), headers: [("Content-Type", "application/x-www-form-urlencoded")],
          body: Array(body.utf8)
        ).get()
      }
      let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
      for (body, word) in [
        ("grant_type=password", "unsupported_grant_type"), (grant, "invalid_grant"),
        ("\(grant)&assertion=e30.e30.x", "invalid_grant"),
      ] {
        let reply = try await exchange(body)
        XCTAssertEqual(reply.status, 400)
        XCTAssertEqual(reply.json?["error"]?.text, word)
      }
      let other = FakeGoogle.key
      let keyFile: JSONObject = [
        "type": "service_account", "client_email": "simulator@gemledger-simulator.iam.gserviceaccount.com",
        "private_key": .string(Crypto.pem(of: other)), "token_uri": .string(world.url + "/token"),
      ]
      let account = try GoogleServiceAccount(json: Array(JSONValue.object(keyFile).text().utf8))
      let forged = try await exchange(
        "\(grant)&assertion=\(account.assertion(for: PlayDeveloperAPI.scope, at: LedgerClock.system.now()))")
      XCTAssertEqual(forged.json?["error_description"]?.text, "Invalid JWT Signature.")
      let headers = [(name: "Authorization", value: "Bearer ya29.nobody")]
      let path = "androidpublisher/v3/applications/com.example.gems/purchases/productsv2/tokens/t"
      let refused = try await world.sender.get(OutgoingURL("\(world.url)/\(path)"), headers: headers).get()
      XCTAssertEqual(refused.status, 401)
      XCTAssertEqual(refused.json?["error"]?["errors"]?.array?.first?["reason"], "authError")
      // The server's own operations are as they were.
      let own = try await world.sender.get(OutgoingURL("\(world.url)/healthz"), headers: []).get()
      XCTAssertEqual(own.status, 200)
    }
  }
}
#endif
