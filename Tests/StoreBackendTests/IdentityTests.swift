import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Identities: signing in, aliases, restores, and the data known of a customer.
final class IdentityTests: XCTestCase {
  private func anonymous(_ digit: Character) throws -> CustomerID {
    try CustomerID("$RCAnonymousID:" + String(repeating: digit, count: 32))
  }

  /// The customer may have signed in since the caller looked: the commit decides.
  func testAnAliasOfAnAnonymousCustomerIsNoneOfACustomerWhoSignedIn() async throws {
    let shop = try Shop()
    let (device, next) = try (anonymous("0"), anonymous("1"))
    let alice = try CustomerID("alice")
    _ = try await shop.backend.register(device)
    _ = try await shop.backend.createAlias(next, of: device, anonymous: device, isProven: false)
    _ = try await shop.backend.logIn(alice, from: device)
    await assertRefused(.conditionFailed) {
      try await shop.backend.createAlias(CustomerID("mallory"), of: device, anonymous: device, isProven: false)
    }
    XCTAssertFalse(try shop.ledger.customerIDs(of: alice).contains(CustomerID("mallory")))
  }

  private let anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef"
  private let otherAnonymous = "$RCAnonymousID:fedcba9876543210fedcba9876543210"

  func testBlockedIDsNameNobody() async throws {
    let shop = try Shop()
    let texts =
      CustomerID.unsetTexts.sorted() + ["NaN", "None", "NULL", "[object Object]", "a/b", " ", "   ", "\u{A0}"]
    for text in texts {
      let id = try CustomerID(text)
      await assertRefused(.invalidUserID) { try await shop.backend.register(id) }
      await assertRefused(.invalidUserID) { try await shop.backend.logIn(id, from: CustomerID("alice")) }
      await assertRefused(.invalidUserID) { try await shop.backend.createAlias(id, of: CustomerID("alice")) }
    }
    for text in ["null1", "00", "nobody", "Zorro", " a"] { _ = try await shop.backend.register(CustomerID(text)) }
  }

  /// Ids that only the ledger makes are refused wherever an app can send one.
  func testIDsOfTheLedgersOwnKindsAreRefused() async throws {
    let shop = try Shop()
    let alice = try CustomerID("alice")
    _ = try await shop.backend.post(shop.post(shop.transaction("t0")))
    for text in ["$erased:", "$erased:0000000000000001", "$stock:sword"] {
      let id = try CustomerID(text)
      await assertRefused(.invalidIdentifier) { try await shop.backend.register(id) }
      await assertRefused(.invalidIdentifier) { try await shop.backend.logIn(id, from: alice) }
      await assertRefused(.invalidIdentifier) { try await shop.backend.createAlias(id, of: alice) }
      await assertRefused(.invalidIdentifier) { try await shop.backend.createAlias(alice, of: id) }
      await assertRefused(.invalidIdentifier) { try await shop.backend.initPayment(shop.request(customer: text)) }
      await assertRefused(.invalidIdentifier) {
        try await shop.backend.restore([], customer: id, sharing: .alias)
      }
      for transaction in ["t0", "new"] {
        await assertRefused(.invalidIdentifier) {
          try await shop.backend.post(shop.post(shop.transaction(transaction), as: text))
        }
      }
    }
    try assertBooksAddUp(shop.ledger)
  }

  /// The id of an erased customer is free: later purchases under it are another customer's, with an order or without.
  func testWhatIsBoughtUnderAFreedIDIsNotTheErasedCustomers() async throws {
    let shop = try Shop()
    let alice = try CustomerID("alice")
    _ = try await shop.backend.register(alice)
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", of: "alice")))
    let left = try shop.ledger.erase(alice).customer
    shop.time.advance(seconds: 60)
    let order = try await shop.backend.initPayment(shop.request(key: "k"))
    let paid = try await shop.backend.completePayment(
      order.code, post: shop.post(shop.transaction("t2", of: "alice")))
    XCTAssertEqual(paid.booking.customer, alice)
    XCTAssertEqual(try shop.gems(), 1200)
    // The store's notice alone cannot tell the buyer; the buyer's own device can.
    let third = try shop.transaction("t3", of: "alice")
    let notice = try await shop.backend.apply(third)
    XCTAssertEqual(notice.outcome, .unattributed)
    _ = try await shop.backend.post(shop.post(third))
    XCTAssertEqual(try shop.gems(), 2400)
    XCTAssertEqual(try shop.ledger.balance(of: CurrencyCode("GEM"), customer: left).balance, 1200)
    try assertBooksAddUp(shop.ledger)
  }

