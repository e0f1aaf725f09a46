import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `items top`: the items with the highest sales.
struct TopItemsCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let (zone, limit) = (try invocation.days(), try invocation.limit())
    let (from, until) = (try invocation.time("--from"), try invocation.time("--until"))
    let items = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.sales.topItems(from: from, until: until, limit: limit, progress: progress)
    }
    if let path = invocation.parsed.value("--svg") {
      try FileAccess.replace(path, TopItemsChart(items, from: from, until: until, zone: zone).svg)
    }
    let table = Self.table(items)
    try invocation.print(["items": .array(items.map(Self.json))], csv: table) {
      table.text(style: $0, none: "Nothing was sold.")
    }
  }

  private static func json(_ item: TopItem) -> JSONValue {
    [
      "id": .string(item.item.text), "environment": .string(EnvironmentText.name(item.environment)),
      "currency": .string(item.currency.description), "amount": .integer(item.amount), "units": .integer(item.units),
      "customers": .integer(item.customers),
    ]
  }

  private static func table(_ items: [TopItem]) -> Table {
    items.table([
      .left("ITEM", \.item.text), .amount("AMOUNT", \.amount), .left("CURRENCY", \.currency.description),
      .amount("SOLD", \.units), .amount("CUSTOMERS", \.customers),
      .left("ENVIRONMENT") { EnvironmentText.name($0.environment) },
    ])
  }
}
