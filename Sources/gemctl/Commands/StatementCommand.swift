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
    try invocation.print(Self.json(statement), csv: Self.report(statement)) {
      Self.text(statement, isWhole: isWhole, style: $0)
    }
  }

  private static func json(_ statement: Statement) -> JSONValue {
    [
      "customer_id": .string(statement.customer.text), "from": JSONValue(statement.from?.description),
      "until": .string(statement.until.description),
      "currencies": .object(
        JSONObject(
          statement.currencies.map { currency in
            (
              currency.currency.description,
              [
                "opening": json(currency.opening), "closing": json(currency.closing),
                "totals": InsightView.kinds(currency.totals),
              ]
            )
          })), "lines": .array(statement.lines.map(json)), "next": JSONValue(statement.next?.description),
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

  private static func report(_ statement: Statement) -> Report {
    var report = Report([
      .time("TIME"), .text("KIND"), .number("CHANGE"), .number("BALANCE"), .text("CURRENCY"), .id("TRANSACTION"),
      .text("ABOUT"),
    ])
    for line in statement.lines {
      report.add([
        .time(line.createdAt), .text(line.kind.name), .change(line.amount), .amount(line.balance),
        .text(line.currency.description), .text(line.transactionID.description),
        .text(InsightView.about(line.items, line.reference, line.reason)),
      ])
    }
    return report
  }

  private static func text(_ statement: Statement, isWhole: Bool, style: Style) -> String {
    guard !statement.currencies.isEmpty else { return "There are no entries up to \(statement.until).\n" }
    var text = states(statement).text(style: style) + "\n"
    if statement.lines.isEmpty { return text + "Nothing happened in the period.\n" }
    text += report(statement).text(style: style) + "\n" + totals(statement).text(style: style)
    if !isWhole { text += style.dim("The totals are those of this page.") + "\n" }
    return text + NextPage.text(statement.next, style: style)
  }

  private static func states(_ statement: Statement) -> Table {
    var table = Table([
      .left("CURRENCY"), .time("WHEN"), .right("BALANCE"), .right("HELD"), .right("OWED"), .right("BOOKED LATER"),
    ])
    for currency in statement.currencies {
      for (name, time, state) in [
        ("opening", statement.from, currency.opening), ("closing", statement.until, currency.closing),
      ] {
        table.add([
          currency.currency.description, "\(name) \(time?.description ?? "")", AmountText.grouped(state.balance),
          AmountText.grouped(state.held), AmountText.grouped(state.debt),
          state.due == 0 ? "" : AmountText.signed(-state.due),
        ])
      }
    }
    return table
  }

  private static func totals(_ statement: Statement) -> Table {
    var table = Table([.left("CURRENCY"), .left("KIND"), .right("TOTAL")])
    for currency in statement.currencies {
      for (kind, total) in currency.totals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        table.add([currency.currency.description, kind.name, AmountText.signed(total)])
      }
    }
    return table
  }
}
