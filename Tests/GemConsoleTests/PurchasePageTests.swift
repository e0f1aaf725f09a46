#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import StoreBackend
import Synchronization
import XCTest

/// What operators do about purchases at stores.
final class PurchasePageTests: XCTestCase {
  private let held = "/console/purchases/apple/sandbox/20000001"

  /// As a server leaves it that received a purchase of a product which its catalog does not have.
  private func hold(_ world: ConsoleWorld, note: String = "gems_new") throws {
    let content = """
      {"transactionId":"20000001","bundleId":"com.example.gems","productId":"\(note)","purchaseDate":1790000000000,\
      "quantity":1,"type":"Consumable","signedDate":0,"environment":"Sandbox","price":990,"currency":"USD"}
      """
    let hold = ReceiptHold(
      store: .apple, environment: .sandbox, transactionID: try StoreTransactionID("20000001"),
      statedAt: world.time.now, statement: StoreStatement(content: content), reason: .product)
    _ = try world.ledger.book(.holdReceipt(hold, customer: try CustomerID("alice")))
  }

  private func gems(_ world: ConsoleWorld, _ customer: String) throws -> Int64 {
    try world.ledger.balance(of: "GEM", customer: customer).balance
  }

  func testAHeldPurchaseIsCreditedOnceToTheChosenCustomer() async throws {
    let world = try ConsoleWorld()
    try hold(world)
    let browser = try await world.browser()
    let list = try await browser.open("/console/purchases")
    XCTAssertTrue(list.words.contains("add the product with its store product id"), list.words)
    XCTAssertTrue(list.links.contains(held) && list.links.contains("/console/purchases/held/product"))
    let page = try await browser.open(held)
    XCTAssertTrue(page.words.contains("\"productId\": \"gems_new\""), page.words)
    let form = try await browser.open(held + "/credit")
    let values = ["customer": "bob", "product": "gems_1200", "reason": "case 17"]
    let preview = try await browser.submit(form, nil, values, step: "preview")
    XCTAssertTrue(preview.words.contains("+1,200"), preview.words)
    XCTAssertThrowsError(try gems(world, "bob"))
    let done = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertTrue(done.words.contains("Booked.") && done.words.contains("case 17"), done.words)
    world.time.advance(seconds: 5)
    let again = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(again.status, 412, again.words)
    XCTAssertTrue(again.words.contains("sent before"), again.words)
    XCTAssertEqual(try gems(world, "bob"), 1200)
    XCTAssertTrue(try world.backend.heldPurchases(for: .product).isEmpty)
    let credited = try await browser.open(held)
    XCTAssertTrue(credited.links.contains("/console/customers/bob"), credited.words)
  }

  func testAHeldPurchaseWithoutAKnownProductNeedsAProduct() async throws {
    let world = try ConsoleWorld()
    try hold(world)
    let browser = try await world.browser()
    let form = try await browser.open(held + "/credit")
    let refused = try await browser.submit(form, nil, ["reason": "r"], step: "confirm")
    XCTAssertEqual(refused.status, 404)
    XCTAssertTrue(refused.words.contains("product_not_found"), refused.words)
    XCTAssertEqual(try world.backend.heldPurchases(for: .product).count, 1)
  }

