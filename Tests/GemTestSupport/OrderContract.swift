package import GemLedger
import GemLedgerAudit
import XCTest

/// The requirements of orders, account tokens and entitlements on every storage; each storage's tests call
/// ``runAll()``.
package struct OrderContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  private let reopen: (Ledger, LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// - Parameters:
  ///   - make: Makes an empty ledger over the storage.
  ///   - reopen: Closes a ledger and opens it anew; one that lives in memory stays open.
  package init(
    make: @escaping (LedgerClock) throws -> Ledger,
    reopen: @escaping (Ledger, LedgerClock) throws -> Ledger = { ledger, _ in ledger }
  ) {
    self.make = make
    self.reopen = reopen
  }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAnOrderKeepsWhatWasAnnounced", testAnOrderKeepsWhatWasAnnounced)
    run.step("testTheCreditAndTheOrderAreOneCommit", testTheCreditAndTheOrderAreOneCommit)
    run.step("testAPurchasePaysForItsOwnersOrderOnly", testAPurchasePaysForItsOwnersOrderOnly)
    run.step("testStepsAreTakenOnce", testStepsAreTakenOnce)
    run.step("testARefundedOrderIsWithdrawnAndResumed", testARefundedOrderIsWithdrawnAndResumed)
    run.step("testOneGroupSeesItsOrders", testOneGroupSeesItsOrders)
    run.step("testOrdersAreFound", testOrdersAreFound)
    run.step("testTokensStayWithWhoHasThem", testTokensStayWithWhoHasThem)
    run.step("testEntitlementsMoveWithTheirSubscription", testEntitlementsMoveWithTheirSubscription)
  }

  private func ledger() throws -> Ledger {
    let ledger = try make(time.clock)
    try ledger.apply(Self.catalog())
    return ledger
  }

  func testAnOrderKeepsWhatWasAnnounced() throws {
    var ledger = try ledger()
    let opening = try Self.opening("A1", key: "k")
    try ledger.book(.openOrder(opening, customer: Make.customer("alice")))
    ledger = try reopen(ledger, time.clock)
    let row = try XCTUnwrap(try ledger.order("A1"))
    XCTAssertEqual(row.request, opening.request)
    XCTAssertEqual(row.key?.text, "k")
    XCTAssertEqual(row.state, .pending)
    XCTAssertEqual(row.createdAt, time.now)
    XCTAssertEqual(row.deadline.milliseconds, time.now.milliseconds + 1000)
    XCTAssertEqual(row.dueAt, row.deadline.milliseconds)
    // The same request under its key is the same order, a different one is refused, and so is a taken code.
    let again = try ledger.book(.openOrder(Self.opening("A2", key: "k"), customer: Make.customer("alice")))
    XCTAssertTrue(again.isReplayed)
    XCTAssertNil(try ledger.order("A2"))
    let conflict = try Self.opening("A3", quantity: 2, key: "k")
    assertRefused(.keyConflict) { try ledger.book(.openOrder(conflict, customer: Make.customer("alice"))) }
    assertRefused(.alreadyExists) { try ledger.book(.openOrder(Self.opening("A1"), customer: Make.customer("bob"))) }
    assertRefused(.customerNotFound) { try ledger.balances(of: Make.customer("bob")) }
    assertRefused(.amountOutOfRange) {
      try ledger.book(.openOrder(Self.opening("A4", quantity: 0), customer: Make.customer("alice")))
    }
    try check(ledger)
  }

  func testTheCreditAndTheOrderAreOneCommit() throws {
    var ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.book(.openOrder(Self.opening("A1"), customer: alice))
    time.advance(seconds: 5)
    let completion = try Self.completion("A1", "t1", retryAfter: 60_000)
    let booking = try ledger.book(.completeOrder(completion, customer: alice))
    XCTAssertEqual(booking.entries.map(\.amount), [1200])
    XCTAssertTrue(booking.completesOrder)
    ledger = try reopen(ledger, time.clock)
    let row = try XCTUnwrap(try ledger.order("A1"))
    XCTAssertEqual(row.state, .deliveryPending)
    XCTAssertEqual(row.deliveryAttempts, 1)
    XCTAssertEqual(row.dueAt, time.now.milliseconds + 60_000)
    XCTAssertEqual(row.updatedAt, time.now)
    XCTAssertEqual(try ledger.order(purchase: XCTUnwrap(row.purchase))?.code.text, "A1")
    let again = try ledger.book(.completeOrder(completion, customer: alice))
    XCTAssertTrue(again.isReplayed)
    XCTAssertFalse(again.completesOrder)
    // A refused credit leaves the order as it was.
    try ledger.book(.openOrder(Self.opening("A2", product: "nothing"), customer: alice))
    assertRefused(.productNotFound) {
      try ledger.book(.completeOrder(Self.completion("A2", "t2", product: "nothing"), customer: alice))
    }
    XCTAssertEqual(try ledger.order("A2")?.state, .pending)
    assertRefused(.orderNotFound) {
      try ledger.book(.completeOrder(Self.completion("A9", "t3"), customer: alice))
    }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 1200)
    try check(ledger)
  }

  func testAPurchasePaysForItsOwnersOrderOnly() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.book(.openOrder(Self.opening("A1"), customer: alice))
    // By its first receipt, and by any later one.
    for _ in 0..<2 {
      let booking = try ledger.book(.completeOrder(Self.completion("A1", "t1"), customer: bob))
      XCTAssertFalse(booking.completesOrder)
      XCTAssertEqual(booking.customer, bob)
    }
    XCTAssertEqual(try ledger.order("A1")?.state, .pending)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: bob).balance, 1200)
    // Nor does naming it in the announcement make it another customer's, or show the owner's order.
    for (code, customer) in [("A2", alice), ("A3", try Make.customer("new"))] {
      let opened = try ledger.book(.openOrder(Self.opening(code, paidBy: "t1"), customer: customer))
      XCTAssertFalse(opened.isReplayed)
      XCTAssertEqual(try ledger.order(code)?.state, .pending)
    }
    // Once they are one customer, it is the owner's order.
    try ledger.merge(from: bob, into: alice)
    XCTAssertTrue(try ledger.book(.completeOrder(Self.completion("A1", "t1"), customer: alice)).completesOrder)
    XCTAssertNotEqual(try ledger.order("A1")?.state, .pending)
    try check(ledger)
  }

  func testStepsAreTakenOnce() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    for code in ["A1", "A2"] { try ledger.book(.openOrder(Self.opening(code), customer: alice)) }
    func take(_ code: String, _ step: OrderStep) throws -> Bool {
      try !ledger.book(.advanceOrder(PurchaseCode(code), step, customer: alice)).isReplayed
    }
    XCTAssertFalse(try take("A1", .deliver))
    XCTAssertFalse(try take("A1", .tryDelivery(attempts: 0, nextAt: nil)))
    XCTAssertTrue(try take("A1", .fail))
    XCTAssertFalse(try take("A1", .fail))
    // An order that is paid after its failure succeeds.
    try ledger.book(.completeOrder(Self.completion("A1", "t1"), customer: alice))
    XCTAssertEqual(try ledger.order("A1")?.state, .success)
    XCTAssertFalse(try take("A1", .fail))
    try ledger.book(.completeOrder(Self.completion("A2", "t2", retryAfter: 10), customer: alice))
    XCTAssertFalse(try take("A2", .tryDelivery(attempts: 0, nextAt: nil)))
    XCTAssertTrue(try take("A2", .tryDelivery(attempts: 1, nextAt: nil)))
    XCTAssertFalse(try take("A2", .tryDelivery(attempts: 1, nextAt: nil)))
    XCTAssertEqual(try ledger.order("A2")?.dueAt, .max)
    XCTAssertTrue(try take("A2", .deliver))
    XCTAssertFalse(try take("A2", .deliver))
    assertRefused(.orderNotFound) { try take("A9", .fail) }
    try check(ledger)
  }

  func testARefundedOrderIsWithdrawnAndResumed() throws {
    var ledger = try ledger()
    let alice = try Make.customer("alice")
    func take(_ step: OrderStep) throws -> Bool {
      try !ledger.book(.advanceOrder(PurchaseCode("A1"), step, customer: alice)).isReplayed
    }
    func delivery() throws -> [Consumption.Delivery] {
      try ledger.consumption(of: StoreTransactionID("t1")).map(\.delivery)
    }
    try ledger.book(.openOrder(Self.opening("A1"), customer: alice))
    XCTAssertFalse(try take(.withdraw))
    XCTAssertTrue(try take(.fail))
    // It failed without a payment: there is nothing to deliver.
    XCTAssertFalse(try take(.resume))
    try ledger.book(.completeOrder(Self.completion("A1", "t1", retryAfter: 10), customer: alice))
    XCTAssertEqual(try delivery(), [.pending])
    try ledger.refund(Make.refund("t1", .full))
    XCTAssertTrue(try take(.withdraw))
    XCTAssertFalse(try take(.withdraw))
    XCTAssertEqual(try delivery(), [.withdrawn])
    ledger = try reopen(ledger, time.clock)
    let failed = try XCTUnwrap(try ledger.order("A1"))
    XCTAssertTrue(failed.isWithdrawn)
    // Its payment, repeated, changes nothing.
    try ledger.book(.completeOrder(Self.completion("A1", "t1", retryAfter: 10), customer: alice))
    XCTAssertEqual(try ledger.order("A1"), failed)
    try assertBooksAddUp(ledger)
    try ledger.reverseRefund(Make.reversal("t1"))
    XCTAssertTrue(try take(.resume))
    XCTAssertFalse(try take(.resume))
    XCTAssertTrue(try take(.deliver))
    XCTAssertEqual(try delivery(), [.delivered])
    try check(ledger)
  }

  func testOneGroupSeesItsOrders() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let results = ledger.submit([
      .openOrder(try Self.opening("A1", key: "k"), customer: alice),
      .openOrder(try Self.opening("A2", key: "k"), customer: alice),
      .completeOrder(try Self.completion("A1", "t1", retryAfter: 10), customer: alice),
      .completeOrder(try Self.completion("A1", "t1", retryAfter: 10), customer: alice),
      .advanceOrder(try PurchaseCode("A1"), .deliver, customer: alice),
      .advanceOrder(try PurchaseCode("A1"), .deliver, customer: alice),
      .openOrder(try Self.opening("A3", paidBy: "t1"), customer: alice),
      .creditPurchase(try Self.completion("-", "t2").purchase, customer: alice),
      .openOrder(try Self.opening("A4", paidBy: "t2"), customer: alice),
      .registerToken(TokenNumber(high: 1, low: 2), customer: alice),
      .registerToken(TokenNumber(high: 1, low: 2), customer: try Make.customer("bob")),
    ])
    XCTAssertEqual(
      try results.map { try $0.get().isReplayed },
      [false, true, false, true, false, true, true, false, false, true, false])
    XCTAssertEqual(try ["A1", "A2", "A3", "A4"].map { try ledger.order($0)?.state }, [.success, nil, nil, .success])
    let named = try ledger.look { try $0.customer(token: TokenNumber(high: 1, low: 2)) }
    XCTAssertEqual(named, try number(of: alice, ledger))
    try check(ledger)
  }

  func testOrdersAreFound() throws {
    var ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for number in 1...9 {
      try ledger.book(.openOrder(Self.opening("A\(number)"), customer: number % 3 == 0 ? bob : alice))
      time.advance(seconds: 1)
    }
    for code in ["A2", "A5", "A7"] {
      try ledger.book(.advanceOrder(PurchaseCode(code), .fail, customer: alice))
      time.advance(seconds: 1)
    }
    ledger = try reopen(ledger, time.clock)
    let first = try XCTUnwrap(try ledger.order("A1"))
    func codes(_ body: (any StorageSnapshot) throws -> [OrderRow]) throws -> [String] {
      try ledger.look(body).map(\.code.text)
    }
    let (one, other) = (try number(of: alice, ledger), try number(of: bob, ledger))
    let fourth = try XCTUnwrap(try ledger.order("A4")).number
    XCTAssertEqual(try codes { try $0.orders(of: one, below: .max, limit: 4) }, ["A8", "A7", "A5", "A4"])
    XCTAssertEqual(try codes { try $0.orders(of: one, below: fourth, limit: 4) }, ["A2", "A1"])
    XCTAssertEqual(try codes { try $0.orders(of: other, below: .max, limit: 9) }, ["A9", "A6", "A3"])
    XCTAssertEqual(try codes { try $0.orders(of: max(one, other) + 1, below: .max, limit: 9) }, [])
    let start = OrderPosition(dueAt: .min, number: 0)
    XCTAssertEqual(
      try codes { try $0.orders(.pending, after: start, dueUntil: .max, limit: 9) },
      ["A1", "A3", "A4", "A6", "A8", "A9"])
    XCTAssertEqual(
      try codes { try $0.orders(.pending, after: OrderPosition(of: first), dueUntil: .max, limit: 2) }, ["A3", "A4"])
    XCTAssertEqual(
      try codes { try $0.orders(.pending, after: start, dueUntil: first.dueAt, limit: 9) }, ["A1"])
    // Those that were late when they were given up failed at their deadlines.
    XCTAssertEqual(
      try codes { try $0.orders(.failed, after: start, dueUntil: .max, limit: 9) }, ["A2", "A5", "A7"])
    XCTAssertEqual(try codes { try $0.orders(.success, after: start, dueUntil: .max, limit: 9) }, [])
    let seventh = try XCTUnwrap(try ledger.order("A7")).number
    XCTAssertEqual(try codes { try $0.scan().orders(after: seventh, limit: 9) }, ["A8", "A9"])
    try check(ledger)
  }

  func testTokensStayWithWhoHasThem() throws {
    var ledger = try ledger()
    let token = TokenNumber(high: .min, low: -1)
    XCTAssertFalse(try ledger.book(.registerToken(token, customer: Make.customer("alice"))).isReplayed)
    XCTAssertTrue(try ledger.book(.registerToken(token, customer: Make.customer("alice"))).isReplayed)
    try ledger.book(.registerToken(token, customer: Make.customer("bob")))
    ledger = try reopen(ledger, time.clock)
    XCTAssertEqual(
      try ledger.look { try $0.customer(token: token) },
      try number(of: Make.customer("alice"), ledger))
    XCTAssertNil(try ledger.look { try $0.customer(token: TokenNumber(high: -1, low: .min)) })
    XCTAssertEqual(try ledger.balances(of: Make.customer("bob")).map(\.balance), [0])
    try check(ledger)
  }

  func testEntitlementsMoveWithTheirSubscription() throws {
    var ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    func credit(_ id: String, original: String? = nil, product: String = "club") throws {
      var purchase = try Self.completion("-", id, product: product).purchase
      purchase.originalTransactionID = try original.map { try StoreTransactionID($0) }
      try ledger.creditPurchase(purchase, customer: alice)
    }
    try credit("t0", product: "gems_1200")
    try credit("s1")
    try credit("s2", original: "s1")
    try credit("p1", product: "premium")
    try ledger.createCustomer(bob)
    func held(_ customer: CustomerID, below: Int64 = .max, limit: Int = 9) throws -> [String] {
      let number = try number(of: customer, ledger)
      return try ledger.look { snapshot in
        let rows: [EntitlementRow] = try snapshot.page(
          EntitlementRow.ofHolder, IndexKey(number), after: IndexPlace(below), limit: limit)
        return try rows.map { try snapshot.purchase(number: $0.purchase)?.identity.transactionID.text ?? "?" }
      }
    }
    XCTAssertEqual(try held(alice), ["p1", "s2", "s1"])
    let move = try LedgerCommand.holdEntitlement(
      store: .apple, environment: .production, transactionID: StoreTransactionID("s2"), customer: bob)
    XCTAssertFalse(try ledger.book(move).isReplayed)
    XCTAssertTrue(try ledger.book(move).isReplayed)
    ledger = try reopen(ledger, time.clock)
    XCTAssertEqual(try held(alice), ["p1"])
    XCTAssertEqual(try held(bob), ["s2", "s1"])
    // The next renewal goes where the subscription went.
    try credit("s3", original: "s1")
    XCTAssertEqual(try held(bob), ["s3", "s2", "s1"])
    XCTAssertEqual(try held(bob, below: purchase("s3", ledger), limit: 1), ["s2"])
    let gems = try purchase("t0", ledger)
    XCTAssertNil(try ledger.look { try $0.entitlementHolder(purchase: gems) })
    assertRefused(.purchaseNotFound) {
      try ledger.book(
        .holdEntitlement(
          store: .google, environment: .production, transactionID: StoreTransactionID("s2"), customer: bob))
    }
    assertRefused(.customerNotFound) {
      try ledger.book(
        .holdEntitlement(
          store: .apple, environment: .production, transactionID: StoreTransactionID("s2"),
          customer: Make.customer("carol")))
    }
    try check(ledger)
  }

  // MARK: Values

  private func number(of customer: CustomerID, _ ledger: Ledger) throws -> CustomerNumber {
    try XCTUnwrap(try ledger.look { try $0.customer(customer) }).number
  }

  private func purchase(_ id: String, _ ledger: Ledger) throws -> Int64 {
    let identity = PurchaseIdentity(
      store: .apple, environment: StoreEnvironment.production.kind.rawValue, transactionID: try StoreTransactionID(id))
    return try XCTUnwrap(try ledger.look { try $0.purchase(identity) }).number
  }

  private static func opening(
    _ code: String, product: String = "gems_1200", quantity: Int64 = 1, key: String? = nil, paidBy: String? = nil
  ) throws -> OrderOpening {
    OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode(product), quantity: quantity,
      request: #"{"role":"é"}"#, key: try key.map { try IdempotencyKey($0) }, lifetimeMilliseconds: 1000,
      paidBy: try paidBy.map { .init(environment: .production, id: try StoreTransactionID($0)) })
  }

  private static func completion(
    _ code: String, _ id: String, product: String = "gems_1200", retryAfter: Int64? = nil
  ) throws -> OrderCompletion {
    OrderCompletion(
      code: try PurchaseCode(code), purchase: try Make.purchase(id, product: product),
      retryAfterMilliseconds: retryAfter)
  }

  private static func catalog() throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        Product(code: ProductCode("gems_1200"), type: .consumable, grants: [Grant(currency: gem, amount: 1200)]),
        Product(code: ProductCode("club"), type: .autoRenewableSubscription, entitlement: "club", period: "P1M"),
        Product(code: ProductCode("premium"), type: .nonConsumable, entitlement: "premium"),
      ])
  }
}

extension Ledger {
  /// Returns the body's result over the storage; the body may throw any error.
  fileprivate func look<R>(_ body: (any StorageSnapshot) throws -> R) throws -> R {
    try storage.read { (snapshot) throws(LedgerError) in Result { try body(snapshot) } }.get()
  }

  fileprivate func order(_ code: String) throws -> OrderRow? {
    let code = try PurchaseCode(code)
    return try look { try $0.order(code) }
  }

  fileprivate func order(purchase: Int64) throws -> OrderRow? { try look { try $0.order(purchase: purchase) } }
}
