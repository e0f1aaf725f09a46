#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// What SDKs of others post: an answer of 4xx makes them give a purchase up, so it is for what can never be credited.
final class ReceiptIntakeTests: XCTestCase {
  private func receipt(
    _ receipts: LocalReceipts, _ world: APIWorld, _ id: String = "1", product: String = "gems_300",
    bundle: String = "com.example.gems"
  ) throws -> String {
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id), bundleID: bundle,
      storeProductID: product, productType: .consumable, purchasedAt: world.time.now, signedAt: world.time.now)
    return receipts.receipt(for: transaction).text
  }

  private func post(
    _ world: APIWorld, _ token: String, key: String? = nil, with others: JSONObject = [:]
  ) async throws -> APIWorld.Answer {
    var body: JSONObject = ["fetch_token": .string(token), "app_user_id": "alice"]
    for (name, value) in others.members { body[name] = value }
    return try await world.send("POST", "/v1/receipts", .object(body), key: key)
  }

  private func gems(_ world: APIWorld) throws -> Int64 {
    do throws(LedgerError) {
      return try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance
    } catch {
      guard error.code == .customerNotFound else { throw error }
      return 0
    }
  }

  private func round(_ world: APIWorld) async throws -> MaintenanceReport {
    let watch = ReceiptWatch(world.project, ServerLog(clock: world.time.clock) { _ in })
    return try await MaintenanceRunner(backend: world.backend, jobs: [watch.job]).runOnce()
  }

  func testMembersOfAnySDKAreTaken() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let world = try APIWorld(verifier: receipts)
    let names = [
      "aad_attribution_token", "payment_mode", "presented_workflow_id", "presented_step_id", "some_future_member",
    ]
    for (index, name) in names.enumerated() {
      let answer = try await post(world, receipt(receipts, world, "\(index)"), with: [name: ["any": [1, nil]]])
      XCTAssertEqual(answer.status, 200, name)
      XCTAssertEqual(answer.body["purchased_products"]?["gems_300"]?["should_consume"], true)
    }
    XCTAssertEqual(try gems(world), Int64(names.count) * 300)
    // A price in the body is neither compared nor kept.
    let answer = try await post(world, receipt(receipts, world, "p"), with: ["price": "0.01", "currency": "XXX"])
    XCTAssertEqual(answer.status, 200)
  }

  func testWhatMayBeMendedIs503AndWhatIsForgedIs400() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let world = try APIWorld(verifier: receipts)
    let held = try await post(world, receipt(receipts, world, "1", product: "new"))
    XCTAssertEqual(held.status, 503)
    XCTAssertEqual(held.body["error"]?["code"]?.text, "validation_pending")
    XCTAssertNotNil(held.header("Retry-After"))
    let foreign = try await post(world, receipt(receipts, world, "2", bundle: "com.example.other"))
    XCTAssertEqual(foreign.status, 503)
    let genuine = try receipt(receipts, world, "3").split(separator: ".")
    let other = try receipt(receipts, world, "4").split(separator: ".")
    let forged = [genuine[0], other[1], genuine[2]].joined(separator: ".")
    for (platform, number) in [("iOS", 7103), ("android", 7662)] as [(String, JSONValue)] {
      let answer = try await world.send(
        "POST", "/v1/receipts", ["fetch_token": .string(forged), "app_user_id": "alice"],
        headers: [("X-Platform", platform)])
      XCTAssertEqual(answer.status, 400)
      XCTAssertEqual(answer.body["code"], number)
      XCTAssertEqual(answer.header("Content-Type"), "application/json")
    }
    XCTAssertEqual(world.project.quarantine.count, 0)
    // Of another root: final for the app, and kept, should this server have the wrong root.
    let strange = try await post(world, receipt(LocalReceipts(session: "s1"), world, "5"))
    XCTAssertEqual(strange.status, 400)
    XCTAssertEqual(world.project.quarantine.count, 1)
    _ = try await round(world)
    XCTAssertEqual(world.project.quarantine.count, 1)
  }

  /// An SDK posts a purchase for ever that no answer lists.
  func testThePostedPurchaseIsListedAlsoWhereAnotherCustomerHasIt() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let world = try APIWorld(verifier: receipts)
    let first = try receipt(receipts, world, "first")
    _ = try await post(world, first)
    world.time.advance(seconds: 60)
    for number in 0..<101 { _ = try await post(world, receipt(receipts, world, "\(number)")) }
    for user in ["alice", "bob"] {
      let answer = try await world.send(
        "POST", "/v1/receipts", ["fetch_token": .string(first), "app_user_id": .string(user)])
      XCTAssertEqual(answer.status, 200)
      let listed = answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array ?? []
      XCTAssertEqual(listed.first?["store_transaction_id"], "first", "oldest first")
      XCTAssertEqual(listed.count, user == "alice" ? 101 : 1)
      XCTAssertEqual(answer.body["purchased_products"]?["gems_300"]?["should_consume"], true)
    }
    XCTAssertEqual(try gems(world), 102 * 300)
  }

  func testWithoutARootPostsAreKeptAndCreditedOnceThereIsOne() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let before = try APIWorld(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    let text = try receipt(receipts, before)
    for _ in 0..<3 {
      let answer = try await post(before, text)
      XCTAssertEqual(answer.status, 503)
    }
    XCTAssertEqual(before.project.quarantine.count, 1)
    // Nothing is proven while the server is as it is.
    var report = try await round(before)
    XCTAssertEqual(report.jobs.last?.counts, ["tried": 1, "done": 0])
    // The server is started anew with the root.
    let after = try APIWorld(ledger: ledger, verifier: receipts)
    report = try await round(after)
    XCTAssertEqual(report.jobs.last?.counts, ["tried": 1, "done": 1])
    XCTAssertEqual(try gems(after), 300)
    XCTAssertEqual(after.project.quarantine.count, 0)
    let again = try await post(after, text)
    XCTAssertEqual(again.status, 200)
    XCTAssertEqual(try gems(after), 300)
  }

  /// An operator reads in the log what keeps purchases waiting, and what to do.
  func testTheLogSaysWhyPurchasesWait() async throws {
    let world = try APIWorld(verifier: StoreVerifiers(apple: nil, google: nil))
    for (token, platform) in [("eyJ.1.x", "iOS"), ("eyJ.2.x", "iOS"), ("token", "android")] {
      _ = try await world.send(
        "POST", "/v1/receipts", ["fetch_token": .string(token), "app_user_id": "alice"],
        headers: [("X-Platform", platform)])
    }
    let lines = Mutex<[String]>([])
    let log = ServerLog(clock: world.time.clock) { line in lines.withLock { $0.append(line) } }
    let watch = ReceiptWatch(world.project, log)
    for _ in 0..<2 {
      _ = try await MaintenanceRunner(backend: world.backend, jobs: [watch.job]).runOnce()
      world.time.advance(seconds: 61)
    }
    let written = lines.withLock { $0 }
    XCTAssertEqual(written.count { $0.contains("--root") && $0.contains(#""waiting":3"#) }, 1, "\(written)")
    XCTAssertEqual(written.count { $0.contains("--google-service-account") }, 1, "\(written)")
    XCTAssertEqual(written.count, 2)
  }

  func testTheQuarantineIsBounded() async throws {
    let world = try APIWorld(verifier: StoreVerifiers(apple: nil, google: nil))
    let long = try await post(world, String(repeating: "x", count: Quarantine.bodyBytesMax + 1))
    XCTAssertEqual(long.status, 503)
    XCTAssertEqual(world.project.quarantine.count, 0)
    for number in 0..<(Quarantine.messagesPerKeyMax + 5) {
      let answer = try await post(world, "eyJ.\(number).x")
      XCTAssertEqual(answer.status, 503)
    }
    XCTAssertEqual(world.project.quarantine.count, Quarantine.messagesPerKeyMax)
    // Another key has room of its own.
    _ = try await post(world, "eyJ.other.x", key: world.appKey)
    XCTAssertEqual(world.project.quarantine.count, Quarantine.messagesPerKeyMax + 1)
    // After a month it is given up.
    world.time.advance(seconds: 31 * 86_400)
    let report = try await round(world)
    XCTAssertEqual(report.jobs.last?.counts["done"], Quarantine.messagesPerKeyMax + 1)
    XCTAssertEqual(world.project.quarantine.count, 0)
  }

  func testAPurchaseTokenAloneIsLookedUpAtGoogle() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    let world = play.world
    let headers = [(name: "X-Platform", value: "android")]
    func post(_ token: String) async throws -> APIWorld.Answer {
      try await world.send(
        "POST", "/v1/receipts", ["fetch_token": .string(token), "app_user_id": "alice"], headers: headers)
    }
    try play.google.set("hkdmnb.AO-J1Ox")
    let credited = try await post("hkdmnb.AO-J1Ox")
    XCTAssertEqual(credited.status, 200)
    XCTAssertEqual(try gems(world), 300)
    // A second post of it is the same credit.
    let again = try await post("hkdmnb.AO-J1Ox")
    XCTAssertEqual(again.status, 200)
    XCTAssertEqual(try gems(world), 300)
    // While Google does not answer, nothing is lost.
    try play.google.set("later")
    play.google.state.withLock { $0.isDown = true }
    let kept = try await post("later")
    XCTAssertEqual(kept.status, 503)
    XCTAssertEqual(world.project.quarantine.count, 1)
    play.google.state.withLock { $0.isDown = false }
    world.time.advance(seconds: 120)
    _ = try await round(world)
    XCTAssertEqual(try gems(world), 600)
    XCTAssertEqual(world.project.quarantine.count, 0)
  }

  /// A post of a purchase that waits for its payment is remembered: its poster is credited once it is paid.
  func testWhoPostedAPendingPurchaseIsCreditedOnceItIsPaid() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    let headers = [(name: "X-Platform", value: "android")]
    func post(_ token: String) async throws -> APIWorld.Answer {
      try await play.world.send(
        "POST", "/v1/receipts", ["fetch_token": .string(token), "app_user_id": "alice"], headers: headers)
    }
    try play.google.set("later", state: "PENDING", buyer: nil)
    let pending = try await post("later")
    XCTAssertEqual(pending.status, 503)
    XCTAssertEqual(try gems(play.world), 0)
    try play.google.set("later", buyer: nil)
    let told = try await play.push(PlayWorld.purchased("later"))
    XCTAssertEqual(told.outcome, "credited")
    XCTAssertEqual(try gems(play.world), 300)
    try play.google.set("never", state: "CANCELLED", buyer: nil, isDeclined: true)
    let declined = try await post("never")
    XCTAssertEqual(declined.status, 400)
    XCTAssertEqual(try play.world.backend.heldCounts(), [.declined: 1])
  }

  func testAnAppWithoutAnIDHasSoldSomethingAllTheSame() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    try play.google.set("t1", buyer: nil)
    let answer = try await play.world.send(
      "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "null"],
      headers: [(name: "X-Platform", value: "android")])
    XCTAssertEqual(answer.body["error"]?["code"]?.text, "invalid_user_id")
    XCTAssertEqual(try play.world.backend.heldCounts(), [.unattributed: 1])
  }

  /// The second step of an order takes what it cannot verify yet, as a post without an order does.
  func testAnOrdersReceiptIsKeptUntilItCanBeVerified() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let before = try APIWorld(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    let alice = try CustomerID("alice")
    var codes: [PurchaseCode] = []
    for key in ["sdk", "payment"] {
      codes.append(
        try await before.backend.initPayment(
          OrderRequest(
            customer: alice, product: ProductCode("gems_300"), store: .apple, bundleID: "com.example.gems",
            key: IdempotencyKey(key))
        ).code)
    }
    let sdk = try await before.send(
      "POST", "/v1/orders/\(codes[0])/complete",
      ["fetch_token": .string(try receipt(receipts, before, "1")), "app_user_id": "alice"])
    XCTAssertEqual(sdk.status, 503)
    _ = try await before.send(
      "POST", "/api/v1/client/purchase/complete-payment",
      ["purchaseCode": .string(codes[1].text), "receiptData": .string(try receipt(receipts, before, "2"))])
    XCTAssertEqual(before.project.quarantine.count, 2)
    let after = try APIWorld(ledger: ledger, verifier: receipts)
    _ = try await round(after)
    XCTAssertEqual(try gems(after), 600)
    XCTAssertEqual(try codes.map { try after.backend.order($0).status }, [.success, .success])
  }

  func testAReceiptForAnOrderThatNobodyKnowsIsHeld() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let world = try APIWorld(verifier: receipts)
    let sdk = try await world.send(
      "POST", "/v1/orders/PC-NOBODY-KNOWS/complete",
      ["fetch_token": .string(try receipt(receipts, world, "1")), "app_user_id": "alice"])
    XCTAssertEqual(sdk.status, 503)
    for (id, player) in [("2", "alice"), ("3", nil)] {
      var body: JSONObject = [
        "purchaseCode": "PC-NOBODY-KNOWS", "receiptData": .string(try receipt(receipts, world, id)),
      ]
      if let player { body["sdkUserId"] = .string(player) }
      let payment = try await world.send("POST", "/api/v1/client/purchase/complete-payment", .object(body))
      XCTAssertNotEqual(payment.body["statusCode"]?.integer, 1000)
    }
    XCTAssertEqual(try world.backend.heldCounts(), [.unattributed: 3])
    XCTAssertEqual(try gems(world), 0)
  }

  /// Whoever knows an address for notifications cannot take the room of apps.
  func testNotificationsLeaveRoomForPosts() async throws {
    let world = try APIWorld(verifier: StoreVerifiers(apple: nil, google: nil))
    let body = String(repeating: "x", count: Quarantine.bodyBytesMax - 10)
    var kept = 0
    for number in 0..<1000 {
      guard try world.project.quarantine.keep(.init(.appleNotice, "\(body)\(number)"), from: "apple\(number)") else {
        break
      }
      kept += 1
    }
    XCTAssertEqual(kept, Quarantine.openBytesMax / (Quarantine.bodyBytesMax + 200))
    XCTAssertTrue(try world.project.quarantine.keep(.init(.receipt, "eyJ.1.x"), from: "app"))
  }

  func testAPurchaseTokenWithoutAnAccountIsKept() async throws {
    let world = try APIWorld()
    let answer = try await world.send(
      "POST", "/v1/receipts", ["fetch_token": "hkdmnb.AO-J1Ox", "app_user_id": "alice"],
      headers: [(name: "X-Platform", value: "android")])
    XCTAssertEqual(answer.status, 503)
    XCTAssertEqual(world.project.quarantine.count, 1)
  }
}
#endif
