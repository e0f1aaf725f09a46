import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// The outcomes of receipts.
final class PostTests: XCTestCase {
  func testCreditsOnceAndAnswersTheSameAgain() async throws {
    let shop = try Shop()
    let post = try shop.post(try shop.transaction("t1", quantity: 2))
    let first = try await shop.backend.post(post)
    XCTAssertEqual(first.booking.entries.map(\.amount), [2400])
    XCTAssertEqual(first.booking.customer.text, "alice")
    XCTAssertFalse(first.booking.isReplayed)
    XCTAssertEqual(first.purchase.quantity, 2)
    XCTAssertEqual(first.purchase.price, Money(minorUnits: 1998, currency: "USD"))
    XCTAssertTrue(first.purchase.isSandbox)
    XCTAssertNil(first.order)
    let again = try await shop.backend.post(post)
    XCTAssertTrue(again.booking.isReplayed)
    XCTAssertEqual(again.booking.transactionID, first.booking.transactionID)
    XCTAssertEqual(again.purchase, first.purchase)
    XCTAssertNotEqual(again.requestID, first.requestID)
    XCTAssertEqual(try shop.gems(), 2400)
    try assertBooksAddUp(shop.ledger)
  }

  func testARenewalAtGooglePlayKeepsItsTokenAndIsACreditOfItsOwn() async throws {
    let shop = try Shop()
    for (order, balance): (String, Int64) in [("GPA.1", 100), ("GPA.1..0", 200), ("GPA.1..0", 200), ("GPA.1..1", 300)] {
      var renewal = try shop.transaction("token", product: "club", store: .google, expiresAt: shop.after(hours: 720))
      renewal.orderID = order
      _ = try await shop.backend.post(try shop.post(renewal))
      XCTAssertEqual(try shop.gems(), balance, order)
    }
    try assertBooksAddUp(shop.ledger)
  }

