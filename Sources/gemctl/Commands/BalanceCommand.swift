import GemLedger

/// `balance`: what a customer has.
///
/// Scripts call it in loops, so it opens, reads and closes, and does nothing else.
struct BalanceCommand {
  let invocation: Invocation

  func run() throws {
    let customer = try invocation.settledCustomer()
    let code = try invocation.parsed.positionals.first.map { (text) throws(LedgerError) in try CurrencyCode(text) }
    let moment = try self.moment(code)
    let balances = try invocation.withLedger { (ledger) throws(LedgerError) in
      try Self.balances(of: customer, code, moment, in: ledger)
    }
    try invocation.print(Self.json(customer, balances), { Self.text(customer, balances, style: $0) })
  }

  /// When it was that the customer had it.
  private enum Moment {
    case now
    case instant(Timestamp)
    case version(CurrencyCode, Int64)
  }

  private func moment(_ code: CurrencyCode?) throws -> Moment {
    let parsed = invocation.parsed
    let instant = try invocation.time("--at")
    guard let version = try parsed.integer("--at-version", in: 0...Int64.max) else {
      return instant.map(Moment.instant) ?? .now
    }
    guard instant == nil else {
      throw UsageError("\"balance\" takes --at or --at-version, not both", verb: parsed.verb)
    }
    guard let code else {
      throw UsageError("--at-version needs CODE: each currency has versions of its own", verb: parsed.verb)
    }
    return .version(code, version)
  }

  private static func balances(
    of customer: CustomerID, _ code: CurrencyCode?, _ moment: Moment, in ledger: Ledger
  ) throws(LedgerError) -> [Balance] {
    let instant: Timestamp?
    switch moment {
    case .version(let code, let version): return [try ledger.balance(of: code, customer: customer, version: version)]
    case .instant(let time): instant = time
    case .now: instant = nil
    }
    guard let code else { return try ledger.balances(of: customer, at: instant) }
    return [try ledger.balance(of: code, customer: customer, at: instant)]
  }
}

// MARK: Answering

extension BalanceCommand {
  private static func json(_ customer: CustomerID, _ balances: [Balance]) -> JSONValue {
    let currencies = balances.map { ($0.currency.description, json($0)) }
    return ["customer_id": .string(customer.text), "virtual_currencies": .object(JSONObject(currencies))]
  }

  private static func json(_ balance: Balance) -> JSONValue {
    [
      "code": .string(balance.currency.description), "name": .string(balance.name),
      "description": JSONValue(balance.description), "balance": .integer(balance.balance),
      "held": .integer(balance.held), "available": .integer(balance.available), "debt": .integer(balance.debt),
      "version": .integer(balance.version),
    ]
  }

  private static func text(_ customer: CustomerID, _ balances: [Balance], style: Style) -> String {
    var table = Table([.left("CURRENCY"), .left("NAME"), .right("BALANCE"), .right("HELD"), .right("AVAILABLE")])
    for balance in balances {
      table.add([
        balance.currency.description, balance.name, AmountText.grouped(balance.balance),
        AmountText.grouped(balance.held), AmountText.grouped(balance.available),
      ])
    }
    return table.text(style: style)
  }
}
