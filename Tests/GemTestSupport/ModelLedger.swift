package import GemLedger

/// A ledger as plainly as it can be written: arrays and linear scans, over the tests' catalog.
package struct ModelLedger {
  /// A request, in words that both the model and the ledger understand.
  package enum Request: Hashable {
    case create
    case adjust([String: Int64], conditions: [ModelCondition])
    case grant([String: Int64], LotSource, expiresAt: Int64?)
    case purchase(String, session: String?, product: String, quantity: Int64)
    case item(String, quantity: Int64)
    case refund(String, session: String?, Extent, revokedAt: Int64, signedAt: Int64)
    /// Of one refund, or of all where there is no date.
    case reverse(String, session: String?, revokedAt: Int64?, signedAt: Int64)
    /// Into the customer of the command.
    case merge(from: String)
    case alias(String)
    case freeze(Bool)
  }

  package enum Extent: Hashable {
    case full
    case milliPercent(Int64)
    case quantity(Int64)
    case totalQuantity(Int64)
  }

  package struct Command: Hashable {
    package var customer: String
    package var key: String?
    package var request: Request
  }

  package enum ModelCondition: Hashable {
    case version(String, Int64)
    case minimum(String, Int64)
    case maximum(String, Int64)
  }

  package enum Answer: Hashable {
    case booked(kind: EntryKind, customer: String, entries: [Entry], items: [String], replayed: Bool)
    case refused(String, replayed: Bool)
  }

  package struct Entry: Hashable {
    var currency: String
    var kind: EntryKind
    var amount: Int64
    var balance: Int64
    var debt: Int64
    var version: Int64
    var taken: [Taken]
  }

  package struct Taken: Hashable {
    var source: LotSource
    var amount: Int64
  }

  struct Lot {
    var customer: String
    var currency: String
    var source: LotSource
    var isPooled: Bool
    var session: String?
    var remaining: Int64
    var expiresAt: Int64?
  }

  struct Refusal: Error {
    let code: String
    var isReplayed = false
  }

  /// The time of the machine's clock.
  package var clock: Int64
  /// Journal time never goes back.
  package var now: Int64 { max(clock, journalTime) }
  private var journalTime: Int64
  /// All customers, in the order of their creation.
  package internal(set) var everybody: [String] = []
  package var customers: [String] { everybody.filter { parts[$0] == nil } }
  package internal(set) var transactionCount: Int64 = 0 { didSet { journalTime = now } }
  package internal(set) var sums: [String: [EntryKind: Int64]] = [:]
  var lots: [Lot] = []
  var versions: [String: Int64] = [:]
  var owned: [String: Int64] = [:]
  var keys: [(customer: String, key: String, request: String, answer: Answer)] = []
  var purchases: [Purchase] = []
  var notices: [Notice] = []
  var debts: [String: Int64] = [:]
  var frozen: [String: Int64] = [:]
  /// The customer that an id named when it was created.
  var persons: [String: String] = [:]
  /// The surviving customer of each merged one.
  var parts: [String: String] = [:]

  /// - Parameter clock: The time now, which is also that of the catalog: nothing is booked before it.
  package init(clock: Int64) {
    self.clock = clock
    journalTime = clock
  }

  package func balance(_ id: String, _ currency: String) -> Int64 {
    let customer = person(id)
    return lots.filter { $0.customer == customer && $0.currency == currency && isLive($0) }.reduce(0) {
      $0 + $1.remaining
    }
  }

  package func version(_ id: String, _ currency: String) -> Int64 { versions[person(id) + "/" + currency] ?? 0 }
  package func debt(_ id: String, _ currency: String) -> Int64 { debts[person(id) + "/" + currency] ?? 0 }
  package func isKnown(_ id: String) -> Bool { persons[id] != nil }

  /// The customer that an id names now.
  func person(_ id: String) -> String {
    var person = persons[id] ?? id
    while let next = parts[person] { person = next }
    return person
  }

  package mutating func decide(_ command: Command) -> Answer {
    do {
      return try decideOrThrow(command)
    } catch let refusal as Refusal {
      return .refused(refusal.code, replayed: refusal.isReplayed)
    } catch {
      return .refused("\(error)", replayed: false)
    }
  }

  // MARK: The steps of every command

  mutating func decideOrThrow(_ command: Command) throws -> Answer {
    try checkRequest(command.request)
    switch command.request {
    case .refund, .reverse: return try decideNotice(command)
    case .merge(let from): return try decideMerge(command, from: from)
    case .alias(let id): return try decideAlias(command, id)
    default: break
    }
    if case .purchase(let id, let session, _, _) = command.request,
      let known = purchases.first(where: { $0.identity == "\(id)/\(session ?? "")" })
    {
      return replay(known.answer, customer: person(known.owner))
    }
    let isNew = !isKnown(command.customer)
    switch command.request {
    case .create:
      if isNew { add(command.customer) }
      return .booked(kind: .initial, customer: command.customer, entries: [], items: [], replayed: !isNew)
    case .grant, .purchase: break
    default: if isNew { throw Refusal(code: "customer_not_found") }
    }
    let answer = try once(command, isNew: isNew) { (model) throws in try model.book(command) }
    if isNew { add(command.customer) }
    if case .purchase(let id, let session, _, _) = command.request, !answer.isReplayed {
      try applyEarlyNotices("\(id)/\(session ?? "")")
    }
    return answer
  }

  mutating func add(_ id: String) {
    everybody.append(id)
    persons[id] = id
  }

  /// The answer under the key, or a new one that the key keeps.
  mutating func once(
    _ command: Command, isNew: Bool = false, decide: (inout Self) throws -> Answer
  ) throws -> Answer {
    if let answer = try answerUnderKey(command) { return answer }
    do {
      let answer = try decide(&self)
      keep(answer, command)
      return answer
    } catch let refusal as Refusal {
      if let code = LedgerError.Code(refusal.code), code.isKept, !isNew {
        keep(.refused(refusal.code, replayed: true), command)
      }
      throw refusal
    }
  }

  /// Of the id as named first, then of all others that the customer ever was, those that asked the same before others.
  func answerUnderKey(_ command: Command) throws -> Answer? {
    guard let key = command.key else { return nil }
    let now = person(command.customer)
    let others = everybody.filter { person($0) == now && $0 != now }
    let own = persons[command.customer] ?? command.customer
    let request = fingerprint(command.request)
    let known = ([own, now] + others).compactMap { principal in
      keys.first { $0.customer == principal && $0.key == key }
    }
    guard let first = known.first else { return nil }
    let meant = first.customer == own ? first : known.first { $0.request == request } ?? first
    guard meant.request == request else { throw Refusal(code: "key_conflict") }
    if case .refused(let code, _) = meant.answer { throw Refusal(code: code, isReplayed: true) }
    return replay(meant.answer, customer: command.customer)
  }

  mutating func keep(_ answer: Answer, _ command: Command) {
    guard let key = command.key else { return }
    keys.append((person(command.customer), key, fingerprint(command.request), answer))
  }

  func replay(_ answer: Answer, customer: String) -> Answer {
    switch answer {
    case .booked(let kind, _, let entries, let items, _):
      .booked(kind: kind, customer: customer, entries: entries, items: items, replayed: true)
    case .refused(let code, _): .refused(code, replayed: true)
    }
  }

  /// The source of lots is no part of the request.
  func fingerprint(_ request: Request) -> String {
    switch request {
    case .create: "create"
    case .adjust(let amounts, let conditions): "adjust \(sorted(amounts)) \(Set(conditions).map { "\($0)" }.sorted())"
    case .grant(let amounts, _, let expiresAt): "grant \(sorted(amounts)) \(expiresAt ?? 0)"
    case .purchase(let id, let session, _, _): "purchase \(id) \(session ?? "")"
    case .item(let id, let quantity): "item \(id) \(quantity)"
    case .refund(let id, let session, let extent, let revokedAt, _):
      "refund \(id) \(session ?? "") \(revokedAt) \(extent)"
    case .reverse(let id, let session, let revokedAt, _): "reverse \(id) \(session ?? "") \(revokedAt ?? -1)"
    case .merge(let from): "merge \(from)"
    case .alias(let id): "alias \(id)"
    case .freeze(let isFrozen): "freeze \(isFrozen)"
    }
  }

  func sorted(_ amounts: [String: Int64]) -> [String] { amounts.map { "\($0.key)=\($0.value)" }.sorted() }

  // MARK: Rules

  func checkRequest(_ request: Request) throws {
    switch request {
    case .create, .refund, .reverse, .merge, .alias, .freeze: return
    case .adjust(let amounts, let conditions):
      if amounts.isEmpty || conditions.contains(where: { amounts[currency($0)] == nil }) {
        throw Refusal(code: "invalid_request")
      }
      if amounts.values.contains(0) { throw Refusal(code: "amount_out_of_range") }
    case .grant(let amounts, let source, _):
      if amounts.isEmpty || source == .paid { throw Refusal(code: "invalid_request") }
      if amounts.values.contains(where: { $0 <= 0 }) { throw Refusal(code: "amount_out_of_range") }
    case .purchase(_, _, _, let quantity), .item(_, let quantity):
      if quantity < 1 || quantity > 1_000_000 { throw Refusal(code: "amount_out_of_range") }
    }
  }

  mutating func book(_ command: Command) throws -> Answer {
    let customer = person(command.customer)
    let answer = try book(command.request, customer)
    return answer.named(command.customer)
  }

  mutating func book(_ request: Request, _ customer: String) throws -> Answer {
    switch request {
    case .create, .refund, .reverse, .merge, .alias: throw Refusal(code: "unexpected")
    case .freeze(let isFrozen):
      transactionCount += 1
      frozen[customer] = isFrozen ? (frozen[customer] ?? 0) | 1 : 0
      return .booked(kind: isFrozen ? .freeze : .unfreeze, customer: customer, entries: [], items: [], replayed: false)
    case .adjust(let amounts, let conditions):
      try checkCurrencies(amounts)
      try check(conditions, amounts, customer)
      try checkFrozen(amounts, customer)
      try checkBalances(amounts, customer)
      return post(amounts, customer, credit: .earned, expiresAt: nil)
    case .grant(let amounts, let source, let expiresAt):
      if let expiresAt, expiresAt <= now { throw Refusal(code: "invalid_request") }
      try checkCurrencies(amounts)
      try checkBalances(amounts, customer)
      return post(amounts, customer, credit: source, expiresAt: expiresAt)
    case .purchase(let id, let session, let product, let quantity):
      return try credit(id, session, product, quantity, customer)
    case .item(let id, let quantity): return try sell(id, quantity, customer)
    }
  }

  func checkCurrencies(_ amounts: [String: Int64]) throws {
    if amounts.keys.contains(where: { Self.maxima[$0] == nil }) { throw Refusal(code: "unknown_currency") }
  }

  func check(_ conditions: [ModelCondition], _ amounts: [String: Int64], _ customer: String) throws {
    for condition in conditions {
      let code = currency(condition)
      let amount = amounts[code] ?? 0
      let after = balance(customer, code) + amount - max(0, min(amount, debt(customer, code)))
      let holds =
        switch condition {
        case .version(_, let wanted): version(customer, code) == wanted
        case .minimum(_, let wanted): after >= wanted
        case .maximum(_, let wanted): after <= wanted
        }
      if !holds { throw Refusal(code: "condition_failed") }
    }
  }

  func currency(_ condition: ModelCondition) -> String {
    switch condition {
    case .version(let code, _), .minimum(let code, _), .maximum(let code, _): code
    }
  }

  func checkFrozen(_ amounts: [String: Int64], _ customer: String) throws {
    if frozen[customer] ?? 0 != 0, amounts.values.contains(where: { $0 < 0 }) {
      throw Refusal(code: "customer_frozen")
    }
  }

  func checkBalances(_ amounts: [String: Int64], _ customer: String) throws {
    for (code, amount) in amounts where amount < 0 {
      if balance(customer, code) + amount < 0 { throw Refusal(code: "insufficient_balance") }
    }
    for (code, amount) in amounts where amount > 0 {
      let repaid = min(amount, debt(customer, code))
      if balance(customer, code) + amount - repaid > Self.maxima[code] ?? 0 { throw Refusal(code: "over_maximum") }
    }
  }

  mutating func sell(_ id: String, _ quantity: Int64, _ customer: String) throws -> Answer {
    guard let item = Self.items[id] else { throw Refusal(code: "item_not_found") }
    try checkFrozen(item.price.mapValues { -$0 }, customer)
    if item.price.isEmpty { throw Refusal(code: "not_available") }
    let have = owned[customer + "/" + id] ?? 0
    if let limit = item.limit, have + quantity > limit { throw Refusal(code: "limit_reached") }
    let price = item.price.mapValues { -$0 * quantity }
    try checkBalances(price, customer)
    return add([(id, quantity)], to: post(price, customer, credit: .earned, expiresAt: nil), customer)
  }

  mutating func credit(
    _ id: String, _ session: String?, _ product: String, _ quantity: Int64, _ customer: String
  ) throws -> Answer {
    guard let product = Self.products[product] else { throw Refusal(code: "product_not_found") }
    var entries: [Entry] = []
    var granted: [Granted] = []
    for code in product.grants.keys.sorted() { bookExpiry(customer, code) }
    transactionCount += 1
    for (code, grant) in product.grants.sorted(by: { $0.key < $1.key }) {
      var taken: [Taken] = []
      var credits: [Int] = []
      for (source, amount) in [(LotSource.paid, grant.amount), (.bonus, grant.bonus)] where amount > 0 {
        credits.append(lots.count)
        lots.append(
          Lot(
            customer: customer, currency: code, source: source, isPooled: false, session: session,
            remaining: amount * quantity, expiresAt: nil))
        taken.append(Taken(source: source, amount: amount * quantity))
      }
      granted.append(Granted(code: code, lots: credits, amounts: taken.map(\.amount)))
      entries.append(credit(.purchase, customer, code, taken, credits))
    }
    let booked = Answer.booked(kind: .purchase, customer: customer, entries: entries, items: [], replayed: false)
    let items = product.items.mapValues { $0 * quantity }
    let answer = add(items.map { ($0.key, $0.value) }, to: booked, customer)
    purchases.append(
      Purchase(
        identity: "\(id)/\(session ?? "")", answer: answer, owner: customer, quantity: quantity, granted: granted,
        items: items))
    return answer
  }

  mutating func add(_ items: [(String, Int64)], to answer: Answer, _ customer: String) -> Answer {
    guard case .booked(let kind, let customer, let entries, _, let replayed) = answer else { return answer }
    var texts: [String] = []
    for (item, quantity) in items {
      owned[customer + "/" + item, default: 0] += quantity
      texts.append("\(item) \(quantity) \(owned[customer + "/" + item] ?? 0)")
    }
    return .booked(kind: kind, customer: customer, entries: entries, items: texts, replayed: replayed)
  }

  // MARK: The tests' catalog

  package static let maxima: [String: Int64] = [
    "GEM": Limits.amount, "COIN": Limits.amount, "ORE": 1000, "RUBY": Limits.amount,
  ]
  private static let items: [String: (price: [String: Int64], limit: Int64?)] = [
    "extra_life": (["GEM": 50], nil), "sword": (["GEM": 100, "COIN": 10], 3), "medal": ([:], nil),
  ]
  private static let products: [String: (grants: [String: (amount: Int64, bonus: Int64)], items: [String: Int64])] = [
    "gems_1200": (["GEM": (1200, 0)], [:]), "rubies": (["RUBY": (100, 20)], [:]), "ore_pack": (["ORE": (900, 0)], [:]),
    "bundle": (["GEM": (500, 0), "COIN": (300, 30)], ["sword": 2]), "starter": ([:], ["sword": 1]),
  ]
}
