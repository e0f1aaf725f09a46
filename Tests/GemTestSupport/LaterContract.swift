package import GemLedger
internal import GemLedgerAudit
import XCTest

/// A report about an instant stays the same for ever, regardless of later bookings.
///
/// The commands are random. Each figure is asked for at its time and again at the end.
package struct LaterContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()
  private var generator: SeededRandom
  private let customers: [CustomerID]
  private var purchases: [String] = []
  private var spends: [TransactionID] = []
  private var holds: [HoldID] = []

  package init(generator: SeededRandom = SeededRandom(), make: @escaping (LedgerClock) throws -> Ledger) throws {
    self.make = make
    self.generator = generator
    customers = try (0..<12).map { try Make.customer("customer \($0)") }
  }

  /// A balance without its version: scheduled effects that are not booked yet may count it up.
  private struct BalanceState: Equatable {
    let currency: CurrencyCode
    let balance: Int64
    let held: Int64
    let debt: Int64

    init(_ balance: Balance) {
      currency = balance.currency
      self.balance = balance.balance
      held = balance.held
      debt = balance.debt
    }
  }

  /// All that is asked of an instant.
  private struct Figures: Equatable {
    let at: Timestamp
    let unspent: Unspent
    let balances: [CustomerID: [BalanceState]]
    let statements: [CustomerID: Statement]
    let withdrawable: [String: [Withdrawable.Currency]]
    let prices: [EffectivePrice]
  }

  package mutating func run(_ count: Int) throws {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    var known: [Figures] = []
    for step in 0..<count {
      time.advance(seconds: Int64(generator.below(30 * 3600)))
      try act(step, ledger)
      if generator.percent(5) {
        // Half of them with everything booked that has come about by itself.
        let isSwept = generator.percent(50)
        if isSwept { try ledger.sweep() }
        let figures = try figures(of: ledger, at: nil)
        try assertAddUp(figures, ledger, isSwept: isSwept)
        known.append(figures)
        time.advance(seconds: 1)
      }
    }
    // Longer than any hold lasts.
    time.advance(seconds: 40 * 86_400)
    try ledger.sweep()
    XCTAssertGreaterThan(known.count, 0)
    for figures in known {
      let now = try self.figures(of: ledger, at: figures.at)
      XCTAssertEqual(now.unspent, figures.unspent, "seed \(generator.seed): unspent at \(figures.at)")
      XCTAssertEqual(now.withdrawable, figures.withdrawable, "seed \(generator.seed): withdrawable at \(figures.at)")
      XCTAssertEqual(now.prices, figures.prices, "seed \(generator.seed): effective prices until \(figures.at)")
      for (customer, balances) in figures.balances {
        XCTAssertEqual(now.balances[customer], balances, "seed \(generator.seed): \(customer) at \(figures.at)")
        XCTAssertEqual(
          now.statements[customer], figures.statements[customer],
          "seed \(generator.seed): \(customer) until \(figures.at)")
      }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// With nil everything is asked as it is asked now.
  private func figures(of ledger: Ledger, at instant: Timestamp?) throws -> Figures {
    let at = instant ?? time.now
    let until = Timestamp(milliseconds: at.milliseconds + 1)
    let from = Timestamp(milliseconds: at.milliseconds - 40 * 86_400_000)
    var (balances, statements) = ([CustomerID: [BalanceState]](), [CustomerID: Statement]())
    for customer in customers {
      // Not every customer exists yet.
      guard (try? ledger.customer(customer)) != nil else { continue }
      balances[customer] = try ledger.balances(of: customer, at: instant).map(BalanceState.init)
      statements[customer] = try ledger.statement(of: customer, from: from, until: until, limit: 1000)
    }
    let withdrawable = try ledger.withdrawable(at: instant).map { ($0.purchase.storeTransactionID.text, $0.currencies) }
    return Figures(
      at: at, unspent: try ledger.unspent(at: instant ?? at), balances: balances, statements: statements,
      withdrawable: Dictionary(withdrawable, uniquingKeysWith: +),
      prices: try ledger.effectivePrices(from: from, until: until))
  }

  private func assertAddUp(_ figures: Figures, _ ledger: Ledger, isSwept: Bool) throws {
    let books = try ledger.verify().currencies
    for currency in books where isSwept {
      let parts = figures.unspent.parts.filter { $0.currency == currency.currency }
      XCTAssertEqual(parts.reduce(0) { $0 + $1.paid + $1.free }, currency.outstanding, "\(currency.currency)")
    }
    for (customer, statement) in figures.statements {
      for currency in statement.currencies {
        let (opening, closing) = (currency.opening, currency.closing)
        let changes = currency.totals.values.reduce(0, +)
        XCTAssertEqual(
          opening.balance - opening.debt + opening.due + changes - closing.due, closing.balance - closing.debt,
          "\(currency.currency) of \(customer)")
        let balance = figures.balances[customer]?.first { $0.currency == currency.currency }
        XCTAssertEqual(closing.balance, balance?.balance, "\(currency.currency) of \(customer)")
        XCTAssertEqual(closing.held, balance?.held, "\(currency.currency) of \(customer)")
      }
    }
  }

  // MARK: Commands

  private mutating func act(_ step: Int, _ ledger: Ledger) throws {
    let customer = generator.one(of: customers)
    let code = generator.one(of: ["GEM", "COIN", "RUBY", "ORE"])
    let chance = generator.below(100)
    do {
      switch chance {
      case 0..<18: try buy(step, ledger, customer)
      case 18..<30: try grant(ledger, customer, code)
      case 30..<45: try spend(ledger, customer, code)
      case 45..<55: try buyItem(ledger, customer)
      case 55..<62: try refund(step, ledger)
      case 62..<66: try giveBack(step, ledger)
      case 66..<78: try hold(ledger, customer, code)
      case 78..<86: try end(ledger)
      case 86..<92: try reverse(ledger)
      case 92..<97:
        let amount = try Make.amount(code, Int64(1 + generator.below(100)))
        try ledger.transfer([amount], from: customer, to: generator.one(of: customers))
      default: try ledger.merge(from: customer, into: generator.one(of: customers))
      }
    } catch let error as LedgerError {
      // A customer that has too little, is frozen or does not exist yet goes without.
      guard error.code.exitStatus == 2 || error.code == .customerNotFound else { throw error }
    }
  }

  private mutating func buy(_ step: Int, _ ledger: Ledger, _ customer: CustomerID) throws {
    var purchase = try Make.purchase(
      "t\(step)", product: generator.one(of: ["gems_1200", "rubies", "bundle", "ore_pack", "chest"]),
      price: generator.percent(90)
        ? Money(minorUnits: Int64(generator.below(3000)), currency: generator.one(of: ["USD", "JPY"])) : nil,
      environment: generator.percent(80) ? .production : .sandbox)
    purchase.purchasedAt = time.now
    try ledger.creditPurchase(purchase, customer: customer)
    if purchase.environment == .production { purchases.append("t\(step)") }
  }

  private mutating func grant(_ ledger: Ledger, _ customer: CustomerID, _ code: String) throws {
    let days = generator.one(of: [0, 1, 3, 20]) * 86_400_000
    let expiry = days == 0 ? nil : Timestamp(milliseconds: time.now.milliseconds + Int64(days))
    try ledger.grant(
      [Make.amount(code, Int64(1 + generator.below(200)))], customer: customer,
      source: generator.one(of: [.admin, .promotional]),
      expiresAt: expiry)
  }

  private mutating func spend(_ ledger: Ledger, _ customer: CustomerID, _ code: String) throws {
    let booking = try ledger.spend([Make.amount(code, Int64(1 + generator.below(300)))], customer: customer)
    if let id = booking.transactionID { spends.append(id) }
  }

  private mutating func buyItem(_ ledger: Ledger, _ customer: CustomerID) throws {
    let booking = try ledger.buyItem(
      ItemID("extra_life"), quantity: Int64(1 + generator.below(2)), customer: customer)
    if let id = booking.transactionID { spends.append(id) }
  }

  private mutating func reverse(_ ledger: Ledger) throws {
    guard !spends.isEmpty else { return }
    try ledger.reverse(generator.one(of: spends))
  }

  private mutating func hold(_ ledger: Ledger, _ customer: CustomerID, _ code: String) throws {
    let duration = Duration.seconds(generator.one(of: [3600, 86_400, 5 * 86_400, 20 * 86_400]))
    let booking = try ledger.hold(
      [Make.amount(code, Int64(1 + generator.below(250)))], customer: customer, for: duration)
    if let hold = booking.hold?.id { holds.append(hold) }
  }

  private mutating func end(_ ledger: Ledger) throws {
    guard let id = holds.isEmpty ? nil : holds.remove(at: generator.below(holds.count)) else { return }
    if generator.percent(50) {
      let booking = try ledger.capture(id)
      if let id = booking.transactionID { spends.append(id) }
    } else {
      try ledger.release(id)
    }
  }

  private mutating func refund(_ step: Int, _ ledger: Ledger) throws {
    guard !purchases.isEmpty else { return }
    let extent = generator.one(of: [StoreRefund.Extent.full, .milliPercent(30_000), .milliPercent(50_001)])
    try ledger.refund(
      Make.refund(generator.one(of: purchases), extent, revokedAt: Int64(step), signedAt: Int64(step)))
  }

  private mutating func giveBack(_ step: Int, _ ledger: Ledger) throws {
    guard !purchases.isEmpty else { return }
    try ledger.reverseRefund(Make.reversal(generator.one(of: purchases), signedAt: Int64(step)))
  }
}
