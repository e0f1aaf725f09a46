import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `cohorts`: customers by the period of their first purchase, with their later spends.
struct CohortsCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let (zone, now) = (try invocation.days(), try invocation.now())
    // Later periods would show nobody.
    let until = min(try invocation.time("--until") ?? now.after, now.after)
    guard let from = try invocation.time("--from"), from < until else {
      throw invocation.usageError("--from must be before --until and in the past")
    }
    let span = invocation.parsed.value("--by").flatMap(DaysOfZone.Span.init) ?? .month
    let boundaries = zone.boundaries(from: from, until: until, by: span, limit: SalesReports.cohortPeriodsMax + 1)
    let cohorts = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.sales.cohorts(between: boundaries, progress: progress)
    }
    if let path = invocation.parsed.value("--svg") {
      try FileAccess.replace(path, CohortChart(cohorts, zone: zone).svg)
    }
    try invocation.print(Self.json(cohorts, span, zone), csv: Self.rows(cohorts, zone)) { style in
      guard !cohorts.isEmpty else { return "Nothing was bought.\n" }
      return Self.table(cohorts, zone).text(style: style)
        + style.dim("share of spenders by \(span.rawValue) after the first purchase; \(zone.name)") + "\n"
    }
  }

  private static func json(_ cohorts: [Cohort], _ span: DaysOfZone.Span, _ zone: DaysOfZone) -> JSONValue {
    let cohorts = cohorts.map { cohort -> JSONValue in
      [
        "day": .string(zone.day(of: cohort.from)), "from": .string(cohort.from.description),
        "until": .string(cohort.until.description), "environment": .string(EnvironmentText.name(cohort.environment)),
        "customers": .integer(cohort.size), "value": .array(cohort.value) { MoneyText.json($0) },
        "spenders": .integer(cohort.spenders),
        "median_seconds_to_spend": JSONValue(cohort.medianTimeToSpend?.components.seconds),
        "periods": .array(cohort.periods) { period in
          [
            "from": .string(period.from.description), "spenders": .integer(period.spenders),
            "spent": .object(period.spent.sorted { $0.key < $1.key }) { ($0.key.description, .integer($0.value)) },
          ]
        },
      ]
    }
    return ["zone": .string(zone.name), "by": .string(span.rawValue), "cohorts": .array(cohorts)]
  }

  /// A row for each cohort, with a column for each period.
  private static func table(_ cohorts: [Cohort], _ zone: DaysOfZone) -> Table {
    let count = cohorts.map(\.periods.count).max() ?? 0
    let periods = (0..<count).map { index in
      Field<Cohort>.right("\(index)") { cohort in
        cohort.periods.dropFirst(index).first.map { "\(cohort.share(of: $0.spenders)) %" }
      }
    }
    return cohorts.table(
      [
        .left("COHORT") { zone.day(of: $0.from) }, .amount("CUSTOMERS", \.size),
        .left("PAID") { $0.value.map { "\(MoneyText.plain($0)) \($0.currency)" }.joined(separator: ", ") },
        .amount("SPENT", \.spenders), .right("MEDIAN") { $0.medianTimeToSpend.map(AmountText.time) },
      ] + periods + [.left("ENVIRONMENT") { EnvironmentText.name($0.environment) }])
  }

  /// A row for each currency in each period of each cohort.
  private static func rows(_ cohorts: [Cohort], _ zone: DaysOfZone) -> Table {
    typealias Row = (number: Int, period: Cohort.Period, currency: CurrencyCode?)
    let rows = cohorts.rows { cohort in
      cohort.periods.enumerated().flatMap { number, period -> [Row] in
        let currencies: [CurrencyCode?] = period.spent.isEmpty ? [nil] : period.spent.keys.sorted()
        return currencies.map { (number, period, $0) }
      }
    }
    return rows.table([
      .left("COHORT") { zone.day(of: $0.whole.from) }, .amount("CUSTOMERS", \.whole.size),
      .right("PERIOD") { $0.part.map { "\($0.number)" } }, .amount("SPENDERS", \.part?.period.spenders),
      .amount("SPENT") { row in row.part.flatMap { part in part.currency.flatMap { part.period.spent[$0] } } },
      .left("CURRENCY", \.part?.currency?.description),
      .left("ENVIRONMENT") { EnvironmentText.name($0.whole.environment) },
    ])
  }
}
