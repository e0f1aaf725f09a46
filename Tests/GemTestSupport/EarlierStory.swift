package import GemLedger

/// What the version before the evidence of stores did to the ledgers in `Fixtures/earlier-*.sql`, and how they stood.
///
/// This file compiles with that version too: it wrote the fixtures with it.
package struct EarlierStory {
  package let time = ManualClock()

  package init() {}

  /// The environment of receipts that anybody can make.
  package static func testing() throws -> StoreEnvironment { try .localTesting(session: "earlier") }

  /// Fills an empty ledger whose clock is that of the story.
  package func fill(_ ledger: Ledger) throws {
    try ledger.apply(Self.catalog())
    try ledger.book(.openOrder(Self.opening("ORDER-1"), customer: Make.customer("alice")))
    try ledger.book(.openOrder(Self.opening("ORDER-2"), customer: Make.customer("alice")))
    try book(Self.early(), in: ledger)
    try book(Self.purchases(), in: ledger)
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.book(.registerToken(TokenNumber(high: 1, low: 2), customer: alice))
    try ledger.spend([Make.amount("GEM", 2500)], customer: alice, key: Make.key("spend-1"))
    try ledger.spend([Make.amount("RUBY", 90), Make.amount("ORE", 850)], customer: bob)
    try ledger.buyItem(ItemID("sword"), customer: alice, key: Make.key("sword-1"))
    try ledger.buyItem(ItemID("extra_life"), customer: Make.customer("frank"))
    try ledger.hold([Make.amount("GEM", 40)], customer: Make.customer("frank"), for: .seconds(86_400))
    try ledger.grant([Make.amount("COIN", 75)], customer: bob, source: .promotional)
    try ledger.merge(from: Make.customer("erin"), into: alice)
    try book(Self.refunds(), in: ledger)
    try ledger.erase(Make.customer("dave"))
    time.advance(seconds: 3600)
    try ledger.spend([Make.amount("GEM", 100)], customer: Make.customer("frank"))
  }

  private func book(_ commands: [LedgerCommand], in ledger: Ledger) throws {
    for command in commands {
      time.advance(seconds: 1)
      try ledger.book(command)
    }
  }

  /// All that the stores stated, in the order of its arrival.
  package static func statements() throws -> [LedgerCommand] { try early() + purchases() + refunds() }

  // MARK: Statements

  /// Refunds that came before their purchases, some of which never came.
  private static func early() throws -> [LedgerCommand] {
    [
      .refund(try refund("early")), .refund(try refund("kept-full")),
      .refund(try refund("kept-units", .quantity(1), store: .google)),
      .refund(try refund("kept-reversed")), .reverseRefund(try reversal("kept-reversed", revokedAt: 100)),
      .refund(try refund("kept-test", environment: testing())),
    ]
  }

  package static func bought() throws -> [(customer: String, purchase: StorePurchase)] {
    var all = try [
      ("alice", purchase("a1")), ("alice", purchase("a2", environment: .sandbox)),
      ("alice", purchase("a3", quantity: 3, environment: testing())),
      ("alice", purchase("g1", quantity: 4, store: .google)), ("alice", purchase("b1", "bundle")),
      ("alice", purchase("early")), ("bob", purchase("r1", "rubies")), ("bob", purchase("o1", "ore_pack")),
      ("bob", purchase("m1", store: .amazon)), ("bob", purchase("t1", store: .test, environment: testing())),
      ("dave", purchase("d1")), ("erin", purchase("e1")), ("erin", purchase("e2", "bundle", environment: testing())),
      ("erin", purchase("x2", environment: testing())), ("frank", purchase("f1")), ("frank", purchase("f2")),
      ("frank", purchase("f3")), ("frank", purchase("f4", quantity: 4, store: .google)),
      ("frank", purchase("f5", quantity: 4, store: .google)), ("frank", purchase("f6")),
      ("frank", purchase("f7", "chest")), ("dave", purchase("d2", environment: testing())),
    ]
    for (id, original) in [("s1", nil), ("s2", "s1"), ("s3", "s1")] {
      all.append(("carol", try subscription(id, original: original)))
    }
    all.append(("carol", try subscription("token/GPA.1", original: nil, store: .google)))
    return all
  }

  private static func purchases() throws -> [LedgerCommand] {
    try bought().map { .creditPurchase($1, customer: try Make.customer($0)) } + [
      .completeOrder(
        OrderCompletion(code: try PurchaseCode("ORDER-1"), purchase: try purchase("paid"), retryAfterMilliseconds: nil),
        customer: try Make.customer("alice"))
    ]
  }

  private static func refunds() throws -> [LedgerCommand] {
    [
      .refund(try refund("a2", environment: .sandbox)), .refund(try refund("b1")), .refund(try refund("r1")),
      .refund(try refund("o1")), .refund(try refund("e1", .milliPercent(33_333))), .refund(try refund("d1")),
      .refund(try refund("x2", environment: testing())),
      .refund(try refund("f1")), .reverseRefund(try reversal("f1", revokedAt: 100)),
      .refund(try refund("f2")), .reverseRefund(try reversal("f2")),
      .refund(try refund("f3", .milliPercent(25_000))),
      .refund(try refund("f3", .milliPercent(50_000), revokedAt: 150, signedAt: 150)),
      .refund(try refund("f4", .quantity(1), store: .google)),
      .refund(try refund("f4", .quantity(1), revokedAt: 120, signedAt: 120, store: .google)),
      .refund(try refund("f5", .totalQuantity(2), store: .google)),
      .refund(try refund("f6")), .reverseRefund(try reversal("f6", revokedAt: 100)),
      .refund(try refund("f6", .milliPercent(10_000), revokedAt: 300, signedAt: 300)),
      .refund(try refund("f7", .milliPercent(50_000))), .refund(try refund("s2")), .refund(try refund("paid")),
      // A reversal that came without its refund, and one that came too late.
      .reverseRefund(try reversal("a1", revokedAt: 100)), .reverseRefund(try reversal("g1", store: .google)),
      .reverseRefund(try reversal("b1", signedAt: 50)),
    ]
  }

  /// A moment of the story, in seconds after its beginning.
  package static func moment(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_767_225_600_000 + seconds * 1000)
  }

  package static func purchase(
    _ id: String, _ product: String = "gems", quantity: Int64 = 1, store: Store = .apple,
    environment: StoreEnvironment = .production
  ) throws -> StorePurchase {
    try Make.purchase(
      id, product: product, quantity: quantity, price: Money(minorUnits: 999 * quantity, currency: "USD"), store: store,
      environment: environment)
  }

  private static func subscription(_ id: String, original: String?, store: Store = .apple) throws -> StorePurchase {
    var bought = try purchase(id, "club", store: store)
    bought.originalTransactionID = try original.map { try StoreTransactionID($0) }
    bought.cycleEndsAt = moment(2_592_000)
    return bought
  }

  package static func refund(
    _ id: String, _ extent: StoreRefund.Extent = .full, revokedAt: Int64 = 100, signedAt: Int64 = 100,
    store: Store = .apple, environment: StoreEnvironment = .production
  ) throws -> StoreRefund {
    StoreRefund(
      store: store, environment: environment, transactionID: try StoreTransactionID(id), revokedAt: moment(revokedAt),
      extent: extent, signedAt: moment(signedAt))
  }

  package static func reversal(
    _ id: String, revokedAt: Int64? = nil, signedAt: Int64 = 200, store: Store = .apple
  ) throws -> StoreRefundReversal {
    StoreRefundReversal(
      store: store, environment: .production, transactionID: try StoreTransactionID(id),
      revokedAt: revokedAt.map { moment($0) }, signedAt: moment(signedAt))
  }

  private static func opening(_ code: String) throws -> OrderOpening {
    OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode("gems"), quantity: 1, request: "{}",
      key: nil, lifetimeMilliseconds: 86_400_000, paidBy: nil)
  }

  private static func catalog() throws -> Catalog { try Catalog.load(Array(document.utf8)) }

  private static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"},
        {"code": "ORE", "name": "Ore", "maximum_balance": 1000, "refund_policy": "freeze"},
        {"code": "RUBY", "name": "Rubies", "burn_order": "paid_first", "refund_policy": "debt"}
      ],
      "products": [
        {"code": "gems", "type": "consumable", "grants": [{"currency": "GEM", "amount": 1200}],
         "store_ids": {"apple": "gems", "google": "gems", "amazon": "gems", "test": "gems"}},
        {"code": "rubies", "type": "consumable", "grants": [{"currency": "RUBY", "amount": 100, "bonus": 20}]},
        {"code": "ore_pack", "type": "consumable", "grants": [{"currency": "ORE", "amount": 900}]},
        {"code": "bundle", "type": "consumable", "store_ids": {"apple": "bundle"},
         "grants": [{"currency": "GEM", "amount": 500}, {"currency": "COIN", "amount": 300, "bonus": 30}],
         "item_grants": [{"item": "sword", "quantity": 2}]},
        {"code": "chest", "type": "consumable",
         "item_grants": [{"item": "sword", "quantity": 1}, {"item": "extra_life", "quantity": 2}]},
        {"code": "club", "type": "auto_renewable_subscription", "entitlement": "club", "period": "P1M",
         "grants": [{"currency": "GEM", "amount": 100, "expires_at_cycle_end": true}]}
      ],
      "items": [
        {"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}},
        {"id": "sword", "name": "Sword", "price": {"GEM": 100, "COIN": 10}}
      ],
      "settings": {"bundle_id": "com.example.gems"}
    }
    """

  // MARK: How it stands

  /// All that callers can see of customers, as lines of text, without ids that each storage gives by its own order.
  package static func lines(of ledger: Ledger) throws -> [String] {
    var lines: [String] = []
    for customer in try ledger.everyCustomer() {
      let isErased = customer.id.text.hasPrefix("$")
      lines.append("customer \(isErased ? "who was erased" : customer.id.text)")
      for balance in try ledger.balances(of: customer.id) {
        lines.append("  \(balance.currency) \(balance.balance) held \(balance.held) debt \(balance.debt)")
      }
      lines.append("  open holds \(try ledger.holds(of: customer.id).count)")
      for purchase in try ledger.purchases(of: customer.id).purchases {
        lines.append(
          "  bought \(purchase.storeTransactionID) \(purchase.store) \(purchase.environment) \(purchase.product)"
            + " \(purchase.quantity) refunded \(purchase.refundedMilliPercent)")
      }
      for record in try ledger.wholeHistory(of: customer.id) {
        let booking = record.booking
        let entries = booking.entries.map { " \($0.kind) \($0.amount) \($0.currency) = \($0.balance)" }
        let items = booking.items.map { " \($0.item) \($0.quantity) = \($0.owned)" }
        lines.append(
          "  \(booking.kind) \(booking.createdAt.milliseconds)" + (entries + items).joined(separator: ","))
      }
    }
    return lines
  }
}