  /// A late payment of an erased customer is credited to the remains of that customer, not to the poster.
  func testALatePurchaseOfAnErasedCustomerIsCredited() async throws {
    let shop = try Shop()
    let alice = try CustomerID("alice")
    _ = try await shop.backend.register(alice)
    let transaction = try shop.transaction("t1", of: "alice")
    let left = try shop.ledger.erase(alice).customer
    let answer = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertEqual(answer.booking.customer, left)
    XCTAssertEqual(try shop.ledger.balance(of: CurrencyCode("GEM"), customer: left).balance, 1200)
    // A restore gives no customer the wallet of an erased one.
    _ = try await shop.backend.restore(
      [shop.receipts.receipt(for: transaction)], customer: CustomerID(anonymous), sharing: .alias)
    XCTAssertEqual(try shop.gems(anonymous), 0)
    try assertBooksAddUp(shop.ledger)
  }

  func testAnonymousIDs() throws {
    for (text, isAnonymous) in [
      (anonymous, true), ("$RCAnonymousID:0123456789ABCDEF0123456789abcdef", false), ("$RCAnonymousID:0123", false),
      ("alice", false), (anonymous + "0", false),
    ] {
      XCTAssertEqual(UserID.isAnonymous(try CustomerID(text)), isAnonymous, text)
    }
  }

