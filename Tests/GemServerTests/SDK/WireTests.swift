#if Server
import GemLedger
import StoreBackend
import XCTest

/// Every value that a server and its clients exchange, with all members set, comes through unchanged.
final class WireTests: XCTestCase {
  private let time = Timestamp(milliseconds: 1_767_225_600_123)
  private let money = Money(minorUnits: 299, currency: "USD")

  private func assertComesThrough<Value: WireValue & Equatable>(
    _ value: Value, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let text = value.wire.text()
    let read = try Value(wire: WireObject(try JSONValue.parse(text)))
    XCTAssertEqual(read, value, file: file, line: line)
    XCTAssertEqual(read.wire.text(), text, file: file, line: line)
  }

  private func purchase() throws -> PurchaseRecord {
    var purchase = PurchaseRecord(
      store: .google, storeTransactionID: try StoreTransactionID("token.é\u{1F48E}"),
      transactionID: TransactionID(high: 1 << 63, low: .max), product: try ProductCode("gems/1"),
      productType: .autoRenewableSubscription, quantity: 3, price: money, purchasedAt: time, expiresAt: time,
      refundedMilliPercent: 50_000, isSandbox: true, originalTransactionID: try StoreTransactionID("first"),
      storeProductID: "gems_300")
    purchase.announcement = PurchaseRecord.Announcement(
      code: try PurchaseCode("AP1"), status: .deliveryPending, context: context, bundleID: "com.example",
      createdAt: time,
      updatedAt: time)
    return purchase
  }

  private let context = OrderContext(
    gameID: "g", roleID: "r\"\\\n", roleName: "", serverID: nil, rechargeType: "IN_GAME", extraData: "{}")

  private func order() throws -> Order {
    let request = OrderRequest(
      customer: try CustomerID("alice"), product: try ProductCode("gems"), quantity: 2, store: .amazon, bundleID: "b",
      price: money, context: context, key: try IdempotencyKey("k 1"), claim: "phone",
      paidBy: OrderRequest.PaidTransaction(
        environment: try .localTesting(session: "s1"), id: try StoreTransactionID("t")))
    return Order(
      code: try PurchaseCode("AP1"), request: request, costs: [Adjustment(try CurrencyCode("GEM"), 5)],
      status: .success, storeTransactionID: try StoreTransactionID("t"), createdAt: time, updatedAt: time,
      deadline: time, deliveryAttempts: 2, nextDeliveryAt: time, isReplayed: true, storeProductID: "gems_300",
      originalTransactionID: try StoreTransactionID("t0"))
  }

  func testOrdersAndPurchases() throws {
    try assertComesThrough(purchase())
    try assertComesThrough(order())
    for environment in [StoreEnvironment.production, .sandbox, try .xcode(session: "x")] {
      try assertComesThrough(
        OrderRequest.PaidTransaction(environment: environment, id: try StoreTransactionID("t")))
    }
    try assertComesThrough(
      ReceiptPost(
        receipt: StoreReceipt("a.b.c"), customer: CustomerID("é"), source: .refunds, orderSearch: .findOrOpen))
  }

  func testCustomers() throws {
    let entitlement = CustomerRecord.Entitlement(
      id: "premium", product: try ProductCode("p"), store: .apple, purchasedAt: time, expiresAt: nil, isActive: true)
    try assertComesThrough(
      CustomerRecord(
        customer: CustomerID("a"), originalID: CustomerID("b"), ids: [CustomerID("b"), CustomerID("a")],
        firstSeenAt: time, asOf: time, entitlements: [entitlement], nonSubscriptions: [purchase()]))
    try assertComesThrough(Registration(customer: CustomerID("a"), isCreated: true))
  }

  /// Bookings with holds, lots, other customers and amounts that were lost on the way.
  func testBookingsAsTheLedgerMakesThem() throws {
    let ledger = Ledger.inMemory(salt: 1)
    try ledger.apply(Catalog.load(Fixture.bytes("gems.json")))
    let (gem, alice, bob) = (try CurrencyCode("GEM"), try CustomerID("alice"), try CustomerID("bob"))
    let granted: Booking = try ledger.grant([Adjustment(gem, 500)], customer: alice)
    try ledger.grant([Adjustment(gem, 1)], customer: bob)
    let held: Booking = try ledger.hold([Adjustment(gem, 50)], customer: alice)
    let moved: Booking = try ledger.transfer([Adjustment(gem, 20)], from: alice, to: bob)
    let captured: Booking = try ledger.capture(XCTUnwrap(held.hold?.id))
    let spent: Booking = try ledger.spend([Adjustment(gem, 30)], customer: alice, key: IdempotencyKey("k"))
    let again: Booking = try ledger.spend([Adjustment(gem, 30)], customer: alice, key: IdempotencyKey("k"))
    let reversed: Booking = try ledger.reverse(XCTUnwrap(spent.transactionID))
    for booking in [granted, held, moved, captured, spent, again, reversed] { try assertComesThrough(booking) }
    let preview = IdentityPreview(
      customer: alice, isCreated: true, merges: [try ledger.previewMerge(from: bob, into: alice)],
      movedEntitlements: [try StoreTransactionID("1")], uncredited: [try StoreTransactionID("2")])
    try assertComesThrough(preview)
    for balance in try ledger.balances(of: alice) { try assertComesThrough(balance) }
    for hold in [OrderHold.held, .spent(captured), .released, .unpaid(LedgerError(.insufficientBalance, "No."))] {
      let answer = ReceiptAnswer(
        booking: granted, purchase: try purchase(), order: try order(), held: hold, requestID: "r1")
      try assertComesThrough(answer)
    }
  }

  func testErrorsWithTheirFacts() throws {
    var error = LedgerError(
      .insufficientBalance, "Too little \u{1F48E}.",
      details: [.integer("available", .min), .text("currency", "GEM"), .text("param", "a.b")])
    error.isReplayed = true
    try assertComesThrough(error)
  }

  func testTheShopWithItsItems() throws {
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    let shop = OfferingsSnapshot(
      offerings: catalog.offerings, current: catalog.currentOffering, products: catalog.products,
      currencies: catalog.currencies, items: catalog.items)
    try assertComesThrough(shop)
  }

  func testFormsThatAreNoneAreRefusedByTheirPath() throws {
    let rows: [(form: JSONValue, path: String)] = [
      (["customer_id": 5], "customer_id"), ([:], "customer_id"), (["customer_id": "a", "created": "yes"], "created"),
    ]
    for row in rows {
      XCTAssertThrowsError(try Registration(wire: WireObject(row.form))) { error in
        XCTAssertEqual((error as? LedgerError)?.text("param"), row.path)
      }
    }
    XCTAssertThrowsError(try WireObject(.array([1, 2])))
    // Members of a later version do no harm.
    let later: JSONValue = ["customer_id": "a", "later": 1]
    XCTAssertEqual(try Registration(wire: WireObject(later)).customer, try CustomerID("a"))
  }
}
#endif
