internal import GemLedger
import XCTest

/// What stores state about one purchase, in any order, repeated and lost: the result is a function of what arrived.
extension RefundContract {
  /// A statement about the purchase, dated by its store.
  private enum Statement: Hashable {
    /// The purchase stands; of two that state other things, each is kept.
    case purchased(at: Int64, what: String)
    /// It cannot be credited at the moment.
    case held(at: Int64, what: String)
    case refund(StoreRefund.Extent, revokedAt: Int64, at: Int64)
    case reversal(revokedAt: Int64?, at: Int64)
  }

  /// What became of the purchase.
  private struct Outcome: Equatable {
    var granted: Int64?
    var refunded: Int64?
    /// Only where nothing was spent.
    var balance: Int64?
  }

  func testEvidenceInAnyOrder() throws {
    var generator = SeededRandom()
    let ledger = try ledger()
    let start = time.now
    // Statements come after the purchase, and catalogs change meanwhile.
    time.advance(seconds: 10)
    var amounts = [1201, 1200].makeIterator()
    for story in 0..<Tier.current.length(12, thorough: 60) {
      let all = statements(&generator)
      let kept = all.filter { _ in generator.percent(80) }
      let spends = generator.percent(40)
      var first: Outcome?
      for order in 0..<6 {
        let id = "evidence \(story) \(order)"
        var played = kept.flatMap { [Statement](repeating: $0, count: generator.percent(25) ? 2 : 1) }
        played.shuffle(using: &generator)
        for (step, statement) in played.enumerated() {
          try tell(statement, of: id, boughtAt: start, to: ledger)
          if spends, generator.percent(30) { try spend(id, ledger) }
          if generator.percent(20) { try merge(id, into: "\(id) \(step)", ledger) }
          if generator.percent(10), let amount = amounts.next() {
            time.advance(seconds: 1)
            try ledger.apply(Make.catalog(replacing: "\"amount\": 1200", with: "\"amount\": \(amount)"))
          }
        }
        let outcome = try outcome(of: id, ledger, hasSpent: spends)
        XCTAssertEqual(outcome, first ?? outcome, "story \(story), order \(order): \(played)")
        first = outcome
      }
    }
    try check(ledger)
  }

  private func statements(_ generator: inout SeededRandom) -> [Statement] {
    var all: [Statement] = []
    for _ in 0..<(1 + generator.below(3)) {
      all.append(.purchased(at: Int64(generator.below(50)), what: generator.one(of: ["a", "b"])))
    }
    if generator.percent(30) { all.append(.held(at: Int64(generator.below(50)), what: "a")) }
    let extents: [StoreRefund.Extent] = [.full, .milliPercent(25_000), .milliPercent(60_000), .quantity(1)]
    for _ in 0..<generator.below(4) {
      all.append(
        .refund(
          generator.one(of: extents), revokedAt: Int64(1 + generator.below(3)), at: Int64(generator.below(50))))
    }
    for _ in 0..<generator.below(3) {
      all.append(
        .reversal(
          revokedAt: generator.percent(50) ? Int64(1 + generator.below(3)) : nil, at: Int64(generator.below(50))))
    }
    return all
  }

  private func tell(_ statement: Statement, of id: String, boughtAt start: Timestamp, to ledger: Ledger) throws {
    let customer = try Make.customer(id)
    switch statement {
    case .purchased(let date, let what):
      var purchase = try Make.purchase(id, product: "gems_1200")
      purchase.quantity = 4
      purchase.purchasedAt = start
      purchase.statedAt = Timestamp(milliseconds: date * 1000)
      purchase.statement = StoreStatement(content: "{\"what\":\"\(what)\"}")
      try ledger.creditPurchase(purchase, customer: customer)
    case .held(let date, let what):
      let hold = ReceiptHold(
        store: .apple, environment: .production, transactionID: try StoreTransactionID(id),
        statedAt: Timestamp(milliseconds: date * 1000), statement: StoreStatement(content: "{\"what\":\"\(what)\"}"),
        reason: .product)
      _ = try ledger.book(.holdReceipt(hold, customer: customer))
    case .refund(let extent, let revokedAt, let date):
      var refund = try Make.refund(id, extent, revokedAt: revokedAt, signedAt: date)
      refund.statement = StoreStatement(content: "{\"what\":\"a\"}")
      try ledger.refund(refund)
    case .reversal(let revokedAt, let date):
      var reversal = try Make.reversal(id, revokedAt: revokedAt, signedAt: date)
      reversal.statement = StoreStatement(content: "{\"what\":\"a\"}", isNotice: true)
      try ledger.reverseRefund(reversal)
    }
  }

  private func spend(_ id: String, _ ledger: Ledger) throws {
    let (gems, customer) = (try Make.amount("GEM", 700), try Make.customer(id))
    do throws(LedgerError) { try ledger.spend([gems], customer: customer) } catch {
      guard error.code == .insufficientBalance || error.code == .customerNotFound else { throw error }
    }
  }

