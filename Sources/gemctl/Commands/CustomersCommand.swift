import GemLedger

/// `customers`: all customers with their balances, a page at a time.
struct CustomersCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let limit = try invocation.limit()
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.customers(limit: limit, after: invocation.cursor)
    }
    try invocation.print(Self.json(page), csv: Self.table(page), { Self.text(page, style: $0) })
  }

  private static func json(_ page: CustomersPage) -> JSONValue {
    let customers = page.customers.map { customer -> JSONValue in
      let balances = customer.balances.map { ($0.currency.description, JSONValue.integer($0.balance)) }
      return [
        "customer_id": .string(customer.id.text), "created_at": .string(customer.createdAt.description),
        "ids": .array(customer.ids.map { .string($0.text) }),
        "frozen": .bool(customer.isFrozen), "balances": .object(JSONObject(balances)),
      ]
    }
    return ["customers": .array(customers), "next": JSONValue(page.next?.description)]
  }

  /// A row for each balance; a customer without any balance has one row.
  private static func table(_ page: CustomersPage) -> Table {
    page.customers.rows(\.balances).table([
      .id("CUSTOMER", \.whole.id.text), .time("SINCE", \.whole.createdAt),
      .left("FROZEN") { $0.whole.isFrozen ? "yes" : "no" }, .left("CURRENCY", \.part?.currency.description),
      .amount("BALANCE", \.part?.balance), .amount("HELD", \.part?.held), .amount("OWED", \.part?.debt),
    ])
  }

  /// The id that a person knows: of a customer that signed in later, the first id that is not anonymous.
  private static func name(of customer: CustomerSummary) -> CustomerID {
    customer.ids.first { !$0.isAnonymous } ?? customer.id
  }

  private static func text(_ page: CustomersPage, style: Style) -> String {
    page.customers.table([
      .id("CUSTOMER") { name(of: $0).text + ($0.isFrozen ? " (frozen)" : "") }, .time("SINCE", \.createdAt),
      .text("BALANCES") { customer in
        let balances = customer.balances.map { "\(AmountText.grouped($0.balance)) \($0.currency)" }
        return balances.isEmpty ? "none" : balances.joined(separator: ", ")
      },
    ]).text(style: style, none: "There are no customers.") + NextPage.text(page.next, style: style)
  }
}
