package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Runs a seeded stream of commands against a ledger and against the model, and compares after every step.
package struct ModelContract {
  package typealias Model = ModelLedger

  /// Makes the ledger anew over the same storage, where that can be.
  package typealias Reopen = (Ledger, LedgerClock) throws -> Ledger

  private var generator: SeededRandom
  private let time = ManualClock()
  private var model: ModelLedger
  private var ledger: Ledger
  private let reopen: Reopen
  private var earlier: [Model.Command] = []
  /// Whether transactions of two customers in one instant may stand in either order: each command then has an instant
  /// of its own.
  private let hasManyLanes: Bool

  package init(
    generator: SeededRandom, hasManyLanes: Bool = false, reopen: @escaping Reopen = { ledger, _ in ledger },
    make: (LedgerClock) throws -> Ledger
  ) throws {
    self.hasManyLanes = hasManyLanes
    self.generator = generator
    self.reopen = reopen
    model = ModelLedger(clock: time.now.milliseconds)
    ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
  }

  /// Runs about so many commands.
  ///
  /// - Returns: Every customer's whole history, to compare with that of another storage.
  package mutating func run(_ count: Int) throws -> [[HistoryRecord]] {
    var done = 0
    while done < count {
      switch generator.below(100) {
      case 0..<10: advance()
      case 10..<18: try preview()
      case 18..<30 where !hasManyLanes: done += try submitGroup()
      case 30: ledger = try reopen(ledger, time.clock)
      default: done += try bookOne()
      }
    }
    try compareEverything()
    let histories = try ledger.everyCustomer().map { try ledger.wholeHistory(of: $0.id) }
    ledger.close()
    return histories
  }

  // MARK: Steps

  private mutating func advance() {
    // Sometimes back: journal time stands still then.
    if generator.percent(5), !hasManyLanes {
      time.set(Timestamp(milliseconds: time.now.milliseconds - 5000))
    } else {
      time.advance(seconds: Int64(generator.below(40)))
    }
    model.clock = time.now.milliseconds
  }

  private mutating func bookOne() throws -> Int {
    if hasManyLanes {
      time.advance(seconds: 1)
      model.clock = time.now.milliseconds
    }
    let command = command()
    let expected = model.decide(command)
    let answer = Self.answer { try ledger.book(try Self.ledgerCommand(command)) }
    try compare(answer, expected, command)
    try compareBalances(of: command.customer)
    return 1
  }

  private mutating func preview() throws {
    let command = command()
    var copy = model
    let expected = copy.decide(command)
    let answer = Self.answer { try ledger.preview(try Self.ledgerCommand(command)) }
    try compare(answer, expected, command)
  }

  private mutating func submitGroup() throws -> Int {
    let commands = (0..<(2 + generator.below(12))).map { _ in command() }
    let results = ledger.submit(try commands.map(Self.ledgerCommand))
    for (command, result) in zip(commands, results) {
      try compare(Self.answer { try result.get() }, model.decide(command), command)
    }
    for customer in Set(commands.map(\.customer)) { try compareBalances(of: customer) }
    return commands.count
  }

  // MARK: Comparing

  private func compare(_ answer: Model.Answer, _ expected: Model.Answer, _ command: Model.Command) throws {
    guard answer != expected else { return }
    XCTFail("seed \(generator.seed): \(command)\ngave     \(answer)\nexpected \(expected)")
    throw Difference()
  }

  fileprivate struct Difference: Error {}

  private func compareBalances(of customer: String) throws {
    guard model.isKnown(customer) else {
      assertRefused(.customerNotFound) { try ledger.balances(of: Make.customer(customer)) }
      return
    }
    for balance in try ledger.balances(of: Make.customer(customer)) {
      let code = balance.currency.description
      let expected = [model.balance(customer, code), model.debt(customer, code), model.version(customer, code)]
      guard [balance.balance, balance.debt, balance.version] == expected else {
        XCTFail(
          "seed \(generator.seed): \(customer) has \(balance.balance) \(code), debt \(balance.debt), at version "
            + "\(balance.version), expected \(expected)")
        throw Difference()
      }
    }
  }

  private func compareEverything() throws {
    XCTAssertEqual(try ledger.everyCustomer().map(\.id.text), model.customers)
    for customer in model.customers { try compareBalances(of: customer) }
    let verification = try ledger.verify()
    XCTAssertEqual(verification.problems.map(\.description), [])
    XCTAssertEqual(verification.transactions, model.transactionCount)
    for books in verification.currencies {
      let code = books.currency.description
      XCTAssertEqual(books.outstanding, model.customers.reduce(0) { $0 + model.balance($1, code) }, code)
      XCTAssertEqual(books.debt, model.customers.reduce(0) { $0 + model.debt($1, code) }, code)
      for (kind, sum) in model.sums[code] ?? [:] where kind != .expiry { XCTAssertEqual(books.kinds[kind], sum, code) }
    }
  }

  private static func answer(_ body: () throws -> Booking) -> Model.Answer {
    do {
      let booking = try body()
      return .booked(
        kind: booking.kind, customer: booking.customer.text, entries: booking.entries.map(entry),
        items: booking.items.map { "\($0.item) \($0.quantity) \($0.owned)" }, replayed: booking.isReplayed)
    } catch let error as LedgerError {
      return .refused(error.code.description, replayed: error.isReplayed)
    } catch {
      return .refused("\(error)", replayed: false)
    }
  }

  private static func entry(_ entry: PostedEntry) -> Model.Entry {
    Model.Entry(
      currency: entry.currency.description, kind: entry.kind, amount: entry.amount, balance: entry.balance,
      debt: entry.debt, version: entry.version,
      taken: entry.allocations.map { Model.Taken(source: $0.source, amount: $0.amount) })
  }
}