  private func merge(_ id: String, into other: String, _ ledger: Ledger) throws {
    let (one, two) = (try Make.customer(id), try Make.customer(other))
    do throws(LedgerError) {
      try ledger.createCustomer(two)
      try ledger.merge(from: one, into: two)
    } catch {
      guard error.code == .customerNotFound || error.code == .alreadyExists else { throw error }
    }
  }

  private func outcome(of id: String, _ ledger: Ledger, hasSpent: Bool) throws -> Outcome {
    let purchase = try ledger.purchase(
      store: .apple, environment: .production, transactionID: StoreTransactionID(id))
    guard let purchase else { return Outcome() }
    let history = try ledger.history(of: Make.customer(id)).transactions
    let granted = history.filter { $0.booking.kind == .purchase }.flatMap(\.booking.entries).map(\.amount)
    return Outcome(
      granted: granted.reduce(0, +), refunded: purchase.refundedMilliPercent,
      balance: hasSpent ? nil : try balance(ledger, "GEM", id).balance)
  }

  /// Of more statements than are kept apart, the dates alone count, and nothing fails.
  func testManyStatementsOfOnePurchase() throws {
    let ledger = try ledger()
    let start = time.now
    for number in 0..<(Limits.statementsPerPurchase + 8) {
      try tell(.purchased(at: Int64(number), what: "\(number)"), of: "many", boughtAt: start, to: ledger)
    }
    // It is older than the newest statement, and so changes nothing.
    try tell(
      .refund(.full, revokedAt: 1, at: Int64(Limits.statementsPerPurchase + 6)), of: "many", boughtAt: start, to: ledger
    )
    XCTAssertEqual(try balance(ledger, "GEM", "many").balance, 4800)
    let purchases = try ledger.purchases(of: Make.customer("many")).purchases
    let statements = try ledger.view { (view) throws(LedgerError) in
      try view.evidence.statements(about: purchases)
    }
    XCTAssertLessThanOrEqual(statements.values.first?.count ?? 0, Limits.statementsPerPurchase + 2)
    try check(ledger)
  }

  /// Held purchases are found by reason, customer and subject, and go when they are credited.
  func testHeldPurchasesAreFound() throws {
    let ledger = try ledger()
    for number in 0..<30 {
      let hold = ReceiptHold(
        store: .google, environment: .sandbox, transactionID: try StoreTransactionID("held \(number)"),
        statedAt: time.now, statement: StoreStatement(content: "{\"number\":\(number)}"),
        reason: number.isMultiple(of: 3) ? .buyer : .product,
        dueAt: number.isMultiple(of: 2) ? Timestamp(milliseconds: 1000 - Int64(number)) : nil,
        subject: number.isMultiple(of: 3) ? "token \(number % 2)" : nil, note: "{\"n\":\(number)}")
      _ = try ledger.book(.holdReceipt(hold, customer: try Make.customer("alice")))
    }
    func held(_ reason: HoldReason, limit: Int = 4) throws -> [HeldPurchase] {
      var (found, place): ([HeldPurchase], IndexPlace?) = ([], nil)
      while true {
        let page = try ledger.view { (view) throws(LedgerError) in
          try view.evidence.held(for: reason, after: place, limit: limit)
        }
        found += page
        guard let last = page.last else { return found }
        place = last.place
      }
    }
    let products = try held(.product)
    XCTAssertEqual(products.count, 20)
    XCTAssertEqual(products.map(\.place), products.map(\.place).sorted())
    XCTAssertEqual(products.prefix(10).compactMap(\.dueAt).count, 10)
    XCTAssertEqual(Set(products.map(\.customer)), [try Make.customer("alice")])
    XCTAssertEqual(try held(.buyer).count, 10)
    let waiting = try ledger.view { (view) throws(LedgerError) in try view.evidence.held(waitingFor: "token 1") }
    XCTAssertEqual(
      Set(waiting.map(\.transactionID.text)), ["held 3", "held 9", "held 15", "held 21", "held 27"])
    XCTAssertEqual(
      try ledger.view { (view) throws(LedgerError) in try view.evidence.count(of: .product, limit: 7) }, 7)
    var purchase = try Make.purchase("held 1", product: "gems_1200")
    (purchase.store, purchase.environment) = (.google, .sandbox)
    try ledger.creditPurchase(purchase, customer: Make.customer("bob"))
    XCTAssertEqual(try held(.product).count, 19)
    try ledger.erase(Make.customer("alice"))
    XCTAssertEqual(try held(.product).count, 0)
    XCTAssertEqual(try held(.erased).count, 19)
    // The tokens are of somebody else, whose purchases they stay.
    XCTAssertEqual(try held(.buyer).map(\.customer), Array(repeating: nil, count: 10))
    try check(ledger)
  }
}