  func testFiftyParallelDeliveriesAreOneCredit() async throws {
    let shop = try Shop()
    let post = try shop.post(try shop.transaction("t1"))
    let answers = try await withThrowingTaskGroup(of: ReceiptAnswer.self) { group in
      for _ in 0..<50 { group.addTask { try await shop.backend.post(post) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(answers.count { !$0.booking.isReplayed }, 1)
    XCTAssertEqual(answers.count { $0.booking.isReplayed }, 49)
    XCTAssertEqual(Set(answers.map(\.booking.transactionID)).count, 1)
    XCTAssertEqual(Set(answers.map(\.purchase)).count, 1)
    XCTAssertEqual(try shop.gems(), 1200)
    try assertBooksAddUp(shop.ledger)
  }

  func testTheTokenSaysWhoBought() async throws {
    let shop = try Shop()
    let registration = try await shop.backend.register(try CustomerID("alice"))
    XCTAssertTrue(registration.isCreated)
    let again = try await shop.backend.register(try CustomerID("alice"))
    XCTAssertFalse(again.isCreated)
    // Bob is signed in when alice's purchase is found again.
    let late = try await shop.backend.post(shop.post(shop.transaction("t1", of: "alice"), as: "bob"))
    XCTAssertEqual(late.booking.customer.text, "alice")
    assertRefused(.customerNotFound) { try shop.gems("bob") }
    XCTAssertEqual(try shop.gems(), 1200)
  }

  /// Carol's app was never in touch with the backend, and bob's finds her purchase on the account that they share.
  func testAPurchaseOfABuyerWhomNobodyKnowsYetWaits() async throws {
    let shop = try Shop()
    let post = try shop.post(shop.transaction("t1", of: "carol"), as: "bob")
    let refusal = await assertRefused(.validationPending) { try await shop.backend.post(post) }
    XCTAssertEqual(refusal?.integer("retry_after"), 3600)
    XCTAssertNotNil(refusal?.text("request_id"))
    shop.time.advance(seconds: 3599)
    let last = await assertRefused(.validationPending) { try await shop.backend.post(post) }
    XCTAssertEqual(last?.integer("retry_after"), 1)
    XCTAssertEqual(try shop.gems("bob"), 0)
    // It is credited as soon as she is known, without another post.
    _ = try await shop.backend.register(try CustomerID("carol"))
    XCTAssertEqual(try shop.gems("carol"), 1200)
    let found = try await shop.backend.post(post)
    XCTAssertEqual(found.booking.customer.text, "carol")
    XCTAssertEqual(try shop.gems("carol"), 1200)
    try assertBooksAddUp(shop.ledger)
  }

  func testAPurchaseWhoseBuyerNeverComesGoesToWhoPostsIt() async throws {
    let shop = try Shop()
    let post = try shop.post(shop.transaction("t1", of: "carol"), as: "bob")
    shop.time.advance(seconds: 3600)
    let late = try await shop.backend.post(post)
    XCTAssertEqual(late.booking.customer.text, "bob")
    let hasty = try Shop(policy: BackendPolicy(unknownBuyerWaitMilliseconds: 0))
    let taken = try await hasty.backend.post(hasty.post(hasty.transaction("t1", of: "carol"), as: "bob"))
    XCTAssertEqual(taken.booking.customer.text, "bob")
  }

  /// A restore claims the store account; an order names its buyer only where the token names no other customer.
  func testWhoRestoresNeedNotWait() async throws {
    let shop = try Shop()
    let bob = try CustomerID("bob")
    let receipt = shop.receipts.receipt(for: try shop.transaction("t1", of: "carol"))
    _ = try await shop.backend.restore([receipt], customer: bob, sharing: .keepWithOwner)
    XCTAssertEqual(try shop.gems("bob"), 1200)
    let order = try await shop.backend.initPayment(shop.request(customer: "bob"))
    let hers = try shop.post(shop.transaction("t2", of: "carol"), as: "bob")
    await assertRefused(.validationPending) { try await shop.backend.completePayment(order.code, post: hers) }
    let his = try shop.post(shop.transaction("t3", of: "bob"), as: "dave")
    let answer = try await shop.backend.completePayment(order.code, post: his)
    XCTAssertEqual(answer.booking.customer.text, "bob")
  }

  /// Stock SDKs name the customer by the id itself, where it is a UUID; in capitals or not, and whoever posts.
  func testAnIDThatIsAUUIDIsItsOwnToken() async throws {
    let shop = try Shop()
    let id = "3F0F4A52-9C1B-4F7E-8A2D-5B6C7D8E9F01"
    var transaction = try shop.transaction("t1")
    transaction.accountToken = try XCTUnwrap(AccountToken(id))
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "bob")) }
    // The id is of a customer whom no device registered.
    try shop.ledger.createCustomer(CustomerID(id))
    let answer = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertEqual(answer.booking.customer.text, id)
    // A device registers in other letters: it is the same buyer's token.
    _ = try await shop.backend.register(try CustomerID("aaaaaaaa-9c1b-4f7e-8a2d-5B6C7D8E9F01"))
    transaction.id = try StoreTransactionID("t2")
    transaction.accountToken = try XCTUnwrap(AccountToken("AAAAAAAA-9C1B-4F7E-8A2D-5B6C7D8E9F01"))
    let second = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertEqual(second.booking.customer.text, "aaaaaaaa-9c1b-4f7e-8a2d-5B6C7D8E9F01")
    XCTAssertEqual(try shop.gems("bob"), 0)
  }

  /// An id that looks like another customer's token takes nothing of theirs.
  func testNobodyTakesATokenByItsForm() async throws {
    let shop = try Shop()
    let token = AccountToken(of: try CustomerID("carol"))
    _ = try await shop.backend.register(try CustomerID(token.description))
    let post = try shop.post(shop.transaction("t1", of: "carol"), as: token.description)
    await assertRefused(.validationPending) { try await shop.backend.post(post) }
    _ = try await shop.backend.register(try CustomerID("carol"))
    XCTAssertEqual(try shop.gems("carol"), 1200)
  }