// MARK: The stream of commands

extension ModelContract {
  private mutating func command() -> Model.Command {
    if generator.percent(12), !earlier.isEmpty { return generator.one(of: earlier) }
    var key = generator.percent(50) ? "k\(generator.below(400))" : nil
    let request = request()
    switch request {
    case .create, .alias: key = nil
    default: break
    }
    let command = Model.Command(customer: customer(), key: key, request: request)
    earlier.append(command)
    return command
  }

  /// One of eight customers that change slowly: merges make one customer of many.
  private mutating func customer() -> String { "customer \(earlier.count / 150 + generator.below(8))" }

  private mutating func request() -> Model.Request {
    switch generator.below(100) {
    case 0..<2: .create
    case 2..<42: .adjust(amounts(), conditions: [])
    case 42..<48: conditional()
    case 48..<49: generator.percent(60) ? .merge(from: customer()) : .alias(customer())
    case 49..<50: .freeze(generator.percent(30))
    case 50..<58: notice()
    case 58..<72: grant()
    case 72..<80:
      .item(generator.one(of: ["extra_life", "sword", "medal", "nothing"]), quantity: Int64(generator.below(4)))
    default: purchase()
    }
  }

  private mutating func amounts() -> [String: Int64] {
    var amounts: [String: Int64] = [:]
    for _ in 0..<(generator.percent(70) ? 1 : generator.below(4)) { amounts[code()] = amount() }
    return amounts
  }

  private mutating func code() -> String {
    generator.percent(2) ? "GOLD" : generator.one(of: ["GEM", "GEM", "COIN", "ORE", "RUBY"])
  }

  private mutating func amount() -> Int64 {
    if generator.percent(2) { return 0 }
    let size = Int64(generator.percent(10) ? generator.below(3000) : generator.below(60))
    return generator.percent(70) ? -size : size
  }

  private mutating func conditional() -> Model.Request {
    let amounts = amounts()
    let code = generator.percent(5) ? "GEM" : amounts.keys.sorted().first ?? "GEM"
    let bound = Int64(generator.below(300))
    let condition =
      switch generator.below(3) {
      case 0: Model.ModelCondition.version(code, bound % 40)
      case 1: Model.ModelCondition.minimum(code, bound)
      default: Model.ModelCondition.maximum(code, bound)
      }
    return .adjust(amounts, conditions: [condition])
  }

  private mutating func grant() -> Model.Request {
    let source = generator.one(of: [LotSource.admin, .admin, .earned, .promotional, .bonus, .paid])
    let expiresAt = generator.percent(60) ? model.now + Int64(generator.below(120)) * 1000 : nil
    var amounts = amounts()
    for (code, amount) in amounts where amount < 0 { amounts[code] = -amount }
    return .grant(amounts, source, expiresAt: expiresAt)
  }

