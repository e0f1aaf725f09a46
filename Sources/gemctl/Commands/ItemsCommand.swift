import GemLedger
import GemLedgerAudit

/// `items`: the items sold for virtual currency, and with `--prices` their effective prices.
struct ItemsCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    if invocation.parsed.flags.contains("--prices") { return try prices() }
    for option in ["--from", "--until"] where invocation.parsed.value(option) != nil {
      throw UsageError("\(option) goes with --prices", verb: invocation.parsed.verb)
    }
    let catalog = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.currentCatalog() }
    let items = catalog.items
    try invocation.print(["items": .array(items.map(Self.json))], csv: Self.report(items)) { style in
      items.isEmpty ? "There are no items in the catalog.\n" : Self.report(items).text(style: style)
    }
  }

  private static func json(_ item: Item) -> JSONValue {
    let price = item.price.map { ($0.currency.description, JSONValue.integer($0.amount)) }
    return [
      "id": .string(item.id.text), "name": .string(item.name), "price": .object(JSONObject(price)),
      "limit": JSONValue(item.limit), "for_sale": .bool(item.availability.isEverForSale),
    ]
  }

  private static func report(_ items: [Item]) -> Report {
    var report = Report([.text("ITEM"), .text("NAME"), .number("PRICE"), .text("CURRENCY"), .number("LIMIT")])
    for item in items {
      let limit = item.limit.map(Report.Cell.amount) ?? .none
      let prices: [[Report.Cell]] = item.price.map { [.amount($0.amount), .text($0.currency.description)] }
      report.add([.text(item.id.text), .text(item.name)] + (prices.first ?? [.none, .none]) + [limit])
      for price in prices.dropFirst() { report.add([.text(item.id.text), .none] + price + [.none]) }
    }
    return report
  }

  // MARK: Effective prices

  private func prices() throws {
    let (from, until) = (try invocation.time("--from"), try invocation.time("--until"))
    let prices = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.effectivePrices(from: from, until: until, progress: progress)
    }
    try invocation.print(["items": .array(prices.map(Self.json))], csv: Self.report(prices)) { style in
      prices.isEmpty ? "Nothing was sold.\n" : Self.report(prices).text(style: style)
    }
  }

  private static func json(_ price: EffectivePrice) -> JSONValue {
    [
      "id": .string(price.item.text), "units": .integer(price.units),
      "charges": .array(
        price.charges.map {
          [
            "currency": .string($0.currency.description), "amount": .integer($0.amount), "paid": .integer($0.paid),
            "free_milli_percent": .integer($0.freeMilliPercent),
          ]
        }),
      "costs": .array(
        price.costs.map {
          [
            "environment": .string(InsightView.environment($0.environment)), "total": MoneyText.json($0.total),
            "per_unit": MoneyText.json($0.perUnit),
          ]
        }),
    ]
  }

  /// A row for each price currency and environment; the charged amounts are on the first.
  private static func report(_ prices: [EffectivePrice]) -> Report {
    var report = Report([
      .text("ITEM"), .number("SOLD"), .number("CHARGED"), .text("CURRENCY"), .number("FREE PART"), .number("COST"),
      .number("EACH"), .text("IN"), .text("ENVIRONMENT"),
    ])
    for price in prices {
      let charges: [[Report.Cell]] = price.charges.map {
        [.amount($0.amount), .text($0.currency.description), .share($0.freeMilliPercent)]
      }
      let costs: [[Report.Cell]] = price.costs.map {
        [
          .money($0.total), .money($0.perUnit), .text($0.total.currency),
          .text(InsightView.environment($0.environment)),
        ]
      }
      for index in 0..<max(1, charges.count, costs.count) {
        report.add(
          [.text(price.item.text), index == 0 ? .amount(price.units) : .none]
            + (index < charges.count ? charges[index] : [.none, .none, .none])
            + (index < costs.count ? costs[index] : [.none, .none, .none, .none]))
      }
    }
    return report
  }
}
