import GemLedger

/// `customers`: who there is and what they have, a page at a time.
struct CustomersCommand {
  let invocation: Invocation

  func run() throws {
    let limit = try invocation.limit()
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.customers(limit: limit, after: invocation.cursor)
    }
    try invocation.print(Self.json(page), { Self.text(page, style: $0) })
  }

  private static func json(_ page: CustomersPage) -> JSONValue {
    let customers = page.customers.map { customer -> JSONValue in
      let balances = customer.balances.map { ($0.currency.description, JSONValue.integer($0.balance)) }
      return [
        "customer_id": .string(customer.id.text), "created_at": .string(customer.createdAt.description),
        "frozen": .bool(customer.isFrozen), "balances": .object(JSONObject(balances)),
      ]
    }
    return ["customers": .array(customers), "next": JSONValue(page.next?.description)]
  }

  private static func text(_ page: CustomersPage, style: Style) -> String {
    guard !page.customers.isEmpty else { return "There are no customers.\n" }
    var table = Table([.left("CUSTOMER"), .left("SINCE"), .left("BALANCES")])
    for customer in page.customers {
      let balances = customer.balances.map { "\(AmountText.grouped($0.balance)) \($0.currency)" }
      let frozen = customer.isFrozen ? " (frozen)" : ""
      table.add([
        customer.id.text + frozen, customer.createdAt.description,
        balances.isEmpty ? "none" : balances.joined(separator: ", "),
      ])
    }
    return table.text(style: style) + NextPage.text(page.next, style: style)
  }
}