  func testSigningInFromAnonymousTakesTheGemsAlong() async throws {
    typealias Row = (line: UInt, isKnown: Bool, hasAnonymousAlias: Bool)
    for row in [(#line, false, false), (#line, true, false), (#line, true, true)] as [Row] {
      let shop = try Shop()
      let (alice, someone) = (try CustomerID("alice"), try CustomerID(anonymous))
      if row.isKnown {
        _ = try await shop.backend.register(alice)
        _ = try await shop.backend.post(shop.post(shop.transaction("t0")))
      }
      if row.hasAnonymousAlias { _ = try await shop.backend.logIn(alice, from: CustomerID(otherAnonymous)) }
      _ = try await shop.backend.register(someone)
      _ = try await shop.backend.post(shop.post(shop.transaction("t1", of: anonymous), as: anonymous))
      let registration = try await shop.backend.logIn(alice, from: someone)
      XCTAssertEqual(registration, Registration(customer: alice, isCreated: !row.isKnown), line: row.line)
      XCTAssertEqual(try shop.gems(), row.isKnown ? 2400 : 1200, line: row.line)
      XCTAssertEqual(try shop.gems(anonymous), try shop.gems(), line: row.line)
      let again = try await shop.backend.logIn(alice, from: someone)
      XCTAssertFalse(again.isCreated, line: row.line)
      // A late purchase by the anonymous id finds its buyer.
      _ = try await shop.backend.post(shop.post(shop.transaction("t2", of: anonymous), as: "bob"))
      XCTAssertEqual(try shop.gems(), row.isKnown ? 3600 : 2400, line: row.line)
      try assertBooksAddUp(shop.ledger)
    }
  }

  func testWhatWasBoughtBeforeAnybodyHeardOfTheBuyerFollowsTheSignIn() async throws {
    let shop = try Shop()
    let (alice, someone) = (try CustomerID("alice"), try CustomerID(anonymous))
    // The backend was out of reach when they bought, and they signed in before their receipt was posted.
    let registration = try await shop.backend.logIn(alice, from: someone)
    XCTAssertEqual(registration, Registration(customer: alice, isCreated: true))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", of: anonymous), as: anonymous))
    _ = try await shop.backend.post(shop.post(shop.transaction("t2", of: anonymous), as: "bob"))
    XCTAssertEqual(try shop.gems(), 2400)
    try assertBooksAddUp(shop.ledger)
  }

  func testSigningInFromAnotherCustomerOnlySwitches() async throws {
    let shop = try Shop()
    let (alice, bob) = (try CustomerID("alice"), try CustomerID("bob"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1")))
    let first = try await shop.backend.logIn(bob, from: alice)
    XCTAssertTrue(first.isCreated)
    XCTAssertEqual(try shop.gems("bob"), 0)
    XCTAssertEqual(try shop.gems(), 1200)
    let same = try await shop.backend.logIn(alice, from: alice)
    XCTAssertFalse(same.isCreated)
    let fresh = try await shop.backend.logIn(CustomerID("carol"), from: CustomerID(anonymous))
    XCTAssertTrue(fresh.isCreated)
  }

  func testAnAliasIsOneMoreID() async throws {
    let shop = try Shop()
    let (alice, bob) = (try CustomerID("alice"), try CustomerID("bob"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1"), as: "bob"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t2")))
    let merged = try await shop.backend.createAlias(bob, of: alice)
    XCTAssertFalse(merged.isCreated)
    let fresh = try await shop.backend.createAlias(CustomerID("al"), of: alice)
    XCTAssertTrue(fresh.isCreated)
    let record = try await shop.backend.customer(CustomerID("al"))
    XCTAssertEqual(record.originalID, alice)
    XCTAssertEqual(record.customer.text, "al")
    XCTAssertEqual(Set(record.ids.map(\.text)), ["alice", "bob", "al"])
    XCTAssertEqual(record.nonSubscriptions.map(\.storeTransactionID.text), ["t2", "t1"])
    XCTAssertEqual(try shop.gems("al"), 2400)
    // The answer names the customer as the caller does.
    let answer = try await shop.backend.post(shop.post(shop.transaction("t1"), as: "al"))
    XCTAssertEqual(answer.booking.customer.text, "al")
    try assertBooksAddUp(shop.ledger)
  }

  func testOrdersAndKeysSurviveAMerge() async throws {
    let shop = try Shop()
    let order = try await shop.backend.initPayment(shop.request(customer: anonymous, key: "k"))
    let own = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.logIn(CustomerID("alice"), from: CustomerID(anonymous))
    let again = try await shop.backend.initPayment(shop.request(customer: anonymous, key: "k"))
    XCTAssertEqual(again.code, order.code)
    let answer = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1"), as: "x"))
    XCTAssertEqual(answer.order?.status, .success)
    XCTAssertEqual(try shop.gems(), 1200)
    XCTAssertEqual(
      try shop.backend.orders(of: CustomerID("alice")).map(\.code), [own.code, order.code])
    try assertBooksAddUp(shop.ledger)
  }

  // MARK: Records

  func testEntitlementsOfACustomer() async throws {
    let shop = try Shop()
    let alice = try CustomerID("alice")
    let nobody = try await shop.backend.customer(alice)
    XCTAssertEqual(nobody.entitlements, [])
    XCTAssertEqual(nobody.ids, [alice])
    XCTAssertEqual(nobody.firstSeenAt, shop.time.now)
    let premium = try shop.transaction("p1", product: "premium")
    _ = try await shop.backend.post(shop.post(premium))
    _ = try await shop.backend.post(
      shop.post(shop.transaction("s1", product: "club", expiresAt: shop.after(hours: 1))))
    _ = try await shop.backend.post(
      shop.post(shop.transaction("s2", product: "club", expiresAt: shop.after(hours: 2), originalID: "s1")))
    var record = try await shop.backend.customer(alice)
    XCTAssertEqual(record.entitlements.map(\.id), ["club", "premium"])
    XCTAssertEqual(record.entitlements.map(\.isActive), [true, true])
    XCTAssertEqual(record.entitlements.map(\.expiresAt), [shop.after(hours: 2), nil])
    XCTAssertEqual(record.nonSubscriptions.map(\.storeTransactionID.text), ["p1"])
    shop.time.advance(seconds: 7200)
    record = try await shop.backend.customer(alice)
    XCTAssertEqual(record.entitlements.map(\.isActive), [false, true])
    var refunded = premium
    refunded.revocation = .init(revokedAt: shop.time.now)
    refunded.signedAt = shop.time.now
    _ = try await shop.backend.apply(refunded)
    record = try await shop.backend.customer(alice)
    XCTAssertEqual(record.entitlements.map(\.id), ["club"])
    XCTAssertEqual(record.nonSubscriptions.map(\.refundedMilliPercent), [100_000])
  }

  func testPurchasesByPages() async throws {
    let shop = try Shop()
    let alice = try CustomerID("alice")
    for number in 1...7 { _ = try await shop.backend.post(shop.post(shop.transaction("t\(number)"))) }
    func page(_ number: Int, _ size: Int) async throws -> [String] {
      try await shop.backend.purchases(of: alice, page: number, size: size).map(\.storeTransactionID.text)
    }
    let pages = [try await page(1, 3), try await page(2, 3), try await page(3, 3), try await page(4, 3)]
    XCTAssertEqual(pages, [["t7", "t6", "t5"], ["t4", "t3", "t2"], ["t1"], []])
    await assertRefused(.limitExceeded) { try await page(0, 3) }
    await assertRefused(.limitExceeded) { try await page(1, 0) }
    await assertRefused(.customerNotFound) {
      try await shop.backend.purchases(of: CustomerID("bob"), page: 1, size: 3)
    }
  }

  /// The purchases of merged customers come newest first, each once, in any distribution over the customers.
  func testThePurchasesOfCustomersWhoBecameOneAreInOrder() async throws {
    var generator = SeededRandom()
    for _ in 0..<20 {
      let shop = try Shop()
      let names = (0...generator.below(9)).map { "customer-\($0)" }
      var bought: [String] = []
      for number in 0..<generator.below(150) {
        // Some have many, some few.
        let name = names[generator.percent(60) ? 0 : generator.below(names.count)]
        _ = try await shop.backend.post(shop.post(shop.transaction("t\(number)"), as: name))
        bought.insert("t\(number)", at: 0)
      }
      let survivor = try CustomerID(names[0])
      for name in names {
        _ = try await shop.backend.register(CustomerID(name))
        if name != names[0] { _ = try await shop.backend.createAlias(CustomerID(name), of: survivor) }
      }
      let record = try await shop.backend.customer(survivor)
      XCTAssertEqual(
        record.nonSubscriptions.map(\.storeTransactionID.text), Array(bought.prefix(100)), "\(generator.seed)")
      let size = 1 + generator.below(40)
      var pages: [String] = []
      for page in 1...(1 + bought.count / size) {
        let rows = try await shop.backend.purchases(of: survivor, page: page, size: size)
        pages += rows.map(\.storeTransactionID.text)
      }
      XCTAssertEqual(pages, bought, "\(generator.seed)")
    }
  }

  // MARK: Restores

  private func restore(
    _ shop: Shop, _ transactions: [StoreTransaction], _ customer: String, _ sharing: EntitlementSharing
  ) async throws -> CustomerRecord {
    try await shop.backend.restore(
      transactions.map(shop.receipts.receipt(for:)), customer: CustomerID(customer), sharing: sharing)
  }

  func testARestoreMovesEntitlementsByTheRuleAndNeverCurrency() async throws {
    typealias Row = (
      line: UInt, sharing: EntitlementSharing, owner: String, restorer: String, ownerKeeps: Bool, restorerHas: Bool,
      gems: Int64
    )
    let rows: [Row] = [
      (#line, .transfer, "alice", "bob", false, true, 0), (#line, .keepWithOwner, "alice", "bob", true, false, 0),
      (#line, .alias, "alice", "bob", true, true, 1300), (#line, .transfer, anonymous, "bob", true, true, 1300),
      (#line, .keepWithOwner, anonymous, "bob", true, true, 1300),
      (#line, .transfer, anonymous, otherAnonymous, true, true, 1300),
      // A customer without a sign-in gets no wallet of a signed-in customer.
      (#line, .transfer, "alice", anonymous, false, true, 0), (#line, .alias, "alice", anonymous, false, true, 0),
      (#line, .keepWithOwner, "alice", anonymous, true, false, 0),
    ]
    for row in rows {
      let shop = try Shop()
      let bought = [
        try shop.transaction("t1"), try shop.transaction("p1", product: "premium"),
        try shop.transaction("s1", product: "club", expiresAt: shop.after(hours: 100)),
      ]
      for transaction in bought { _ = try await shop.backend.post(shop.post(transaction, as: row.owner)) }
      let record = try await restore(shop, bought, row.restorer, row.sharing)
      XCTAssertEqual(record.entitlements.map(\.id), row.restorerHas ? ["club", "premium"] : [], line: row.line)
      let owner = try await shop.backend.customer(CustomerID(row.owner))
      XCTAssertEqual(owner.entitlements.map(\.id), row.ownerKeeps ? ["club", "premium"] : [], line: row.line)
      XCTAssertEqual(try shop.gems(row.restorer), row.gems, line: row.line)
      XCTAssertEqual(try shop.gems(row.owner), 1300, line: row.line)
      _ = try await restore(shop, bought, row.restorer, row.sharing)
      XCTAssertEqual(try shop.gems(row.restorer), row.gems, line: row.line)
      try assertBooksAddUp(shop.ledger)
    }
  }

  func testARestoreCreditsWhatNobodyGot() async throws {
    let shop = try Shop()
    let record = try await restore(shop, [try shop.transaction("t1")], "alice", .transfer)
    XCTAssertEqual(record.nonSubscriptions.map(\.storeTransactionID.text), ["t1"])
    XCTAssertEqual(try shop.gems(), 1200)
  }

  func testRefusedReceiptsAreLeftOutOfARestore() async throws {
    let shop = try Shop()
    let foreign = try shop.transaction("t1", product: "nothing")
    let record = try await restore(
      shop, [foreign, try shop.transaction("p1", product: "premium")], "alice", .transfer)
    XCTAssertEqual(record.entitlements.map(\.id), ["premium"])
    await assertRefused(.validationPending) { try await restore(shop, [foreign], "alice", .transfer) }
    let nothing = try await restore(shop, [], "bob", .alias)
    XCTAssertEqual(nothing.entitlements, [])
  }
}
