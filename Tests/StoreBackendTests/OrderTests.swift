import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Purchases that are announced before the payment.
final class OrderTests: XCTestCase {
  private static let context = OrderContext(
    gameID: "65a1f3b", roleID: "char-12345", roleName: "PlayerOne", serverID: "server-01", rechargeType: "IN_GAME",
    extraData: "{\"campaign\": 7}")

  func testAnOrderIsAnnouncedPaidAndRemembered() async throws {
    let shop = try Shop()
    let request = try shop.request(context: Self.context)
    let order = try await shop.backend.initPayment(request)
    XCTAssertEqual(order.status, .pending)
    XCTAssertEqual(order.request, request)
    XCTAssertEqual(order.deadline, shop.after(hours: 24))
    XCTAssertEqual(PaymentStatusCode(opened: order), .success)
    shop.time.advance(seconds: 60)
    let answer = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1")))
    XCTAssertEqual(answer.order?.status, .success)
    XCTAssertEqual(answer.order?.storeTransactionID?.text, "t1")
    XCTAssertEqual(answer.order?.request.context, Self.context)
    XCTAssertEqual(answer.order?.updatedAt, shop.time.now)
    XCTAssertEqual(PaymentStatusCode(completed: answer), .success)
    // History names the order.
    let history = try shop.ledger.history(of: CustomerID("alice")).transactions
    XCTAssertEqual(history.map(\.reference?.text), [order.code.text])
    XCTAssertEqual(try shop.backend.orders(of: CustomerID("alice")).map(\.code), [order.code])
    try assertBooksAddUp(shop.ledger)
  }

  func testAPurchaseCodeTellsStoreAndDayAndCannotBeGuessed() async throws {
    let shop = try Shop()
    var codes: Set<String> = []
    for _ in 0..<100 { codes.insert(try await shop.backend.initPayment(shop.request()).code.text) }
    XCTAssertEqual(codes.count, 100)
    for code in codes {
      XCTAssertTrue(code.hasPrefix("AP260101"), code)
      XCTAssertEqual(code.count, 24, code)
    }
    var google = try shop.request()
    google.store = .google
    let order = try await shop.backend.initPayment(google)
    XCTAssertTrue(order.code.text.hasPrefix("GG260101"))
  }

