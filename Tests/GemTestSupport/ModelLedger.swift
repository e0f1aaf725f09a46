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
    var version: Int64
    var taken: [Taken]
  }

  package struct Taken: Hashable {
    var source: LotSource
    var amount: Int64
  }

  private struct Lot {
    var customer: String
    var currency: String
    var source: LotSource
    var isPooled: Bool
    var session: String?
    var remaining: Int64
    var expiresAt: Int64?
  }

  private struct Refusal: Error {
    let code: String
    var isReplayed = false
  }

  /// What the machine's clock says.
  package var clock: Int64
  /// Journal time never goes back.
  package var now: Int64 { max(clock, journalTime) }
  private var journalTime: Int64 = 0
  package private(set) var customers: [String] = []
  package private(set) var transactionCount: Int64 = 0 { didSet { journalTime = now } }
  package private(set) var sums: [String: [EntryKind: Int64]] = [:]
  private var lots: [Lot] = []
  private var versions: [String: Int64] = [:]
  private var owned: [String: Int64] = [:]
  private var keys: [(customer: String, key: String, request: String, answer: Answer)] = []
  private var purchases: [(identity: String, answer: Answer)] = []

  package init(clock: Int64) { self.clock = clock }

  package func balance(_ customer: String, _ currency: String) -> Int64 {
    lots.filter { $0.customer == customer && $0.currency == currency && isLive($0) }.reduce(0) { $0 + $1.remaining }
  }

  package func version(_ customer: String, _ currency: String) -> Int64 { versions[customer + "/" + currency] ?? 0 }

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

  private mutating func decideOrThrow(_ command: Command) throws -> Answer {
    try checkRequest(command.request)
    if case .purchase(let id, let session, _, _) = command.request,
      let known = purchases.first(where: { $0.identity == "\(id)/\(session ?? "")" })
    {
      return replay(known.answer)
    }
    let isNew = !customers.contains(command.customer)
    switch command.request {
    case .create:
      if isNew { customers.append(command.customer) }
      return .booked(kind: .initial, customer: command.customer, entries: [], items: [], replayed: !isNew)
    case .adjust, .item: if isNew { throw Refusal(code: "customer_not_found") }
    case .grant, .purchase: break
    }
    if let answer = try answerUnderKey(command) { return answer }
    let answer: Answer
    do {
      answer = try book(command)
    } catch let refusal as Refusal {
      if let code = LedgerError.Code(refusal.code), code.isKept, !isNew {
        keep(.refused(refusal.code, replayed: true), command)
      }
      throw refusal
    }
    if isNew { customers.append(command.customer) }
    keep(answer, command)
    return answer
  }

  private func answerUnderKey(_ command: Command) throws -> Answer? {
    guard let key = command.key,
      let known = keys.first(where: { $0.customer == command.customer && $0.key == key })
    else { return nil }
    guard known.request == fingerprint(command.request) else { throw Refusal(code: "key_conflict") }
    return replay(known.answer)
  }

  private mutating func keep(_ answer: Answer, _ command: Command) {
    guard let key = command.key else { return }
    keys.append((command.customer, key, fingerprint(command.request), answer))
  }

  private func replay(_ answer: Answer) -> Answer {
    switch answer {
    case .booked(let kind, let customer, let entries, let items, _):
      .booked(kind: kind, customer: customer, entries: entries, items: items, replayed: true)
    case .refused(let code, _): .refused(code, replayed: true)
    }
  }

  /// Where lots come from is not part of what was asked.
  private func fingerprint(_ request: Request) -> String {
    switch request {
    case .create: "create"
    case .adjust(let amounts, let conditions): "adjust \(sorted(amounts)) \(Set(conditions).map { "\($0)" }.sorted())"
    case .grant(let amounts, _, let expiresAt): "grant \(sorted(amounts)) \(expiresAt ?? 0)"
    case .purchase(let id, let session, _, _): "purchase \(id) \(session ?? "")"
    case .item(let id, let quantity): "item \(id) \(quantity)"
    }
  }

  private func sorted(_ amounts: [String: Int64]) -> [String] { amounts.map { "\($0.key)=\($0.value)" }.sorted() }

  // MARK: Rules

  private func checkRequest(_ request: Request) throws {
    switch request {
    case .create: return
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

  private mutating func book(_ command: Command) throws -> Answer {
    let customer = command.customer
    switch command.request {
    case .create: throw Refusal(code: "unexpected")
    case .adjust(let amounts, let conditions):
      try checkCurrencies(amounts)
      try check(conditions, amounts, customer)
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

  private func checkCurrencies(_ amounts: [String: Int64]) throws {
    if amounts.keys.contains(where: { Self.maxima[$0] == nil }) { throw Refusal(code: "unknown_currency") }
  }

  private func check(_ conditions: [ModelCondition], _ amounts: [String: Int64], _ customer: String) throws {
    for condition in conditions {
      let code = currency(condition)
      let after = balance(customer, code) + (amounts[code] ?? 0)
      let holds =
        switch condition {
        case .version(_, let wanted): version(customer, code) == wanted
        case .minimum(_, let wanted): after >= wanted
        case .maximum(_, let wanted): after <= wanted
        }
      if !holds { throw Refusal(code: "condition_failed") }
    }
  }

  private func currency(_ condition: ModelCondition) -> String {
    switch condition {
    case .version(let code, _), .minimum(let code, _), .maximum(let code, _): code
    }
  }

  private func checkBalances(_ amounts: [String: Int64], _ customer: String) throws {
    for (code, amount) in amounts where amount < 0 {
      if balance(customer, code) + amount < 0 { throw Refusal(code: "insufficient_balance") }
    }
    for (code, amount) in amounts where amount > 0 {
      if balance(customer, code) + amount > Self.maxima[code] ?? 0 { throw Refusal(code: "over_maximum") }
    }
  }

  private mutating func sell(_ id: String, _ quantity: Int64, _ customer: String) throws -> Answer {
    guard let item = Self.items[id] else { throw Refusal(code: "item_not_found") }
    if item.price.isEmpty { throw Refusal(code: "not_available") }
    let have = owned[customer + "/" + id] ?? 0
    if let limit = item.limit, have + quantity > limit { throw Refusal(code: "limit_reached") }
    let price = item.price.mapValues { -$0 * quantity }
    try checkBalances(price, customer)
    return add([(id, quantity)], to: post(price, customer, credit: .earned, expiresAt: nil), customer)
  }

  private mutating func credit(
    _ id: String, _ session: String?, _ product: String, _ quantity: Int64, _ customer: String
  ) throws -> Answer {
    guard let product = Self.products[product] else { throw Refusal(code: "product_not_found") }
    var entries: [Entry] = []
    for code in product.grants.keys.sorted() { bookExpiry(customer, code) }
    transactionCount += 1
    for (code, grant) in product.grants.sorted(by: { $0.key < $1.key }) {
      var taken: [Taken] = []
      for (source, amount) in [(LotSource.paid, grant.amount), (.bonus, grant.bonus)] where amount > 0 {
        lots.append(
          Lot(
            customer: customer, currency: code, source: source, isPooled: false, session: session,
            remaining: amount * quantity, expiresAt: nil))
        taken.append(Taken(source: source, amount: amount * quantity))
      }
      entries.append(enter(.purchase, customer, code, taken))
    }
    let booked = Answer.booked(kind: .purchase, customer: customer, entries: entries, items: [], replayed: false)
    let answer = add(product.items.map { ($0.key, $0.value * quantity) }, to: booked, customer)
    purchases.append(("\(id)/\(session ?? "")", answer))
    return answer
  }

  private mutating func add(_ items: [(String, Int64)], to answer: Answer, _ customer: String) -> Answer {
    guard case .booked(let kind, let customer, let entries, _, let replayed) = answer else { return answer }
    var texts: [String] = []
    for (item, quantity) in items {
      owned[customer + "/" + item, default: 0] += quantity
      texts.append("\(item) \(quantity) \(owned[customer + "/" + item] ?? 0)")
    }
    return .booked(kind: kind, customer: customer, entries: entries, items: texts, replayed: replayed)
  }

  // MARK: Books

  private mutating func post(
    _ amounts: [String: Int64], _ customer: String, credit: LotSource, expiresAt: Int64?
  ) -> Answer {
    let sorted = amounts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (code, _) in sorted { bookExpiry(customer, code) }
    transactionCount += 1
    var entries: [Entry] = []
    for (code, amount) in sorted {
      let taken =
        amount < 0 ? burn(-amount, customer, code) : [place(amount, customer, code, credit, expiresAt: expiresAt)]
      entries.append(enter(amount < 0 ? .spend : .grant, customer, code, taken))
    }
    let kinds = Set(entries.map(\.kind))
    let kind = kinds.count == 1 ? entries[0].kind : .mixed
    return .booked(kind: kind, customer: customer, entries: entries, items: [], replayed: false)
  }

  private mutating func bookExpiry(_ customer: String, _ code: String) {
    var due: [Taken] = []
    for index in lots.indices where lots[index].customer == customer && lots[index].currency == code {
      guard !isLive(lots[index]), lots[index].remaining > 0 else { continue }
      due.append(Taken(source: lots[index].source, amount: -lots[index].remaining))
      lots[index].remaining = 0
    }
    guard !due.isEmpty else { return }
    transactionCount += 1
    _ = enter(.expiry, customer, code, due)
  }

  private mutating func enter(_ kind: EntryKind, _ customer: String, _ code: String, _ taken: [Taken]) -> Entry {
    let amount = taken.reduce(0) { $0 + $1.amount }
    versions[customer + "/" + code, default: 0] += 1
    sums[code, default: [:]][kind, default: 0] += amount
    return Entry(
      currency: code, kind: kind, amount: amount, balance: balance(customer, code), version: version(customer, code),
      taken: taken)
  }

  private mutating func place(
    _ amount: Int64, _ customer: String, _ code: String, _ source: LotSource, expiresAt: Int64?
  ) -> Taken {
    let pooled = lots.firstIndex {
      $0.isPooled && $0.customer == customer && $0.currency == code && $0.source == source
    }
    if let pooled, expiresAt == nil {
      lots[pooled].remaining += amount
    } else {
      lots.append(
        Lot(
          customer: customer, currency: code, source: source, isPooled: expiresAt == nil, session: nil,
          remaining: amount, expiresAt: expiresAt))
    }
    return Taken(source: source, amount: amount)
  }

  private mutating func burn(_ amount: Int64, _ customer: String, _ code: String) -> [Taken] {
    var rest = amount
    var taken: [Taken] = []
    let own = lots.indices.filter {
      lots[$0].customer == customer && lots[$0].currency == code && lots[$0].remaining > 0 && isLive(lots[$0])
    }
    for index in own.sorted(by: { order($0) < order($1) }) where rest > 0 {
      let part = min(rest, lots[index].remaining)
      lots[index].remaining -= part
      rest -= part
      taken.append(Taken(source: lots[index].source, amount: -part))
    }
    return taken
  }

  private func order(_ index: Int) -> (Int64, Int, Int) {
    let paidFirst = lots[index].currency == "RUBY"
    return (lots[index].expiresAt ?? .max, (lots[index].source == .paid) == paidFirst ? 0 : 1, index)
  }

  private func isLive(_ lot: Lot) -> Bool { lot.expiresAt.map { $0 > now } ?? true }

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
