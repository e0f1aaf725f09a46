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
    try invocation.print(Self.json(page), csv: Self.report(page), { Self.text(page, style: $0) })
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
  private static func report(_ page: CustomersPage) -> Report {
    var report = Report([
      .id("CUSTOMER"), .time("SINCE"), .text("FROZEN"), .text("CURRENCY"), .number("BALANCE"), .number("HELD"),
      .number("OWED"),
    ])
    for customer in page.customers {
      let head: [Report.Cell] = [
        .text(customer.id.text), .time(customer.createdAt), .text(customer.isFrozen ? "yes" : "no"),
      ]
      for balance in customer.balances {
        report.add(
          head + [
            .text(balance.currency.description), .amount(balance.balance), .amount(balance.held),
            .amount(balance.debt),
          ])
      }
      if customer.balances.isEmpty { report.add(head + [.none, .none, .none, .none]) }
    }
    return report
  }

  /// The id that a person knows: of a customer that signed in later, the first id that is not anonymous.
  private static func name(of customer: CustomerSummary) -> CustomerID {
    customer.ids.first { !$0.isAnonymous } ?? customer.id
  }

  private static func text(_ page: CustomersPage, style: Style) -> String {
    guard !page.customers.isEmpty else { return "There are no customers.\n" }
    var table = Table([.id("CUSTOMER"), .time("SINCE"), .text("BALANCES")])
    for customer in page.customers {
      let balances = customer.balances.map { "\(AmountText.grouped($0.balance)) \($0.currency)" }
      let frozen = customer.isFrozen ? " (frozen)" : ""
      table.add([
        name(of: customer).text + frozen, customer.createdAt.description,
        balances.isEmpty ? "none" : balances.joined(separator: ", "),
      ])
    }
    return table.text(style: style) + NextPage.text(page.next, style: style)
  }
}