  func testARefundIsRecordedOnceAndReversed() async throws {
    let world = try ConsoleWorld()
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let path = "/console/purchases/apple/production/p1"
    let form = try await browser.open(path + "/refund")
    let values = ["extent": "share", "amount": "25", "reason": "store support"]
    let preview = try await browser.submit(form, nil, values, step: "preview")
    XCTAssertTrue(preview.words.contains("-300"), preview.words)
    XCTAssertEqual(try gems(world, "alice"), 1200)
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try gems(world, "alice"), 900)
    world.time.advance(seconds: 5)
    let again = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertTrue(again.words.contains("nothing was booked twice"), again.words)
    XCTAssertEqual(try gems(world, "alice"), 900)
    let page = try await browser.open(path)
    XCTAssertTrue(page.words.contains("25 %"), page.words)
    XCTAssertTrue(page.links.contains("/console/customers/alice/history?kind=refund"), page.words)
    try await browser.act(path + "/reverse-refund")
    XCTAssertEqual(try gems(world, "alice"), 1200)
    _ = try await world.project.verifying.run(by: "test")
    XCTAssertEqual(try world.project.verifying.newest()?.isOK, true)
  }

  func testRefundsOfUnitsAddUpAndBadExtentsAreRefused() async throws {
    let world = try ConsoleWorld()
    try world.ledger.creditPurchase(Make.purchase("p1", quantity: 3), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let path = "/console/purchases/apple/production/p1/refund"
    let form = try await browser.open(path)
    for (extent, amount) in [
      ("share", "a"), ("share", ""), ("share", "0"), ("share", "100.1"), ("share", "1e2"), ("share", "12.3456"),
      ("units", "0"), ("units", "1.5"), ("", "1"), ("all", "1"),
    ] {
      let values = ["extent": extent, "amount": amount, "reason": "r"]
      let refused = try await browser.submit(form, nil, values, step: "confirm")
      XCTAssertEqual(refused.status, 400, "\(extent) \(amount)")
    }
    XCTAssertEqual(try gems(world, "alice"), 3600)
    for left in [2400, 1200] as [Int64] {
      world.time.advance(seconds: 60)
      try await browser.act(path, ["extent": "units", "amount": "1"])
      XCTAssertEqual(try gems(world, "alice"), left)
    }
  }

  func testAPurchaseOfATestSessionIsRefunded() async throws {
    let world = try ConsoleWorld()
    let environment = try StoreEnvironment.localTesting(session: "a b/ü&?")
    try world.ledger.creditPurchase(
      Make.purchase("p/1?", store: .test, environment: environment), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let list = try await browser.open("/console/customers/alice/purchases")
    let path = try XCTUnwrap(list.links.first { $0.hasPrefix("/console/purchases/test/local_testing/") })
    let page = try await browser.open(path)
    XCTAssertEqual(page.title, "Purchase")
    try await browser.act(try XCTUnwrap(page.links.first { $0.contains("/refund") }), ["extent": "full"])
    XCTAssertEqual(try gems(world, "alice"), 0)
    let found = try await browser.open("/console/purchases?id=p%2F1%3F")
    XCTAssertTrue(found.links.contains(path), found.text)
  }

  func testAnOrderIsDeliveredByHandAndWithdrawnByARefund() async throws {
    let server = GameServer()
    let catalog = try Make.catalog(
      replacing: "{\"code\": \"gems_1200\",", with: "{\"code\": \"gems_1200\", \"store_ids\": {\"apple\": \"g\"},")
    let world = try ConsoleWorld(catalog: catalog, delivery: server)
    let (first, second) = (try await buy("t1", world), try await buy("t2", world))
    let browser = try await world.browser()
    let list = try await browser.open("/console/purchases")
    XCTAssertTrue(list.links.contains("/console/orders/\(first)"), list.words)
    XCTAssertTrue(list.links.contains("/console/orders/\(first)/redeliver"), list.words)
    server.confirms(true)
    let done = try await browser.act("/console/orders/\(first)/redeliver")
    XCTAssertEqual(done.title, "Order")
    XCTAssertTrue(done.words.contains("success") && done.words.contains("<b>role"), done.words)
    XCTAssertEqual(try world.backend.order(first).status, .success)
    try await browser.act("/console/purchases/apple/local_testing/t2/refund?session=s1", ["extent": "full"])
    XCTAssertEqual(try world.backend.order(second).status, .failed)
    let empty = try await browser.open("/console/deliveries/pending")
    XCTAssertFalse(empty.links.contains { $0.hasPrefix("/console/orders/") }, empty.words)
  }

  /// Pays for an order of alice's.
  private func buy(_ id: String, _ world: ConsoleWorld) async throws -> PurchaseCode {
    let alice = try CustomerID("alice")
    let order = try await world.backend.initPayment(
      OrderRequest(
        customer: alice, product: ProductCode("gems_1200"), store: .apple, bundleID: "com.example.gems",
        context: OrderContext(roleID: "<b>role")))
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id),
      bundleID: "com.example.gems", storeProductID: "g", productType: .consumable, purchasedAt: world.time.now,
      signedAt: world.time.now)
    let receipt = try UnsignedReceipts(session: "s1").receipt(for: transaction)
    _ = try await world.backend.completePayment(
      order.code, post: ReceiptPost(receipt: receipt, customer: alice, source: .purchase))
    return order.code
  }

  func testACustomersPurchasesAreListedByPages() async throws {
    let world = try ConsoleWorld()
    for index in 0..<60 { try world.ledger.creditPurchase(Make.purchase("p\(index)"), customer: CustomerID("alice")) }
    let browser = try await world.browser()
    let first = try await browser.open("/console/customers/alice/purchases")
    let next = try XCTUnwrap(first.links.first { $0.contains("after=") })
    let second = try await browser.open(next)
    let links = (first.links + second.links).filter { $0.hasPrefix("/console/purchases/apple/") }
    XCTAssertEqual(Set(links).count, 60)
  }

  func testAReaderSeesPurchasesAndChangesNothing() async throws {
    let world = try ConsoleWorld()
    try hold(world, note: "<script>x</script>")
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    let reader = try await world.browser("customer_information:purchases:read")
    for path in ["/console/purchases", held, "/console/purchases/apple/production/p1"] {
      let page = try await reader.open(path)
      XCTAssertEqual(page.status, 200, page.words)
      XCTAssertFalse(page.text.contains("<script>x"), path)
      XCTAssertFalse(page.links.contains { $0.contains("/credit") || $0.contains("/refund") }, path)
    }
    let stranger = try await world.browser("customer_information:customers:read_write")
    for (browser, path) in [
      (reader, held + "/credit"), (reader, "/console/purchases/apple/production/p1/refund"),
      (stranger, "/console/purchases"), (stranger, held), (stranger, "/console/orders/x"),
    ] {
      let refused = try await browser.open(path)
      XCTAssertEqual(refused.status, 403, path)
    }
    for path in ["apple/production/none", "shop/production/p1", "apple/moon/p1", "apple/xcode/p1"] {
      let missing = try await reader.open("/console/purchases/" + path)
      XCTAssertEqual(missing.status, 404, path)
    }
  }
}

/// A game server that confirms when a test says so.
private final class GameServer: DeliveryTarget {
  private let isConfirming = Mutex(false)

  func confirms(_ confirms: Bool) { isConfirming.withLock { $0 = confirms } }
  func deliver(_ delivery: Delivery) async -> Bool { isConfirming.withLock { $0 } }
}
#endif
