import GemLedger
import LedgerCharts

/// `balance`: a customer's balances.
///
/// Scripts call it in loops, so it opens, reads and closes, and does nothing else.
struct BalanceCommand {
  let invocation: Invocation

  func run() throws {
    let customer = try invocation.recoveredCustomer()
    let code = try invocation.parsed.positionals.first.map { (text) throws(LedgerError) in try CurrencyCode(text) }
    let point = try self.point(code)
    if let path = invocation.parsed.value("--svg") { return try draw(customer, code, to: path) }
    try invocation.parsed.check("--from", "--until", goWith: "--svg")
    try show(
      customer,
      try invocation.withLedger { (ledger) throws(LedgerError) in
        try Self.balances(of: customer, code, point, in: ledger)
      })
  }

  /// The instant or the version of the shown balance.
  private enum ReadPoint {
    case now
    case instant(Timestamp)
    case version(CurrencyCode, Int64)
  }

  private func point(_ code: CurrencyCode?) throws -> ReadPoint {
    let parsed = invocation.parsed
    let instant = try invocation.time("--at")
    guard let version = try parsed.integer("--at-version", in: 0...Int64.max) else {
      return instant.map(ReadPoint.instant) ?? .now
    }
    guard instant == nil else {
      throw invocation.usageError("\"balance\" takes --at or --at-version, not both")
    }
    guard let code else {
      throw invocation.usageError("--at-version needs CODE: versions are counted per currency")
    }
    return .version(code, version)
  }

  private static func balances(
    of customer: CustomerID, _ code: CurrencyCode?, _ point: ReadPoint, in ledger: Ledger
  ) throws(LedgerError) -> [Balance] {
    let instant: Timestamp?
    switch point {
    case .version(let code, let version): return [try ledger.balance(of: code, customer: customer, version: version)]
    case .instant(let time): instant = time
    case .now: instant = nil
    }
    guard let code else { return try ledger.balances(of: customer, at: instant) }
    return [try ledger.balance(of: code, customer: customer, at: instant)]
  }
}

// MARK: Drawing

extension BalanceCommand {
  /// Draws the balances over time; the final balances are printed as well.
  private func draw(_ customer: CustomerID, _ code: CurrencyCode?, to path: String) throws {
    for option in ["--at", "--at-version"] where invocation.parsed.has(option) {
      throw invocation.usageError("--svg takes --from and --until, not \(option)")
    }
    let (from, until) = (try invocation.time("--from"), try invocation.time("--until"))
    let zone = try invocation.days()
    let now = try invocation.now()
    typealias Course = (code: CurrencyCode, points: [BalanceChart.Point])
    let (courses, last) = try invocation.withLedger { (ledger) throws(LedgerError) -> ([Course], [Balance]) in
      let end = until ?? now
      let created = try ledger.customer(customer).createdAt
      let start = from ?? created
      guard start < end else { throw LedgerError(.invalidRequest, "The period ends at \(end), before it begins.") }
      let samples = try ledger.balances(of: customer, code, at: BalanceChart.instants(from: start, until: end))
      let last = samples.last?.balances ?? []
      let changes = try ledger.changes(of: customer, from: start, until: end)
      let courses = last.map { Course($0.currency, Self.course(of: $0.currency, samples, changes)) }
      return (courses, last)
    }
    try FileAccess.replace(path, BalanceChart(customer, courses, zone: zone).svg)
    try show(customer, last)
  }

  /// Returns the samples of a currency, and the minimum and maximum of the booked balances between two samples.
  private static func course(
    of code: CurrencyCode, _ samples: [(time: Timestamp, balances: [Balance])], _ changes: [BalanceChange]
  ) -> [BalanceChart.Point] {
    var points: [BalanceChart.Point] = []
    var rest = changes.filter { $0.code == code }[...]
    for (time, balances) in samples {
      let passed = rest.prefix { $0.point.time < time }
      rest = rest.dropFirst(passed.count)
      let between = passed.map(\.point)
      if let least = between.min(by: { $0.amount < $1.amount }), let most = between.max(by: { $0.amount < $1.amount }) {
        points += [least, most].sorted { $0.time < $1.time }
        // The last of several changes at an instant counts.
        if let end = between.last { points.append(end) }
      }
      points.append(
        BalanceChart.Point(time: time, amount: balances.first { $0.currency == code }?.balance ?? 0))
    }
    return points
  }

  fileprivate typealias BalanceChange = (code: CurrencyCode, point: BalanceChart.Point)
}

extension Ledger {
  /// A customer's balances at several instants.
  fileprivate func balances(
    of customer: CustomerID, _ code: CurrencyCode?, at instants: [Timestamp]
  ) throws(LedgerError) -> [(time: Timestamp, balances: [Balance])] {
    var course: [(time: Timestamp, balances: [Balance])] = []
    for instant in instants {
      if let code {
        course.append((instant, [try balance(of: code, customer: customer, at: instant)]))
      } else {
        course.append((instant, try balances(of: customer, at: instant)))
      }
    }
    return course
  }

  /// The balances that a customer's transactions of the period made, oldest first.
  fileprivate func changes(
    of customer: CustomerID, from: Timestamp, until: Timestamp
  ) throws(LedgerError) -> [BalanceCommand.BalanceChange] {
    var found: [BalanceCommand.BalanceChange] = []
    var cursor: PageCursor?
    repeat {
      let page = try history(of: customer, limit: Limits.historyPage, after: cursor)
      for record in page.transactions {
        let booking = record.booking
        // Before a merge the list has two customers' balances, and the samples have to do.
        guard booking.createdAt >= from, booking.kind != .merge else { return found.reversed() }
        guard booking.createdAt <= until else { continue }
        found += booking.entries.reversed().map {
          ($0.currency, BalanceChart.Point(time: booking.createdAt, amount: $0.balance))
        }
      }
      cursor = page.next
    } while cursor != nil
    return found.reversed()
  }
}

// MARK: Answering

extension BalanceCommand {
  private func show(_ customer: CustomerID, _ balances: [Balance]) throws(LedgerError) {
    let currencies = balances.map { balance -> (String, JSONValue) in
      let json: JSONValue = [
        "code": .string(balance.currency.description), "name": .string(balance.name),
        "description": JSONValue(balance.description), "balance": .integer(balance.balance),
        "held": .integer(balance.held), "available": .integer(balance.available), "debt": .integer(balance.debt),
        "version": .integer(balance.version),
      ]
      return (balance.currency.description, json)
    }
    let json: JSONValue = [
      "customer_id": .string(customer.text), "virtual_currencies": .object(JSONObject(currencies)),
    ]
    try invocation.print(json) { style in
      balances.table([
        .left("CURRENCY", \.currency.description), .left("NAME", \.name), .amount("BALANCE", \.balance),
        .amount("HELD", \.held), .amount("AVAILABLE", \.available),
      ]).text(style: style) + NamesText.lines([("customer", customer.text)], style: style)
    }
  }
}
