import GemLedger
import GemLedgerAudit

/// `statement`: opening balances, the changes of a period, closing balances.
struct StatementCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let customer = try invocation.recoveredCustomer()
    let (from, until) = (try invocation.time("--from"), try invocation.time("--until"))
    let limit = try invocation.limit()
    let statement = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.statement(of: customer, from: from, until: until, limit: limit, after: invocation.cursor)
    }
    let isWhole = statement.next == nil && invocation.cursor == nil
    try invocation.print(Self.json(statement), csv: Self.lines(statement)) {
      Self.text(statement, isWhole: isWhole, style: $0)
    }
  }

  private static func json(_ statement: Statement) -> JSONValue {
    [
      "customer_id": .string(statement.customer.text), "from": JSONValue(statement.from?.description),
      "until": .string(statement.until.description),
      "currencies": .object(statement.currencies) {
        let totals = InsightView.kinds($0.totals)
        return (
          $0.currency.description, ["opening": json($0.opening), "closing": json($0.closing), "totals": totals]
        )
      }, "lines": .array(statement.lines.map(json)), "next": JSONValue(statement.next?.description),
    ]
  }

  private static func json(_ state: Statement.State) -> JSONValue {
    [
      "balance": .integer(state.balance), "held": .integer(state.held), "debt": .integer(state.debt),
      "due": .integer(state.due),
    ]
  }

  private static func json(_ line: Statement.Line) -> JSONValue {
    [
      "transaction_id": .string(line.transactionID.description), "created_at": .string(line.createdAt.description),
      "kind": .string(line.kind.name), "currency": .string(line.currency.description),
      "amount": .integer(line.amount), "balance": .integer(line.balance), "debt": .integer(line.debt),
      "reference": JSONValue(line.reference?.text), "reason": JSONValue(line.reason?.text),
      "items": InsightView.items(line.items),
    ]
  }

  private static func lines(_ statement: Statement) -> Table {
    statement.lines.table([
      .time("TIME", \.createdAt), .left("KIND", \.kind.name), .change("CHANGE", \.amount),
      .amount("BALANCE", \.balance), .left("CURRENCY", \.currency.description),
      .id("TRANSACTION", \.transactionID.description),
      .left("ABOUT") { InsightView.about($0.items, $0.reference, $0.reason) },
    ])
  }

  private static func text(_ statement: Statement, isWhole: Bool, style: Style) -> String {
    guard !statement.currencies.isEmpty else { return "There are no entries up to \(statement.until).\n" }
    var text = states(statement).text(style: style) + "\n"
    if statement.lines.isEmpty { return text + "Nothing happened in the period.\n" }
    text += lines(statement).text(style: style) + "\n" + totals(statement).text(style: style)
    if !isWhole { text += style.dim("The totals are those of this page.") + "\n" }
    return text + NextPage.text(statement.next, style: style)
  }

  private static func states(_ statement: Statement) -> Table {
    typealias End = (name: String, time: Timestamp?, currency: CurrencyCode, state: Statement.State)
    let ends = statement.currencies.flatMap { currency -> [End] in
      [
        ("opening", statement.from, currency.currency, currency.opening),
        ("closing", statement.until, currency.currency, currency.closing),
      ]
    }
    return ends.table([
      .left("CURRENCY", \.currency.description),
      Field(column: .time("WHEN")) { .text("\($0.name) \($0.time?.description ?? "")") },
      .amount("BALANCE", \.state.balance), .amount("HELD", \.state.held), .amount("OWED", \.state.debt),
      .change("BOOKED LATER") { $0.state.due == 0 ? nil : -$0.state.due },
    ])
  }

  private static func totals(_ statement: Statement) -> Table {
    let totals = statement.currencies.flatMap { currency in
      currency.totals.sorted { $0.key.rawValue < $1.key.rawValue }.map { (currency.currency, $0.key, $0.value) }
    }
    return totals.table([.left("CURRENCY", \.0.description), .left("KIND", \.1.name), .change("TOTAL", \.2)])
  }
}
