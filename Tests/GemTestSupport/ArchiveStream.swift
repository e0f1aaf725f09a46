package import GemLedger
internal import XCTest

/// A ledger's life with everything that an export must carry.
///
/// The economy's commands come singly and in groups. Customers merge, take other ids and are erased. There are orders,
/// entitlements, and catalogs that change.
package struct ArchiveStream {
  package let ledger: Ledger
  package let time: ManualClock
  private var generator: SeededRandom
  private var economy: EconomyStream
  private var orders: [PurchaseCode] = []
  private var payments = 0

  package init(generator: SeededRandom, time: ManualClock, ledger: Ledger) throws {
    self.ledger = ledger
    self.time = time
    self.generator = generator
    economy = EconomyStream(generator: generator)
    // Else both would draw the same numbers.
    _ = self.generator.next()
    try ledger.apply(EconomyStream.catalog(with: []))
  }

  package mutating func live(_ steps: Int) throws {
    for _ in 0..<steps {
      switch generator.below(100) {
      case 0..<4: try ledger.apply(EconomyStream.catalog(with: EconomyStream.drawChanges(&generator)))
      case 4..<8: try sweep()
      case 8..<30: time.advance(seconds: Int64(generator.percent(15) ? generator.below(200_000) : generator.below(400)))
      default: try submit(generator.percent(50) ? 1 : 1 + generator.below(12))
      }
    }
  }

  private func sweep() throws { _ = try ledger.sweep() }

  private mutating func submit(_ count: Int) throws {
    var commands: [LedgerCommand] = []
    for _ in 0..<count {
      commands.append(generator.percent(18) ? try identity() : try economy.command(now: time.now))
    }
    for result in ledger.submit(commands) {
      switch result {
      case .success(let booking): economy.heard(booking)
      case .failure(let error):
        guard error.code != .storageDamaged, error.code != .unexpected, error.code != .booksWrong else { throw error }
      }
    }
  }

  // MARK: Customers and orders

  /// One of few ids, so that an id freed by an erasure is soon used again.
  private mutating func customer() throws -> CustomerID {
    generator.percent(60) ? try economy.customer() : try Make.customer("name \(generator.below(5))")
  }

  private mutating func identity() throws -> LedgerCommand {
    switch generator.below(18) {
    case 0..<3: return .createAlias(try customer(), of: try customer())
    case 3..<5: return .erase(try customer())
    case 5..<8:
      return .merge(
        from: try customer(), into: try customer(),
        key: generator.percent(50) ? try Make.key("m\(generator.below(20))") : nil)
    case 8: return .freeze(try customer(), reason: try Reason("because \(generator.below(9))"))
    case 9: return .unfreeze(try customer())
    case 10: return .registerToken(TokenNumber(high: 1, low: Int64(generator.below(30))), customer: try customer())
    case 11..<13: return try openOrder()
    case 13: return try payOrder()
    case 14: return try subscribe()
    case 15..<17: return .unmerge(try customer())
    default:
      return .holdEntitlement(
        store: .apple, environment: .production,
        transactionID: try StoreTransactionID("s\(generator.below(payments + 1))"),
        customer: try customer())
    }
  }

  private mutating func openOrder() throws -> LedgerCommand {
    let code = try PurchaseCode("ORDER-\(orders.count + generator.below(2))")
    orders.append(code)
    return .openOrder(
      OrderOpening(
        code: code, store: .apple, product: try ProductCode("gems"), quantity: 1, request: "{\"n\":\(orders.count)}",
        key: generator.percent(50) ? try Make.key("o\(generator.below(12))") : nil, lifetimeMilliseconds: 600_000,
        paidBy: nil),
      customer: try customer())
  }

  private mutating func payOrder() throws -> LedgerCommand {
    guard !orders.isEmpty else { return try openOrder() }
    let code = generator.one(of: orders.suffix(6))
    if generator.percent(30) {
      return .advanceOrder(
        code, generator.one(of: [.fail, .deliver, .deliver, .withdraw, .resume]), customer: try customer())
    }
    payments += 1
    return .completeOrder(
      OrderCompletion(
        code: code, purchase: try Make.purchase("o\(payments)", product: "gems"),
        retryAfterMilliseconds: generator.percent(50) ? 60_000 : nil), customer: try customer())
  }

  /// Credits a cycle of a subscription, with currency that expires with it, or a permanent entitlement.
  private mutating func subscribe() throws -> LedgerCommand {
    payments += 1
    var purchase = try Make.purchase("s\(payments)", product: generator.percent(60) ? "pass" : "premium")
    purchase.purchasedAt = time.now
    if purchase.product.text == "pass" {
      purchase.cycleEndsAt = Timestamp(milliseconds: time.now.milliseconds + Int64(60 + generator.below(4000)) * 1000)
      purchase.originalTransactionID = try StoreTransactionID("s\(max(1, payments - generator.below(3)))")
    }
    return .creditPurchase(purchase, customer: try customer())
  }
}

