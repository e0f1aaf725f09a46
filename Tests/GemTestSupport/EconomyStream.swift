package import GemLedger

/// A seeded stream of commands that uses everything a ledger can do.
///
/// It remembers results in the order in which it heard them. One seed therefore gives one script on every storage with
/// equal answers, however the storage numbers its transactions.
package struct EconomyStream {
  package var generator: SeededRandom
  private var earlier: [LedgerCommand] = []
  private var spends: [TransactionID] = []
  private var holds: [HoldID] = []
  private var purchaseCount = 0
  /// Whether the command at hand is one that keeps its key.
  private var takesKey = true

  package init(generator: SeededRandom) { self.generator = generator }

  /// Every policy once: floor, debt, freeze, paid first, a maximum, an initial balance, a recharge, an allowance, caps;
  /// items with limits and stock; products that give paid, bonus and items.
  package static func catalog() throws -> Catalog { try Catalog.load(Array(document.utf8)) }

  /// The same with other names, maxima and policies, so that scheduled effects begin, change and end.
  package static func catalog(changedBy generator: inout SeededRandom) throws -> Catalog {
    var currencies: [Currency] = []
    for currency in try catalog().currencies {
      guard generator.percent(50) else {
        currencies.append(currency)
        continue
      }
      let recharge = Recharge(
        amount: Int64(1 + generator.below(3)), every: TimeSpan(seconds: generator.one(of: [60, 600, 3600])),
        upTo: Int64(5 + generator.below(40)))
      let allowance = Allowance(
        amount: Int64(1 + generator.below(12)), per: generator.one(of: Period.allCases),
        rollover: generator.one(of: [0, 3, 20]))
      currencies.append(
        Currency(
          code: currency.code, name: "\(currency.name) \(generator.below(3))",
          maximumBalance: generator.one(of: [nil, nil, 60, 1000]), burnOrder: currency.burnOrder,
          refundPolicy: currency.refundPolicy,
          initialBalance: generator.percent(30) ? Int64(1 + generator.below(40)) : nil,
          recharge: generator.percent(40) ? recharge : nil, allowance: generator.percent(40) ? allowance : nil,
          spendLimit: currency.spendLimit, grantLimit: currency.grantLimit))
    }
    let plain = try catalog()
    return try Catalog(
      currencies: currencies, products: plain.products, offerings: plain.offerings,
      currentOffering: plain.currentOffering, items: plain.items, settings: plain.settings)
  }

  package mutating func heard(_ booking: Booking) {
    guard let id = booking.transactionID, !booking.isReplayed else { return }
    if booking.kind == .spend || booking.kind == .capture { spends.append(id) }
    if booking.kind == .hold { holds.append(HoldID(id)) }
  }

  /// The next command, sometimes one that was given before.
  package mutating func command(now: Timestamp) throws -> LedgerCommand {
    if generator.percent(10), !earlier.isEmpty { return generator.one(of: earlier.suffix(60)) }
    takesKey = true
    var command = try draw(now: now)
    if generator.percent(40), takesKey {
      // Few enough that one comes twice for something else.
      command.key = try Make.key("k\(generator.below(600))")
    }
    earlier.append(command)
    return command
  }

  /// One of six customers that change slowly: merges make one of many.
  package mutating func customer() throws -> CustomerID {
    try Make.customer("customer \(earlier.count / 90 + generator.below(6))")
  }

  /// A purchase that there is, mostly.
  package mutating func purchaseID() -> (id: String, session: String?) {
    let number = max(0, purchaseCount - generator.below(12)) + (generator.percent(8) ? 3 : 0)
    return ("t\(number)", number % 4 == 3 ? "session \(number % 3)" : nil)
  }

  package static func environment(_ session: String?) throws -> StoreEnvironment {
    try session.map { try StoreEnvironment.xcode(session: $0) } ?? .production
  }

  // MARK: Requests

  private mutating func draw(now: Timestamp) throws -> LedgerCommand {
    switch generator.below(100) {
    case 0..<2: try newCustomer()
    case 2..<14: try grant(now: now)
    case 14..<29: try change()
    case 29..<36:
      .buyItem(
        try ItemID(generator.one(of: ["sword", "box", "crown", "medal", "life", "nothing"])),
        quantity: Int64(generator.below(3)), customer: try customer())
    case 36..<46: try purchase()
    case 46..<56: try notice()
    case 56..<65: try hold()
    case 65..<75: try endHold()
    case 75..<84: try reversal()
    case 84..<91: try basket()
    case 91..<94: try exchange()
    default: try cold()
    }
  }

  private mutating func newCustomer() throws -> LedgerCommand {
    takesKey = false
    return .createCustomer(try customer())
  }

  private mutating func cold() throws -> LedgerCommand {
    let choice = generator.below(12)
    takesKey = choice < 7
    switch choice {
    case 0..<3: return .merge(from: try customer(), into: try customer())
    case 3: return .freeze(try customer())
    case 4..<7: return .unfreeze(try customer())
    case 7: return .createAlias(try customer(), of: try customer())
    case 8: return .erase(try customer())
    case 9: return .unmerge(try customer())
    default: return .bookDue(try customer())
    }
  }

  private mutating func code() -> String {
    generator.percent(1) ? "GOLD" : generator.one(of: ["GEM", "GEM", "RUBY", "RUBY", "ORE", "NRG", "TIX", "COIN"])
  }

  private mutating func size() -> Int64 {
    if generator.percent(2) { return Int64(generator.below(2)) - 1 }
    return Int64(1 + (generator.percent(12) ? generator.below(1500) : generator.below(50)))
  }

  private mutating func amounts() throws -> [Adjustment] {
    var amounts: [String: Int64] = [:]
    for _ in 0..<(generator.percent(75) ? 1 : generator.below(4)) { amounts[code()] = size() }
    return try amounts.sorted { $0.key < $1.key }.map { try Make.amount($0.key, $0.value) }
  }

  private mutating func grant(now: Timestamp) throws -> LedgerCommand {
    let source = generator.one(of: [LotSource.admin, .admin, .earned, .promotional, .bonus, .paid])
    let expiresAt =
      generator.percent(60) ? Timestamp(milliseconds: now.milliseconds + Int64(generator.below(200)) * 1000) : nil
    return .grant(try amounts(), customer: try customer(), source: source, expiresAt: expiresAt)
  }

  private mutating func change() throws -> LedgerCommand {
    let amounts = try amounts().map { Adjustment($0.currency, generator.percent(80) ? -$0.amount : $0.amount) }
    var command = LedgerCommand.adjust(amounts, customer: try customer())
    if generator.percent(10), let currency = amounts.first?.currency {
      command.conditions = [.minimum(currency, Int64(generator.below(30)))]
    }
    return command
  }

  private mutating func purchase() throws -> LedgerCommand {
    if generator.percent(85) { purchaseCount += 1 }
    let product = generator.one(of: ["gems", "rubies", "ore_pack", "bundle", "energy", "chest", "nothing"])
    let (number, price) = (purchaseCount, Money(minorUnits: 999, currency: "USD"))
    let session = number % 4 == 3 ? "session \(number % 3)" : nil
    let purchase = try Make.purchase(
      "t\(number)", product: product, quantity: Int64(1 + generator.below(3)),
      price: generator.percent(80) ? price : nil,
      environment: try Self.environment(session))
    return .creditPurchase(purchase, customer: try customer())
  }

  /// Dates lie close, so that notices come late and in any order.
  private mutating func notice() throws -> LedgerCommand {
    let (id, session) = purchaseID()
    let environment = try Self.environment(session)
    let (date, signedAt) = (Int64(1 + generator.below(2)), Int64(1 + generator.below(30)))
    if generator.percent(35) {
      return .reverseRefund(
        try Make.reversal(
          id, revokedAt: generator.percent(50) ? date : nil, signedAt: signedAt, environment: environment))
    }
    // One notice says one thing, however often it comes.
    let extents = [StoreRefund.Extent.full, .full, .milliPercent(50_000), .milliPercent(33_333), .quantity(1)]
    let extent = extents[Int(date * 7 + signedAt) % extents.count]
    return .refund(try Make.refund(id, extent, revokedAt: date, signedAt: signedAt, environment: environment))
  }

  private mutating func hold() throws -> LedgerCommand {
    .hold(try amounts(), customer: try customer(), for: .seconds(generator.percent(3) ? 0 : 5 + generator.below(300)))
  }

  private mutating func endHold() throws -> LedgerCommand {
    guard !holds.isEmpty else { return try newCustomer() }
    let hold = generator.one(of: holds.suffix(8))
    switch generator.below(10) {
    case 0..<2: return .extend(hold, for: .seconds(1 + generator.below(400)))
    case 2..<4: return .release(hold)
    default:
      return .capture(hold, amounts: generator.percent(40) ? nil : try amounts(), keepsOpen: generator.percent(50))
    }
  }

  private mutating func reversal() throws -> LedgerCommand {
    guard !spends.isEmpty else { return try newCustomer() }
    let spend = generator.one(of: spends.suffix(generator.percent(30) ? 200 : 8))
    return .reverse(spend, amounts: generator.percent(60) ? nil : try amounts())
  }

  private mutating func basket() throws -> LedgerCommand {
    let (payer, payee) = (try customer(), try customer())
    var legs = [BasketLeg.transfer(try amounts(), from: payer, to: payee)]
    if generator.percent(30) { legs.append(.spend(try amounts(), customer: payer)) }
    if generator.percent(20) { legs.append(.grant(try amounts(), customer: try customer(), source: .promotional)) }
    if generator.percent(20) { legs.append(.item(try ItemID("sword"), quantity: 1, from: payee, to: payer)) }
    return .basket(legs, payer: payer)
  }

  private mutating func exchange() throws -> LedgerCommand {
    let rate = ExchangeRate(
      Int64(1 + generator.below(9)), for: Int64(1 + generator.below(9)),
      rounding: generator.one(of: [.down, .nearest, .up]))
    let amount = try Make.amount(code(), size())
    return .exchange(amount, into: try CurrencyCode(code()), rate: rate, customer: try customer())
  }

  static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems"},
        {"code": "RUBY", "name": "Rubies", "burn_order": "paid_first", "refund_policy": "debt"},
        {"code": "ORE", "name": "Ore", "maximum_balance": 1000, "refund_policy": "freeze"},
        {"code": "NRG", "name": "Energy", "initial_balance": 30, "recharge": {"amount": 2, "every": "1m", "up_to": 30}},
        {"code": "TIX", "name": "Tickets", "allowance": {"amount": 10, "per": "day", "rollover": 4}},
        {"code": "COIN", "name": "Coins", "initial_balance": 20,
         "limits": {"spend": {"amount": 400, "per": "day"}, "grant": {"amount": 2000, "per": "week"}}}
      ],
      "products": [
        {"code": "gems", "type": "consumable", "grants": [{"currency": "GEM", "amount": 100, "bonus": 20}]},
        {"code": "rubies", "type": "consumable", "grants": [{"currency": "RUBY", "amount": 100, "bonus": 20}]},
        {"code": "ore_pack", "type": "consumable", "grants": [{"currency": "ORE", "amount": 300}]},
        {"code": "energy", "type": "consumable", "grants": [{"currency": "NRG", "amount": 25}]},
        {"code": "bundle", "type": "consumable",
         "grants": [{"currency": "GEM", "amount": 50}, {"currency": "COIN", "amount": 30, "bonus": 3}],
         "item_grants": [{"item": "sword", "quantity": 2}]},
        {"code": "chest", "type": "consumable", "item_grants": [{"item": "sword", "quantity": 1}]}
      ],
      "items": [
        {"id": "life", "name": "Life", "price": {"GEM": 5}},
        {"id": "sword", "name": "Sword", "price": {"GEM": 10, "COIN": 4}, "limit": 6},
        {"id": "box", "name": "Box", "price": {"RUBY": 3}, "limit": 2, "limit_per": "day"},
        {"id": "crown", "name": "Crown", "price": {"COIN": 2}, "stock": 5},
        {"id": "medal", "name": "Medal", "price": {}, "available": false}
      ]
    }
    """
}