  /// The key is looked up before the offer, and the backend's additions to a request are no part of it.
  func testAnAnnouncedOrderIsFoundWhateverTheCatalogSaysSince() async throws {
    let shop = try Shop()
    var request = try shop.request(key: "k")
    request.price = Money(minorUnits: 999, currency: "USD")
    let first = try await shop.backend.initPayment(request)
    let catalog = try Shop.catalog()
    func gems(
      _ code: String = "gems", storeIDs: [String: String] = ["apple": "gems.apple"], isActive: Bool = true,
      price: String = "9.99"
    ) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: storeIDs, type: .consumable, isActive: isActive,
        localizations: catalog.products[0].localizations,
        prices: [.unitedStates: try Price(price, in: StorefrontCode.unitedStates.currency)],
        grants: catalog.products[0].grants)
    }
    let changes: [(LedgerError.Code, Product)] = [
      (.notAvailable, try gems(isActive: false)), (.productNotFound, try gems(storeIDs: ["google": "gems.google"])),
      (.amountMismatch, try gems(price: "1.99")), (.productNotFound, try gems("gems_2")),
    ]
    for (code, product) in changes {
      try shop.ledger.apply(Catalog(currencies: catalog.currencies, products: [product], settings: catalog.settings))
      let again = try await shop.backend.initPayment(request)
      XCTAssertEqual([again.code], [first.code])
      XCTAssertTrue(again.isReplayed)
      var other = request
      other.key = IdempotencyKey(unchecked: "other")
      await assertRefused(code) { try await shop.backend.initPayment(other) }
      other.key = request.key
      other.quantity = 2
      await assertRefused(.keyConflict) { try await shop.backend.initPayment(other) }
    }
    XCTAssertEqual(try shop.backend.orders(of: CustomerID("alice")).count, 1)
  }

  func testAnAnnouncedOrderIsFoundAfterItsCostsChanged() async throws {
    let shop = try Shop()
    let request = try shop.request(key: "k")
    let first = try await shop.backend.initPayment(request)
    var policy = BackendPolicy()
    policy.currencyPrices = [request.product: [Adjustment(try CurrencyCode("GEM"), 5)]]
    let dearer = LocalBackend(ledger: shop.ledger, verifier: shop.receipts, policy: policy)
    let again = try await dearer.initPayment(request)
    XCTAssertEqual([again.code], [first.code])
    XCTAssertEqual(again.costs, [])
  }

  func testTheSameRequestUnderOneKeyIsOneOrder() async throws {
    let shop = try Shop()
    let first = try await shop.backend.initPayment(shop.request(key: "k"))
    let again = try await shop.backend.initPayment(shop.request(key: "k"))
    XCTAssertEqual(again.code, first.code)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(PaymentStatusCode(opened: again), .purchaseExists)
    let refusal = await assertRefused(.keyConflict) {
      try await shop.backend.initPayment(shop.request(key: "k", context: Self.context))
    }
    XCTAssertEqual(refusal?.text("field"), "game_id")
    let others = try await shop.backend.initPayment(shop.request(customer: "bob", key: "k"))
    XCTAssertNotEqual(others.code, first.code)
  }

  func testCompletingAgainGivesTheFirstAnswer() async throws {
    let shop = try Shop()
    let order = try await shop.backend.initPayment(shop.request())
    let post = try shop.post(shop.transaction("t1"))
    let first = try await shop.backend.completePayment(order.code, post: post)
    let again = try await shop.backend.completePayment(order.code, post: post)
    XCTAssertEqual(again.booking.transactionID, first.booking.transactionID)
    XCTAssertEqual(again.order?.status, .success)
    XCTAssertEqual(PaymentStatusCode(completed: again), .alreadyCompleted)
    XCTAssertEqual(try shop.gems(), 1200)
    // The receipt alone finds the order too.
    let posted = try await shop.backend.post(post)
    XCTAssertEqual(posted.order?.code, order.code)
  }

  func testFiftyParallelCompletionsAreOne() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    let order = try await shop.backend.initPayment(shop.request())
    let post = try shop.post(shop.transaction("t1"))
    let answers = try await withThrowingTaskGroup(of: ReceiptAnswer.self) { group in
      for _ in 0..<50 { group.addTask { try await shop.backend.completePayment(order.code, post: post) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(answers.count { !$0.booking.isReplayed }, 1)
    XCTAssertEqual(server.heard.map(\.purchaseCode), [order.code])
    XCTAssertEqual(try shop.backend.order(order.code).status, .success)
    XCTAssertEqual(try shop.gems(), 1200)
  }

  func testWhatIsPaidLateOrAfterGivingUpIsCreditedAndSucceeds() async throws {
    let shop = try Shop()
    let late = try await shop.backend.initPayment(shop.request())
    let givenUp = try await shop.backend.initPayment(shop.request())
    let cancelled = try await shop.backend.cancelPayment(givenUp.code)
    XCTAssertEqual(cancelled.status, .failed)
    XCTAssertFalse(cancelled.isReplayed)
    let again = try await shop.backend.cancelPayment(givenUp.code)
    XCTAssertTrue(again.isReplayed)
    shop.time.advance(seconds: 86_400)
    XCTAssertEqual(try shop.backend.order(late.code).status, .failed)
    for (id, order) in [("t1", late), ("t2", givenUp)] {
      let answer = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction(id)))
      XCTAssertEqual(answer.order?.status, .success)
    }
    XCTAssertEqual(try shop.gems(), 2400)
    // A paid order cannot be cancelled.
    let settled = try await shop.backend.cancelPayment(late.code)
    XCTAssertEqual(settled.status, .success)
    try assertBooksAddUp(shop.ledger)
  }

  func testAReceiptForSomethingElseIsCreditedAndLeavesTheOrder() async throws {
    let shop = try Shop()
    let order = try await shop.backend.initPayment(shop.request())
    for (id, product, quantity) in [("t1", "retired", 1), ("t2", "gems", 2)] {
      let transaction = try shop.transaction(id, product: product, quantity: Int64(quantity))
      let answer = try await shop.backend.completePayment(order.code, post: shop.post(transaction))
      XCTAssertFalse(answer.booking.isReplayed)
      XCTAssertEqual(answer.order?.status, .pending)
    }
    XCTAssertEqual(try shop.gems(), 2450)
    await assertRefused(.orderNotFound) {
      try await shop.backend.completePayment(PurchaseCode("GG0"), post: shop.post(shop.transaction("t3")))
    }
    XCTAssertEqual(try shop.gems(), 2450)
  }

  func testTheOrdersCustomerIsCreditedWhoeverPosts() async throws {
    let shop = try Shop()
    let order = try await shop.backend.initPayment(shop.request())
    let answer = try await shop.backend.completePayment(
      order.code, post: shop.post(shop.transaction("t1"), as: "bob"))
    XCTAssertEqual(answer.booking.customer.text, "alice")
    XCTAssertEqual(try shop.gems(), 1200)
  }

  /// A launch finds a transaction that was paid before: the order is announced after the fact.
  func testAnOrderAnnouncedLateIsFoundOrSettledAtOnce() async throws {
    let shop = try Shop()
    let paid = OrderRequest.PaidTransaction(environment: shop.receipts.environment, id: try StoreTransactionID("t1"))
    let post = try shop.post(shop.transaction("t1"))
    // Nothing was credited yet: an order like any other.
    let early = try await shop.backend.initPayment(shop.request(paidBy: paid))
    XCTAssertEqual(early.status, .pending)
    XCTAssertEqual(PaymentStatusCode(opened: early), .success)
    let answer = try await shop.backend.completePayment(early.code, post: post)
    XCTAssertEqual(answer.order?.status, .success)
    // Credited with an order: that one.
    let known = try await shop.backend.initPayment(shop.request(paidBy: paid))
    XCTAssertEqual(known.code, early.code)
    XCTAssertEqual(PaymentStatusCode(opened: known), .purchaseExists)
    // Credited without an order: a new one, settled at once.
    _ = try await shop.backend.post(shop.post(shop.transaction("t2")))
    let second = OrderRequest.PaidTransaction(environment: shop.receipts.environment, id: try StoreTransactionID("t2"))
    let settled = try await shop.backend.initPayment(shop.request(paidBy: second))
    XCTAssertEqual(settled.status, .success)
    XCTAssertEqual(PaymentStatusCode(opened: settled), .purchaseExists)
    let completed = try await shop.backend.completePayment(
      settled.code, post: shop.post(shop.transaction("t2")))
    XCTAssertEqual(PaymentStatusCode(completed: completed), .alreadyCompleted)
    XCTAssertEqual(try shop.gems(), 2400)
    try assertBooksAddUp(shop.ledger)
  }

  /// Both see the one announced order; whoever comes second pays for an order of its own, and is delivered too.
  func testTwoPaymentsThatFindOneOrderAtTheSameTimeAreBothDelivered() async throws {
    let server = GameServer()
    let inner = Ledger.inMemory().storage
    let gate = GatedStorage(inner)
    let shop = try Shop(delivery: server, storage: gate)
    let other = LocalBackend(
      ledger: Ledger(storage: inner, clock: shop.time.clock), verifier: shop.receipts, delivery: server)
    let order = try await shop.backend.initPayment(shop.request())
    var posts = try ["t1", "t2"].map { try shop.post(shop.transaction($0)) }
    for index in posts.indices { posts[index].orderSearch = .findOrOpen }
    gate.armEntry()
    let slow = Task { [posts] in try await shop.backend.post(posts[0]) }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        gate.waitUntilEntered()
        continuation.resume()
      }
    }
    let fast = try await other.post(posts[1])
    XCTAssertEqual(fast.order?.code, order.code)
    gate.open()
    let late = try await slow.value
    XCTAssertEqual(late.order?.status, .success)
    XCTAssertEqual(PaymentStatusCode(completed: late), .success)
    XCTAssertNotEqual(late.order?.code, order.code)
    XCTAssertEqual(Set(server.heard.map(\.purchaseCode)).count, 2)
    XCTAssertEqual(try shop.gems(), 2400)
    try assertBooksAddUp(shop.ledger)
  }

  /// An unannounced payment of the same product came first and took the order that was announced for this one.
  func testAnAnnouncedPaymentThatLostItsOrderIsDeliveredToo() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    let order = try await shop.backend.initPayment(shop.request())
    var unannounced = try shop.post(shop.transaction("t0"))
    unannounced.orderSearch = .findOrOpen
    let first = try await shop.backend.post(unannounced)
    XCTAssertEqual(first.order?.code, order.code)
    let announced = try shop.post(shop.transaction("t1"))
    for _ in 0..<2 {
      let second = try await shop.backend.completePayment(order.code, post: announced)
      XCTAssertEqual(second.order?.status, .success)
      XCTAssertNotEqual(second.order?.code, order.code)
    }
    XCTAssertEqual(server.heard.count, 2)
    XCTAssertEqual(try shop.gems(), 2400)
  }

  func testRefusalsOfTheFirstStepInTheirOrder() async throws {
    typealias Row = (
      line: UInt, code: LedgerError.Code, status: PaymentStatusCode?, mend: (inout OrderRequest) throws -> Void
    )
    let rows: [Row] = [
      (#line, .limitExceeded, nil, { _ in }),
      (#line, .invalidUserID, nil, { $0.context = OrderContext() }),
      (#line, .bundleMismatch, .bundleMismatch, { $0.customer = try CustomerID("alice") }),
      (#line, .productNotFound, .packageNotFound, { $0.bundleID = "com.example.gems" }),
      (#line, .notAvailable, nil, { $0.product = try ProductCode("retired") }),
      (#line, .amountMismatch, nil, { $0.product = try ProductCode("gems") }),
      (#line, .amountOutOfRange, nil, { $0.price = nil }),
    ]
    let shop = try Shop()
    var request = OrderRequest(
      customer: try CustomerID("null"), product: try ProductCode("nothing"), quantity: 0, store: .apple,
      bundleID: "com.example.other", price: Money(minorUnits: 1, currency: "USD"),
      context: OrderContext(extraData: String(repeating: "x", count: 8193)))
    for row in rows {
      try row.mend(&request)
      let refusal = await assertRefused(row.code, line: row.line) { try await shop.backend.initPayment(request) }
      XCTAssertEqual(refusal.flatMap { PaymentStatusCode($0, in: .initPayment) }, row.status, line: row.line)
      XCTAssertNotNil(refusal?.text("request_id"), line: row.line)
    }
    request.quantity = 1
    _ = try await shop.backend.initPayment(request)
  }

  /// A price that cannot be compared is none that the catalog asks for.
  func testAnAnnouncedPriceIsOneOfTheCatalog() async throws {
    let shop = try Shop()
    let rows: [(line: UInt, price: Int64, currency: String, isTaken: Bool)] = [
      (#line, 999, "USD", true), (#line, 998, "USD", false), (#line, 999, "EUR", false), (#line, 0, "XYZ", false),
      (#line, 1, "", false), (#line, 999, "usd", false),
    ]
    for row in rows {
      var request = try shop.request()
      request.price = Money(minorUnits: row.price, currency: row.currency)
      if row.isTaken {
        _ = try await shop.backend.initPayment(request)
      } else {
        await assertRefused(.amountMismatch, line: row.line) { [request] in
          try await shop.backend.initPayment(request)
        }
      }
    }
    // A store sells in countries that the catalog does not list, and payments from there are credited.
    var abroad = try shop.transaction("t1")
    (abroad.price, abroad.storefront) = (Money(minorUnits: 36_000, currency: "THB"), nil)
    _ = try await shop.backend.post(shop.post(abroad))
    XCTAssertEqual(try shop.gems(), 1200)
  }

  // MARK: Lists

  func testOrdersOfACustomerByPages() async throws {
    let shop = try Shop()
    var codes: [PurchaseCode] = []
    for _ in 0..<7 { codes.insert(try await shop.backend.initPayment(shop.request()).code, at: 0) }
    _ = try await shop.backend.initPayment(shop.request(customer: "bob"))
    let alice = try CustomerID("alice")
    XCTAssertEqual(try shop.backend.orders(of: alice, page: 1, size: 3).map(\.code), Array(codes[0..<3]))
    XCTAssertEqual(try shop.backend.orders(of: alice, page: 3, size: 3).map(\.code), Array(codes[6..<7]))
    XCTAssertEqual(try shop.backend.orders(of: alice, page: 4, size: 3), [])
    assertRefused(.limitExceeded) { try shop.backend.orders(of: alice, page: 0) }
    assertRefused(.limitExceeded) { try shop.backend.orders(of: alice, size: 1001) }
    let refusal = assertRefused(.customerNotFound) { try shop.backend.orders(of: CustomerID("carol")) }
    XCTAssertEqual(refusal.flatMap { PaymentStatusCode($0, in: .history) }, .notFound)
  }

  func testTheReportListsWhatWasAttemptedAndNotCompleted() async throws {
    let shop = try Shop()
    let start = shop.time.now
    var late: [PurchaseCode] = []
    for _ in 0..<3 {
      late.append(try await shop.backend.initPayment(shop.request()).code)
      shop.time.advance(seconds: 60)
    }
    let paid = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.completePayment(paid.code, post: shop.post(shop.transaction("t1")))
    let givenUp = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.cancelPayment(givenUp.code)
    func report(until: Timestamp, limit: Int = 100) throws -> [PurchaseCode] {
      var (codes, cursor) = ([PurchaseCode](), OrdersPage.Cursor?.none)
      repeat {
        let page = try shop.backend.ordersReport(from: start, until: until, limit: limit, after: cursor)
        codes += page.orders.map(\.code)
        XCTAssertTrue(page.orders.allSatisfy { $0.status == .failed })
        cursor = try page.next.map { try XCTUnwrap(OrdersPage.Cursor($0.description)) }
      } while cursor != nil
      return codes
    }
    // Those that may still be paid are not in it.
    XCTAssertEqual(try report(until: shop.after(hours: 100)), [givenUp.code])
    shop.time.advance(seconds: 86_400)
    for limit in [1, 2, 100] {
      XCTAssertEqual(try report(until: shop.after(hours: 100), limit: limit), [givenUp.code] + late)
    }
    let second = Timestamp(milliseconds: start.milliseconds + 86_460_000)
    XCTAssertEqual(try report(until: second), [givenUp.code, late[0]])
    assertRefused(.limitExceeded) { try shop.backend.ordersReport(from: start, until: second, limit: 0) }
    XCTAssertNil(OrdersPage.Cursor("nonsense"))
  }
}
