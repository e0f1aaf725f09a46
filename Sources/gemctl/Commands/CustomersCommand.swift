import GemLedger
import LedgerCharts

/// `customers`: all customers with their balances, a page at a time.
struct CustomersCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let limit = try invocation.limit()
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.customers(limit: limit, after: invocation.cursor)
    }
    let customers = page.customers.map { customer -> JSONValue in
      [
        "customer_id": .string(customer.id.text), "created_at": .string(customer.createdAt.description),
        "ids": .array(customer.ids.map { .string($0.text) }), "frozen": .bool(customer.isFrozen),
        "balances": .object(customer.balances) { ($0.currency.description, JSONValue.integer($0.balance)) },
      ]
    }
    let json: JSONValue = ["customers": .array(customers), "next": JSONValue(page.next?.description)]
    try invocation.print(json, csv: Self.table(page)) { Self.text(page, style: $0) }
  }

  /// A row for each balance; a customer without any balance has one row.
  private static func table(_ page: CustomersPage) -> Table {
    page.customers.rows(\.balances).table([
      .id("CUSTOMER", \.whole.id.text), .time("SINCE", \.whole.createdAt),
      .left("FROZEN") { $0.whole.isFrozen ? "yes" : "no" }, .left("CURRENCY", \.part?.currency.description),
      .amount("BALANCE", \.part?.balance), .amount("HELD", \.part?.held), .amount("OWED", \.part?.debt),
    ])
  }

  private static func text(_ page: CustomersPage, style: Style) -> String {
    page.customers.table([
      // The id that a person knows, if the customer signed in later.
      .id("CUSTOMER") { ($0.ids.first { !$0.isAnonymous } ?? $0.id).text + ($0.isFrozen ? " (frozen)" : "") },
      .time("SINCE", \.createdAt),
      .text("BALANCES") { customer in
        let balances = customer.balances.map { "\(AmountText.grouped($0.balance)) \($0.currency)" }
        return balances.isEmpty ? "none" : balances.joined(separator: ", ")
      },
    ]).text(style: style, none: "There are no customers.") + NextPage.text(page.next, style: style)
  }
}
