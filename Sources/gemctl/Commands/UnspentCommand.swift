import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `unspent`: the unspent balances of customers, paid and free, with the price of the paid part.
struct UnspentCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    if invocation.parsed.has("--by-customer") { return try byCustomer() }
    try invocation.parsed.check("--limit", "--after", goWith: "--by-customer")
    let instant = try invocation.time("--at")
    let unspent = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.unspent(at: instant, progress: progress)
    }
    let table = Self.table(unspent)
    try invocation.print(Self.json(unspent), csv: table) { style in
      table.text(style: style, none: "There was no unspent currency at \(unspent.at).")
        + (table.isEmpty ? "" : style.dim("as of \(unspent.at)") + "\n")
    }
  }

  private static func json(_ unspent: Unspent) -> JSONValue {
    let parts = unspent.parts.map { part -> JSONValue in
      [
        "environment": .string(EnvironmentText.name(part.environment)),
        "currency": .string(part.currency.description), "paid": .integer(part.paid), "free": .integer(part.free),
        "values": .array(part.values) { ["units": .integer($0.units), "value": MoneyText.json($0.price)] },
      ]
    }
    return ["at": .string(unspent.at.description), "unspent": .array(parts)]
  }

  /// A row for each price currency; paid and free stand on the first.
  private static func table(_ unspent: Unspent) -> Table {
    unspent.parts.rows(\.values).table([
      .left("ENVIRONMENT") { EnvironmentText.name($0.whole.environment) },
      .left("CURRENCY", \.whole.currency.description), .amount("PAID", \.first?.paid), .amount("FREE", \.first?.free),
      .amount("PRICED", \.part?.units), .money("VALUE") { $0.part?.price },
      .left("IN") { $0.part.map { $0.price?.currency ?? "unknown" } },
    ])
  }

  // MARK: By customer

  private func byCustomer() throws {
    try invocation.parsed.checkExcluding("--by-customer", "--at")
    let limit = try invocation.limit()
    let named = try invocation.settings.customer.map { (id) throws(LedgerError) in try invocation.customer(named: id) }
    let (splits, next) = try invocation.withLedger { (ledger) throws(LedgerError) in
      if let customer = named {
        return ([(customer, try ledger.split(of: customer))], PageCursor?.none)
      }
      let page = try ledger.customers(limit: limit, after: invocation.cursor)
      var splits: [(CustomerID, [BalanceSplit])] = []
      for customer in page.customers { splits.append((customer.id, try ledger.split(of: customer.id))) }
      return (splits, page.next)
    }
    let json: JSONValue = ["customers": .array(splits.map(Self.json)), "next": JSONValue(next?.description)]
    let table = Self.table(splits)
    try invocation.print(json, csv: table) { table.text(style: $0) + NextPage.text(next, style: $0) }
  }

  private static func json(_ customer: CustomerID, _ splits: [BalanceSplit]) -> JSONValue {
    let parts = splits.map { split -> JSONValue in
      [
        "environment": .string(EnvironmentText.name(split.environment)),
        "currency": .string(split.currency.description), "paid": .integer(split.paid), "free": .integer(split.free),
        "values": .array(split.values.map(MoneyText.json)),
      ]
    }
    return ["customer_id": .string(customer.text), "unspent": .array(parts)]
  }

  private static func table(_ splits: [(CustomerID, [BalanceSplit])]) -> Table {
    splits.flatMap { customer, splits in splits.map { (customer, $0) } }.rows(\.1.values).table([
      .id("CUSTOMER", \.whole.0.text), .left("ENVIRONMENT") { EnvironmentText.name($0.whole.1.environment) },
      .left("CURRENCY", \.whole.1.currency.description), .amount("PAID", \.first?.1.paid),
      .amount("FREE", \.first?.1.free), .money("VALUE", \.part), .left("IN", \.part?.currency),
    ])
  }
}
