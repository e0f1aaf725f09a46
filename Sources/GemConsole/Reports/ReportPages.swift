#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer

/// The reports: each as a table and CSV, some with a chart, with a period and a time zone.
enum ReportPages {
  static let routes: [ConsoleRoute] =
    [
      .get("reports", .books) { (visit) throws(LedgerError) in
        .page(
          ConsolePage(
            "Reports",
            .list(
              all.filter { !$0.needsPurchases || visit.session.allows(.purchases) }.map { report in
                .group([
                  .link(.text(report.title), to: ConsolePath("reports", report.name)), .text(" – \(report.summary)"),
                ])
              })))
      }
    ]
    + all.flatMap { report in
      [
        .get("reports/\(report.name)", .books) { (visit) throws(LedgerError) in try page(report, visit) },
        .get("reports/\(report.name)/csv", .books) { (visit) throws(LedgerError) in try file(report, visit, "csv") },
        .get("reports/\(report.name)/chart.svg", .books) { (visit) throws(LedgerError) in try file(report, visit, "svg")
        },
      ]
    }

  private static let all = [Report.flows, .unspent, .statement, .topItems, .cohorts, .shortfalls]

  /// Customers and purchases need the scope with which the API shows them.
  private static func check(_ report: Report, _ visit: Visit) throws(LedgerError) {
    if report.needsPurchases { try visit.session.check(.purchases) }
  }

  private static func state(_ report: Report, _ visit: Visit) throws(LedgerError) -> ReportRuns.State {
    try check(report, visit)
    let request = try Report.Request(report, visit)
    let ledger = visit.ledger
    return visit.services.reports.state(of: "\(report.name) \(request.name)") {
      (progress) throws(LedgerError) in try report.compute(ledger, request, progress)
    }
  }

  private static func page(_ report: Report, _ visit: Visit) throws(LedgerError) -> Reply {
    try check(report, visit)
    var page = ConsolePage(report.title, .p(.text(report.summary)), try form(report, visit))
    guard !report.needsCustomer || visit.query["customer"] != nil else { return .page(page) }
    switch try state(report, visit) {
    case .running(let percent):
      page.body.append(
        HTML.message("note", .p("The journal is being read: \(percent) % are done.")).with(.id, "live").with(
          .dataLive, "2"))
    case .failed(let error): page.error = error
    case .done(let table, let at):
      let query = try Report.Request(report, visit).query
      func part(_ name: String) -> ConsolePath { ConsolePath(parts: ["reports", report.name, name], query: query) }
      page.body += [
        .p("As of ", visit.reader.time(at), ". ", .link("Download as CSV", to: part("csv"))),
        table.svg == nil
          ? .none
          : HTML.element(.img, [], []).with(.src, part("chart.svg").description)
            .with(.alt, "A chart of the values in the table below."), table.html(for: visit.reader),
        visit.nextPage(table.next),
      ]
    }
    return .page(page)
  }

  private static func file(_ report: Report, _ visit: Visit, _ kind: String) throws(LedgerError) -> Reply {
    guard case .done(let table, _) = try state(report, visit) else {
      throw LedgerError(.inProgress, "The report is being computed. Open its page, and download it from there.")
    }
    guard kind == "svg" else {
      return .file(name: "\(report.name).csv", type: "text/csv; charset=utf-8", table.csv)
    }
    guard let svg = table.svg else { throw .invalid("This report has no chart.") }
    return .file(name: nil, type: "image/svg+xml", Array(svg.utf8))
  }

  private static func form(_ report: Report, _ visit: Visit) throws(LedgerError) -> HTML {
    let request = try? Report.Request(report, visit)
    var fields: [Field] = []
    if report.needsCustomer { fields.append(Field("customer", "Customer", value: visit.query["customer"] ?? "")) }
    if report.hasRange {
      fields += [
        Field("from", "From", value: visit.query["from"] ?? request?.range.firstDay ?? "", isRequired: true),
        Field("until", "Until", value: visit.query["until"] ?? "", isRequired: false),
        Field("zone", "Time zone", value: visit.query["zone"] ?? visit.reader.zoneName),
      ]
    }
    guard !fields.isEmpty else { return .none }
    return visit.search(
      to: visit.path, fields.map { $0.html() } + [.element(.button, [], ["Show"]).with(.type, "submit")])
  }
}
#endif
