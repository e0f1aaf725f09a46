import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `items`: the items sold for virtual currency, and with `--prices` their effective prices.
struct ItemsCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    if invocation.parsed.has("--prices") { return try prices() }
    try invocation.parsed.check("--from", "--until", goWith: "--prices")
    let catalog = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.currentCatalog() }
    let items = catalog.items
    let table = Self.table(items)
    try invocation.print(["items": .array(items.map(Self.json))], csv: table) {
      table.text(style: $0, none: "There are no items in the catalog.")
    }
  }

  private static func json(_ item: Item) -> JSONValue {
    let price = item.price.map { ($0.currency.description, JSONValue.integer($0.amount)) }
    return [
      "id": .string(item.id.text), "name": .string(item.name), "price": .object(JSONObject(price)),
      "limit": JSONValue(item.limit), "for_sale": .bool(item.availability.isEverForSale),
    ]
  }

  private static func table(_ items: [Item]) -> Table {
    items.rows(\.price).table([
      .left("ITEM", \.whole.id.text), .left("NAME", \.first?.name), .amount("PRICE", \.part?.amount),
      .left("CURRENCY", \.part?.currency.description), .amount("LIMIT") { $0.first?.limit },
    ])
  }

  // MARK: Effective prices

  private func prices() throws {
    let (from, until) = (try invocation.time("--from"), try invocation.time("--until"))
    let prices = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.effectivePrices(from: from, until: until, progress: progress)
    }
    let table = Self.table(prices)
    try invocation.print(["items": .array(prices.map(Self.json))], csv: table) {
      table.text(style: $0, none: "Nothing was sold.")
    }
  }

  private static func json(_ price: EffectivePrice) -> JSONValue {
    [
      "id": .string(price.item.text), "units": .integer(price.units),
      "charges": .array(price.charges) {
        [
          "currency": .string($0.currency.description), "amount": .integer($0.amount), "paid": .integer($0.paid),
          "free_milli_percent": .integer($0.freeMilliPercent),
        ]
      },
      "costs": .array(price.costs) {
        [
          "environment": .string(EnvironmentText.name($0.environment)), "total": MoneyText.json($0.total),
          "per_unit": MoneyText.json($0.perUnit),
        ]
      },
    ]
  }

  /// A row for each price currency and environment; the charged amounts are on the first.
  private static func table(_ prices: [EffectivePrice]) -> Table {
    typealias Row = (charge: EffectivePrice.Charge?, cost: EffectivePrice.Cost?)
    let rows = prices.rows { price in
      (0..<max(1, price.charges.count, price.costs.count)).map { index -> Row in
        (price.charges.dropFirst(index).first, price.costs.dropFirst(index).first)
      }
    }
    return rows.table([
      .left("ITEM", \.whole.item.text), .amount("SOLD", \.first?.units), .amount("CHARGED", \.part?.charge?.amount),
      .left("CURRENCY", \.part?.charge?.currency.description),
      .share("FREE PART", \.part?.charge?.freeMilliPercent), .money("COST", \.part?.cost?.total),
      .money("EACH", \.part?.cost?.perUnit), .left("IN", \.part?.cost?.total.currency),
      .left("ENVIRONMENT") { ($0.part?.cost?.environment).map(EnvironmentText.name) },
    ])
  }
}