  /// A post that will be refused does not wait.
  func testWhatIsRefusedIsRefusedAtOnce() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", of: "carol")
    transaction.revocation = .init(revokedAt: shop.time.now)
    await assertRefused(.receiptRevoked) { try await shop.backend.post(shop.post(transaction, as: "bob")) }
  }

  func testCreditedToSomebodyElseIsASuccessThatNamesTheOwner() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    _ = try await shop.backend.post(shop.post(transaction))
    let answer = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertEqual(answer.booking.customer.text, "alice")
    XCTAssertTrue(answer.booking.isReplayed)
    assertRefused(.customerNotFound) { try shop.gems("bob") }
  }

  func testGrantsOfASubscriptionExpireWithTheCycle() async throws {
    let shop = try Shop()
    let first = try shop.transaction("s1", product: "club", expiresAt: shop.after(hours: 24))
    _ = try await shop.backend.post(shop.post(first))
    XCTAssertEqual(try shop.gems(), 100)
    shop.time.advance(seconds: 86_400)
    XCTAssertEqual(try shop.gems(), 0)
    let renewal = try shop.transaction("s2", product: "club", expiresAt: shop.after(hours: 24), originalID: "s1")
    let answer = try await shop.backend.post(shop.post(renewal))
    XCTAssertEqual(answer.purchase.expiresAt, shop.after(hours: 24))
    XCTAssertEqual(try shop.gems(), 100)
    try assertBooksAddUp(shop.ledger)
  }

  func testAnInactiveProductIsStillCredited() async throws {
    let shop = try Shop()
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", product: "retired")))
    XCTAssertEqual(try shop.gems(), 50)
  }

  /// The codes in the order of their precedence: every row has the fault of the row before it mended.
  func testRefusalsInTheirOrder() async throws {
    typealias Row = (line: UInt, code: LedgerError.Code, check: String?, mend: (inout StoreTransaction) throws -> Void)
    let rows: [Row] = [
      (#line, .receiptFutureDated, "signed_date", { _ in }),
      (#line, .receiptFutureDated, "purchase_date", { $0.signedAt = ManualClock().now }),
      (#line, .bundleMismatch, nil, { $0.purchasedAt = ManualClock().now }),
      (#line, .environmentNotAllowed, nil, { $0.bundleID = "com.example.gems" }),
    ]
    let settings = CatalogSettings(bundleID: "com.example.gems", sandboxReceipts: .nobody)
    let shop = try Shop(catalog: Shop.catalog(settings: settings))
    var transaction = try shop.transaction("t1", product: "nothing", quantity: 0)
    transaction.revocation = .init(revokedAt: shop.time.now)
    transaction.bundleID = "com.example.other"
    transaction.signedAt = shop.after(hours: 25)
    transaction.purchasedAt = shop.after(hours: 25)
    for row in rows {
      try row.mend(&transaction)
      let refusal = await assertRefused(row.code, line: row.line) {
        try await shop.backend.post(shop.post(transaction))
      }
      XCTAssertEqual(refusal?.text("check"), row.check, line: row.line)
      XCTAssertNotNil(refusal?.text("request_id"), line: row.line)
    }
    let open = try Shop()
    let later: [Row] = [
      (#line, .receiptRevoked, nil, { _ in }),
      // The state of the refund's own instant does not take the refund back; the one of another purchase is another's.
      (#line, .receiptRevoked, nil, { $0.revocation = nil }),
      (#line, .validationPending, nil, { $0.id = try StoreTransactionID("t2") }),
      (#line, .amountMismatch, nil, { $0.storeProductID = "gems.apple" }),
      (#line, .amountMismatch, nil, { $0.quantity = 2 }),
    ]
    for row in later {
      try row.mend(&transaction)
      await assertRefused(row.code, line: row.line) { try await open.backend.post(open.post(transaction)) }
    }
    transaction.price = Money(minorUnits: 1998, currency: "USD")
    transaction.id = try StoreTransactionID("t2")
    let answer = try await open.backend.post(open.post(transaction))
    XCTAssertEqual(answer.booking.entries.map(\.amount), [2400])
  }

  func testWhatAReceiptMayCost() async throws {
    typealias Row = (line: UInt, price: Money?, storefront: StorefrontCode?, isTaken: Bool)
    let usd = { Money(minorUnits: $0, currency: "USD") }
    let rows: [Row] = [
      (#line, usd(999), .unitedStates, true), (#line, usd(998), .unitedStates, false),
      (#line, nil, .unitedStates, true),
      (#line, Money(minorUnits: 999, currency: "EUR"), .unitedStates, false),
      // Where the catalog has no price, there is nothing to compare.
      (#line, Money(minorUnits: 1500, currency: "JPY"), StorefrontCode(exactly: "JPN"), true),
      (#line, usd(999), nil, true), (#line, usd(1), nil, false),
      (#line, Money(minorUnits: 7, currency: "VND"), nil, true),
    ]
    let shop = try Shop()
    for (index, row) in rows.enumerated() {
      var transaction = try shop.transaction("t\(index)")
      transaction.price = row.price
      transaction.storefront = row.storefront
      let post = try shop.post(transaction)
      if row.isTaken {
        _ = try await shop.backend.post(post)
      } else {
        let refusal = await assertRefused(.amountMismatch, line: row.line) { try await shop.backend.post(post) }
        XCTAssertEqual(refusal?.text("field"), "price", line: row.line)
      }
    }
    let lax = try Shop(policy: BackendPolicy(checksPrice: false))
    _ = try await lax.backend.post(lax.post(lax.transaction("t", price: 1)))
  }

  /// The catalog's price when it was paid is right, and so is every one since; the receipt may come long after.
  func testAPriceOfAnyCatalogSinceThePurchaseIsRight() async throws {
    let shop = try Shop()
    func apply(_ price: String, storeID: String = "gems.apple") throws {
      let catalog = try shop.ledger.currentCatalog()
      let product = Product(
        code: try ProductCode("gems"), storeIDs: ["apple": storeID], type: .consumable,
        localizations: catalog.products[0].localizations,
        prices: [.unitedStates: try Price(price, in: StorefrontCode.unitedStates.currency)],
        grants: catalog.products[0].grants)
      try shop.ledger.apply(
        Catalog(
          currencies: catalog.currencies, products: [product] + catalog.products.dropFirst(),
          offerings: catalog.offerings, currentOffering: catalog.currentOffering, settings: catalog.settings))
    }
    func post(_ id: String, _ price: Int64, at instant: Timestamp, order: Order? = nil) async throws {
      var transaction = try shop.transaction(id, price: price)
      transaction.purchasedAt = instant
      guard let order else {
        _ = try await shop.backend.post(shop.post(transaction))
        return
      }
      _ = try await shop.backend.completePayment(order.code, post: shop.post(transaction))
    }
    let first = shop.time.now
    let order = try await shop.backend.initPayment(shop.request())
    shop.time.advance(seconds: 60)
    try apply("8.99")
    shop.time.advance(seconds: 60)
    let second = shop.time.now
    shop.time.advance(seconds: 60)
    try apply("7.99")
    // A change of something else leaves the prices known.
    try shop.ledger.define(Currency(code: CurrencyCode("COIN"), name: "Coins"))
    shop.time.advance(seconds: 60)
    let third = shop.time.now
    for (index, price) in [999, 899, 799].enumerated() { try await post("a\(index)", Int64(price), at: first) }
    for (index, price) in [899, 799].enumerated() { try await post("b\(index)", Int64(price), at: second) }
    try await post("c", 799, at: third)
    // The price that was announced is right, even if the payment is dated later.
    try await post("d", 999, at: third, order: order)
    XCTAssertEqual(try shop.gems(), 7 * 1200)
    let refused: [(Int64, Timestamp)] = [
      (998, first), (1, first), (999, second), (999, third), (899, third),
    ]
    for (index, row) in refused.enumerated() {
      await assertRefused(.amountMismatch) { try await post("x\(index)", row.0, at: row.1) }
    }
    // The same for the id at the store: a payment under the old id is credited.
    try apply("7.99", storeID: "gems.new")
    try await post("e", 799, at: third)
    XCTAssertEqual(try shop.gems(), 8 * 1200)
    shop.time.advance(seconds: 60)
    await assertRefused(.validationPending) { try await post("f", 799, at: shop.time.now) }
    try assertBooksAddUp(shop.ledger)
  }

  func testWhoMayBuyInTheSandbox() async throws {
    typealias Row = (line: UInt, rule: SandboxReceipts, customer: String, isTaken: Bool)
    let rows: [Row] = [
      (#line, .anybody, "bob", true), (#line, .listed, "tester", true), (#line, .listed, "bob", false),
      (#line, .nobody, "tester", false),
    ]
    for row in rows {
      let policy = BackendPolicy(sandboxReceipts: row.rule, testers: [try CustomerID("tester")])
      let shop = try Shop(policy: policy)
      let post = try shop.post(shop.transaction("t1"), as: row.customer)
      if row.isTaken {
        _ = try await shop.backend.post(post)
      } else {
        await assertRefused(.environmentNotAllowed, line: row.line) { try await shop.backend.post(post) }
        assertRefused(.customerNotFound) { try shop.gems(row.customer) }
      }
    }
  }

  func testWhatWasCreditedStaysASuccessWhateverTheCatalogSaysNow() async throws {
    let shop = try Shop()
    let post = try shop.post(shop.transaction("t1"))
    let first = try await shop.backend.post(post)
    let gem = try CurrencyCode("GEM")
    try shop.ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems")],
        settings: CatalogSettings(bundleID: "com.example.gems", sandboxReceipts: .nobody)))
    let again = try await shop.backend.post(post)
    XCTAssertEqual(again.booking.transactionID, first.booking.transactionID)
    XCTAssertEqual(again.purchase, first.purchase)
    await assertRefused(.environmentNotAllowed) { try await shop.backend.post(shop.post(shop.transaction("t2"))) }
  }

  func testAChangedCatalogIsNoticed() async throws {
    let shop = try Shop()
    await assertRefused(.validationPending) {
      try await shop.backend.post(shop.post(shop.transaction("t1", product: "new")))
    }
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 7)])
    try shop.ledger.apply(
      Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", product: "new")))
    XCTAssertEqual(try shop.gems(), 7)
  }

  func testTheHardLimitIsARefusal() async throws {
    let shop = try Shop()
    try shop.ledger.grant([Adjustment(CurrencyCode("GEM"), Limits.amount)], customer: CustomerID("alice"))
    let refusal = await assertRefused(.amountOutOfRange) {
      try await shop.backend.post(shop.post(shop.transaction("t1")))
    }
    XCTAssertNotNil(refusal?.text("request_id"))
    try assertBooksAddUp(shop.ledger)
  }

  func testOfferingsShowWhatIsOnSale() async throws {
    let shop = try Shop()
    let snapshot = try await shop.backend.offerings(for: AppPlatform(store: .apple))
    XCTAssertEqual(snapshot.products.map(\.code.text), ["gems", "premium", "club"])
    XCTAssertEqual(snapshot.offerings.first?.packages.map(\.id), ["big"])
    XCTAssertEqual(snapshot.current?.text, "main")
    let amazon = try await shop.backend.offerings(for: AppPlatform(store: .amazon))
    XCTAssertEqual(amazon.products, [])
  }

  func testBalancesAndSpending() async throws {
    let shop = try Shop(policy: BackendPolicy(clientSpending: .anyAmount))
    let alice = try CustomerID("alice")
    let none = try await shop.backend.balances(of: alice)
    XCTAssertEqual(none.map(\.balance), [0])
    _ = try await shop.backend.post(shop.post(shop.transaction("t1")))
    let (gem, key) = (try CurrencyCode("GEM"), try IdempotencyKey("k"))
    for _ in 0..<2 { _ = try await shop.backend.spend([Adjustment(gem, 200)], customer: alice, key: key) }
    let balances = try await shop.backend.balances(of: alice)
    XCTAssertEqual(balances.map(\.balance), [1000])
  }
}