  private mutating func purchase() -> Model.Request {
    let products = ["gems_1200", "rubies", "ore_pack", "bundle", "starter", "nothing"]
    let session: String? = generator.percent(30) ? "session \(generator.below(4))" : nil
    return .purchase(
      "t\(generator.below(2000))", session: session, product: generator.one(of: products),
      quantity: Int64(generator.below(4)))
  }

  /// About a purchase that is there, mostly; dates lie close, so that notices come late and in any order.
  private mutating func notice() -> Model.Request {
    var (id, session) = ("t\(generator.below(2000))", nil as String?)
    if generator.percent(80), let known = model.purchaseIDs.suffix(12).randomElement(using: &generator) {
      let parts = known.split(separator: "/", omittingEmptySubsequences: false)
      (id, session) = (String(parts[0]), parts[1].isEmpty ? nil : String(parts[1]))
    }
    let (date, signedAt) = (Int64(1 + generator.below(2)), Int64(1 + generator.below(30)))
    if generator.percent(35) {
      return .reverse(id, session: session, revokedAt: generator.percent(50) ? date : nil, signedAt: signedAt)
    }
    // One notice says one thing, however often it comes.
    let extents = [
      Model.Extent.full, .full, .milliPercent(50_000), .milliPercent(33_333), .quantity(1), .quantity(2),
      .totalQuantity(2),
    ]
    return .refund(
      id, session: session, extents[Int(date * 7 + signedAt) % extents.count], revokedAt: date, signedAt: signedAt)
  }

  private static func ledgerCommand(_ command: Model.Command) throws -> LedgerCommand {
    let (customer, key) = (try Make.customer(command.customer), try command.key.map { try Make.key($0) })
    switch command.request {
    case .create: return .createCustomer(customer)
    case .adjust(let amounts, let conditions):
      var adjust = LedgerCommand.adjust(try adjustments(amounts), customer: customer, key: key)
      adjust.conditions = try conditions.map(condition)
      return adjust
    case .grant(let amounts, let source, let expiresAt):
      return .grant(
        try adjustments(amounts), customer: customer, key: key, source: source,
        expiresAt: expiresAt.map(Timestamp.init(milliseconds:)))
    case .purchase(let id, let session, let product, let quantity):
      return .creditPurchase(
        try Make.purchase(id, product: product, quantity: quantity, environment: try environment(session)),
        customer: customer, key: key)
    case .item(let id, let quantity):
      return .buyItem(try ItemID(id), quantity: quantity, customer: customer, key: key)
    default: return try correction(command, customer: customer, key: key)
    }
  }

  private static func correction(
    _ command: Model.Command, customer: CustomerID, key: IdempotencyKey?
  ) throws -> LedgerCommand {
    switch command.request {
    case .refund(let id, let session, let extent, let revokedAt, let signedAt):
      let extent: StoreRefund.Extent =
        switch extent {
        case .full: .full
        case .milliPercent(let part): .milliPercent(part)
        case .quantity(let units): .quantity(units)
        case .totalQuantity(let units): .totalQuantity(units)
        }
      return .refund(
        try Make.refund(
          id, extent, revokedAt: revokedAt, signedAt: signedAt, environment: try environment(session)), key: key)
    case .reverse(let id, let session, let revokedAt, let signedAt):
      return .reverseRefund(
        try Make.reversal(id, revokedAt: revokedAt, signedAt: signedAt, environment: try environment(session)),
        key: key)
    case .merge(let from): return .merge(from: try Make.customer(from), into: customer, key: key)
    case .alias(let id): return .createAlias(try Make.customer(id), of: customer)
    case .freeze(let isFrozen): return isFrozen ? .freeze(customer, key: key) : .unfreeze(customer, key: key)
    default: throw Difference()
    }
  }

  private static func environment(_ session: String?) throws -> StoreEnvironment {
    try session.map { try StoreEnvironment.xcode(session: $0) } ?? .production
  }

  private static func adjustments(_ amounts: [String: Int64]) throws -> [Adjustment] {
    // In another order every time: it must not matter.
    try amounts.shuffled().map { try Make.amount($0.key, $0.value) }
  }

  private static func condition(_ condition: Model.ModelCondition) throws -> Condition {
    switch condition {
    case .version(let code, let number): .version(try CurrencyCode(code), number)
    case .minimum(let code, let number): .minimum(try CurrencyCode(code), number)
    case .maximum(let code, let number): .maximum(try CurrencyCode(code), number)
    }
  }
}
