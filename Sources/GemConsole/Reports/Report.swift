#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import LedgerCharts

/// A report: its name, its parameters, and the function that computes it.
struct Report: Sendable {
  /// The parameters of one report.
  struct Request: Sendable {
    let range: ReportRange
    let customer: CustomerID?
    let cursor: PageCursor?
    let now: Timestamp

    init(_ report: Report, _ visit: Visit) throws(LedgerError) {
      range = try ReportRange(visit)
      customer = report.needsCustomer ? try CustomerID(visit.query["customer"] ?? "") : nil
      cursor = visit.cursor
      now = visit.reader.now
      isNamed = visit.query["until"] != nil
    }

    /// Whether the end was given; otherwise it is now, which differs from request to request.
    private let isNamed: Bool

    /// The text that is equal for equal reports.
    var name: String {
      [
        range.from.description, isNamed ? range.until.description : "now", range.zone, customer?.text ?? "",
        cursor?.description ?? "",
      ].joined(separator: " ")
    }

    /// The parameters, for another view of the same report.
    var query: [(name: String, value: String?)] {
      [
        ("from", range.from.description), ("until", isNamed ? range.until.description : nil), ("zone", range.zone),
        ("customer", customer?.text), ("after", cursor?.description),
      ]
    }
  }

  let name: String
  let title: String
  let summary: String
  var hasRange = true
  var needsCustomer = false
  /// Whether it names customers or purchases, for which the API demands the scope.
  var needsPurchases = false
  let compute: @Sendable (Ledger, Request, _ progress: (Int64, Int64) -> Void) throws(LedgerError) -> ReportTable

  static let flows = Report(
    name: "flows", title: "Flows", summary: "Sources and uses of each currency, day by day."
  ) { (ledger, request, progress) throws(LedgerError) in
    let boundaries = request.range.boundaries(limit: Ledger.flowDaysMax)
    let flows = try ledger.flows(between: boundaries, progress: progress)
    let days = request.range.days
    var table = ReportTable(
      caption: "Flows per day", columns: ["Day", "Currency", "Kind", "#In", "#Out", "#Outstanding at the end"])
    for day in flows.days.reversed() {
      for flow in day.flows {
        table.rows.append([
          .text(days?.day(of: day.from) ?? day.from.description), .text(flow.currency.description),
          .text(flow.kind.name),
          .amount(flow.inflow), .amount(flow.outflow), .amount(day.outstanding[flow.currency] ?? 0),
        ])
      }
    }
    if let days { table.svg = FlowChart(flows, zone: days, now: request.now).svg }
    return table
  }

  static let unspent = Report(
    name: "unspent", title: "Unspent", summary: "What customers have not spent, with the value of the paid part."
  ) { (ledger, request, progress) throws(LedgerError) in
    let unspent = try ledger.unspent(at: min(request.range.until, request.now), progress: progress)
    var table = ReportTable(
      caption: "Unspent currency at the end of the period",
      columns: ["Environment", "Currency", "#Paid", "#Free", "#Paid units with this price", "#Value"])
    for part in unspent.parts {
      let start: [ReportTable.Cell] = [
        .text(EnvironmentText.name(part.environment)), .text(part.currency.description), .amount(part.paid),
        .amount(part.free),
      ]
      if part.values.isEmpty { table.rows.append(start + [.nothing, .nothing]) }
      for value in part.values {
        table.rows.append(start + [.amount(value.units), value.price.map { .money($0) } ?? .text("not known")])
      }
    }
    return table
  }

  static let statement = Report(
    name: "statement", title: "Statement", summary: "One customer's entries in a period, as on a bank statement.",
    needsCustomer: true, needsPurchases: true
  ) { (ledger, request, _) throws(LedgerError) in
    guard let customer = request.customer else { throw .invalid("Name the customer.") }
    let statement = try ledger.statement(
      of: customer, from: request.range.from, until: request.range.until, limit: 200, after: request.cursor)
    var table = ReportTable(
      caption: "Statement",
      columns: ["Time", "Transaction", "Kind", "Currency", "#Change", "#Balance", "Reason"])
    for line in statement.lines {
      table.rows.append([
        .time(line.createdAt), .transaction(line.transactionID), .text(line.kind.name),
        .text(line.currency.description), .change(line.amount), .amount(line.balance),
        line.reason.map { .text($0.text) } ?? .nothing,
      ])
    }
    table.next = statement.next?.description
    return table
  }

  static let topItems = Report(
    name: "top-items", title: "Top items", summary: "The items with the highest sales."
  ) { (ledger, request, progress) throws(LedgerError) in
    let items = try ledger.sales.topItems(
      from: request.range.from, until: request.range.until, progress: progress)
    var table = ReportTable(
      caption: "Items by sales", columns: ["Item", "Environment", "Currency", "#Amount", "#Units", "#Customers"])
    table.rows = items.map { item in
      [
        .text(item.item.text), .text(EnvironmentText.name(item.environment)), .text(item.currency.description),
        .amount(item.amount), .amount(item.units), .amount(item.customers),
      ]
    }
    if !items.isEmpty, let days = request.range.days {
      table.svg = TopItemsChart(items, from: request.range.from, until: request.range.until, zone: days).svg
    }
    return table
  }

  static let cohorts = Report(
    name: "cohorts", title: "Cohorts",
    summary: "Customers by the week of their first purchase, and how they spent since."
  ) { (ledger, request, progress) throws(LedgerError) in
    let days = request.range.boundaries(limit: 7 * SalesReports.cohortPeriodsMax)
    let weeks = days.enumerated().filter { $0.offset.isMultiple(of: 7) || $0.offset == days.count - 1 }.map(\.element)
    let cohorts = try ledger.sales.cohorts(between: weeks, progress: progress)
    var table = ReportTable(
      caption: "Cohorts by week",
      columns: [
        "First purchase", "Environment", "#Customers", "#That spent at all", "Spenders in each week",
        "#Median hours to the first spend",
      ])
    for cohort in cohorts {
      table.rows.append([
        .text(request.range.days?.day(of: cohort.from) ?? cohort.from.description),
        .text(EnvironmentText.name(cohort.environment)), .amount(cohort.size), .amount(cohort.spenders),
        .text(cohort.periods.map { String($0.spenders) }.joined(separator: ", ")),
        cohort.medianTimeToSpend.map { .amount($0.components.seconds / 3600) } ?? .nothing,
      ])
    }
    if !cohorts.isEmpty, let days = request.range.days { table.svg = CohortChart(cohorts, zone: days).svg }
    return table
  }

  static let shortfalls = Report(
    name: "shortfalls", title: "Refunds with shortfall",
    summary: "Refunds that could not be taken back in full: what the customer owes, and what is lost.",
    needsPurchases: true
  ) { (ledger, request, _) throws(LedgerError) in
    let found = try ledger.sales.shortfalls(from: request.range.from, until: request.range.until, limit: 1000)
    var table = ReportTable(
      caption: "Refunds with shortfall, newest first",
      columns: [
        "Booked", "Transaction", "Customer", "Store transaction", "Environment", "Currency", "#Taken back", "#Owed",
        "#Lost",
      ])
    table.rows = found.map { one in
      [
        .time(one.bookedAt), .transaction(one.transaction), .customer(one.purchase.customer),
        .text(one.purchase.storeTransactionID.text), .text(EnvironmentText.name(one.purchase.environment)),
        .text(one.currency.description), .amount(one.taken), .amount(one.owed), .amount(one.lost),
      ]
    }
    return table
  }
}
#endif