extension EconomyStream {
  /// The changes that a catalog may have against the first one, each independent of the others.
  private static let changes: [(from: String, to: String)] = [
    (#""maximum_balance": 1000, "refund_policy": "freeze""#, #""maximum_balance": 700, "refund_policy": "floor""#),
    (#""burn_order": "paid_first", "refund_policy": "debt""#, #""refund_policy": "debt""#),
    (#""refund_policy": "debt""#, #""refund_policy": "floor""#),
    (#""code": "GEM", "name": "Gems"}"#, #""code": "GEM", "name": "Gems", "refund_policy": "debt"}"#),
    (#""code": "GEM", "name": "Gems"}"#, #""code": "GEM", "name": "Gems", "burn_order": "paid_first"}"#),
    (
      #""code": "GEM", "name": "Gems"}"#,
      #""code": "GEM", "name": "Gems", "allowance": {"amount": 7, "per": "day"}}"#
    ),
    (
      #""code": "GEM", "name": "Gems"}"#,
      #""code": "GEM", "name": "Gems", "recharge": {"amount": 3, "every": "5m", "up_to": 40}}"#
    ),
    (
      #""recharge": {"amount": 2, "every": "1m", "up_to": 30}"#,
      #""recharge": {"amount": 5, "every": "7m", "up_to": 60}"#
    ),
    (#", "recharge": {"amount": 2, "every": "1m", "up_to": 30}"#, ""),
    (#""amount": 10, "per": "day", "rollover": 4"#, #""amount": 15, "per": "week""#),
    (#", "allowance": {"amount": 10, "per": "day", "rollover": 4}"#, ""),
    (#""spend": {"amount": 400, "per": "day"}, "#, ""),
    (#""limit": 2, "limit_per": "day""#, #""limit": 3, "limit_per": "week""#),
    (
      #""grants": [{"currency": "GEM", "amount": 100, "bonus": 20}]"#,
      #""grants": [{"currency": "GEM", "amount": 90}]"#
    ),
    (#""price": {"GEM": 5}"#, #""price": {"GEM": 4, "RUBY": 1}"#),
  ]

  package static func drawChanges(_ generator: inout SeededRandom) -> [Int] {
    changes.indices.filter { _ in generator.percent(20) }
  }

  /// The catalog of ``catalog()`` with more products, and with some things changed.
  package static func catalog(with wanted: [Int]) throws -> Catalog {
    var text = document.replacing(
      #"{"code": "chest""#,
      with: """
        {"code": "premium", "type": "non_consumable", "entitlement": "premium"},
        {"code": "pass", "type": "auto_renewable_subscription", "period": "P1M", "entitlement": "pass",
         "grants": [{"currency": "GEM", "amount": 30, "expires_at_cycle_end": true},
                    {"currency": "RUBY", "amount": 5, "bonus": 5, "expires_at_cycle_end": true}]},
        {"code": "chest"
        """)
    for index in wanted { text = text.replacing(changes[index].from, with: changes[index].to) }
    return try Catalog.load(Array(text.utf8))
  }
}
