#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import StoreBackend

/// The first page: the state of the economy in numbers, each of which leads to its list.
struct OverviewPage {
  let visit: Visit

  static let routes: [ConsoleRoute] = [
    .get("", nil) { (visit) throws(LedgerError) in
      guard !visit.session.allows(.books) else { return .page(try OverviewPage(visit: visit).page) }
      guard let home = PageFrame.home(of: visit.session) else {
        throw LedgerError(.forbidden, "The key of this session has no scope that a page of the console needs.")
      }
      return .seeOther(ConsolePath(home))
    }
  ]

  private var reader: Reader { visit.reader }

  private var page: ConsolePage {
    get throws(LedgerError) {
      let parts = try [economy, attention]
      let live = HTML.element(.div, [], parts).with(.id, "live").with(.dataLive, "15")
      return ConsolePage("Overview", live)
    }
  }

  // MARK: The economy

  private var economy: HTML {
    get throws(LedgerError) {
      guard let (summary, at) = try visit.services.summary.summary() else {
        return .message("note", .p("The totals are being computed for the first time."))
      }
      guard summary.isComplete else {
        return .message(
          "note", .p("The totals are being computed for the first time: \(Int(summary.progress * 100)) % are done."))
      }
      let age = at.milliseconds > 0 ? "\(reader.age(since: at)) ago" : "before this server started"
      return .group([
        .p("Totals as of ", .text(age), ". Expired amounts count until their expiry is booked.").classed("quiet"),
        .section("Currencies", currencies(summary)), .section("The last 24 hours", lastDay(summary)),
        .section("The last 7 days, UTC", days(summary)),
      ])
    }
  }

  private func currencies(_ summary: EconomySummary) -> HTML {
    let rows = summary.currencies.flatMap { currency in
      currency.environments.enumerated().map { index, holdings -> [HTML] in
        [
          .link(.text(currency.currency.description), to: ConsolePath("reports", "unspent")),
          .text(holdings.environment), reader.amount(holdings.outstanding), reader.amount(holdings.held),
          reader.amount(holdings.paid), value(holdings), index == 0 ? reader.amount(currency.debt) : "–",
        ]
      }
    }
    return DataTable(
      "Amounts that customers have",
      ["Currency", "Environment", "#Outstanding", "#Of it held", "#Unspent paid", "#Value of the paid part", "#Debts"],
      rows
    ).html(none: "No customer has any currency.")
  }

  private func value(_ holdings: EconomySummary.Holdings) -> HTML {
    let values = holdings.values.compactMap(\.price)
    return values.isEmpty ? "–" : .list(values.map(reader.money))
  }

  private func lastDay(_ summary: EconomySummary) -> HTML {
    let start = reader.now.advanced(milliseconds: -86_400_000)
    let hours = summary.hours.filter { $0.until > start }
    var (counts, prices): ([String: Int64], [String: [String: Int64]]) = ([:], [:])
    for part in hours.flatMap(\.purchases) {
      counts[part.environment, default: 0] += part.count
      if let price = part.price {
        prices[part.environment, default: [:]][price.currency, default: 0] += price.minorUnits
      }
    }
    let refunds = hours.reduce(0) { $0 + $1.refunds }
    let tiles = counts.sorted { $0.key < $1.key }.map { environment, count in
      let revenue = (prices[environment] ?? [:]).sorted { $0.key < $1.key }.map {
        reader.money(Money(minorUnits: $0.value, currency: $0.key))
      }
      return tile("Purchases, \(environment)", reader.amount(count), ConsolePath("purchases"), .list(revenue))
    }
    let none = tiles.isEmpty ? [tile("Purchases", reader.amount(0), ConsolePath("purchases"))] : []
    return HTML.element(
      .div, [], none + tiles + [tile("Refunds", reader.amount(refunds), ConsolePath("purchases"))]
    ).classed("tiles")
  }

  private func days(_ summary: EconomySummary) -> HTML {
    let rows = summary.days.suffix(7).reversed().map { day -> [HTML] in
      let codes = Set(day.flows.map(\.currency)).sorted()
      func sum(_ part: (Flows.Flow) -> Int64) -> HTML {
        reader.amounts(
          codes.map { code in (code, day.flows.filter { $0.currency == code }.reduce(0) { $0 + part($1) }) })
      }
      return [
        .link(.text(String(day.from.description.prefix(10))), to: ConsolePath("reports", "flows")),
        sum(\.inflow), sum(\.outflow), reader.amount(day.purchases.reduce(0) { $0 + $1.count }),
        reader.amount(day.refunds),
      ]
    }
    return DataTable("Flows", ["Day", "In", "Out", "#Purchases", "#Refunds"], rows).html(none: "Nothing was booked.")
  }

  // MARK: What needs attention

  private var attention: HTML {
    get throws(LedgerError) {
      var tiles: [HTML] = []
      if visit.session.allows(.purchases) { tiles += try purchases }
      if visit.session.allows(.webhooks) { tiles.append(try webhooks) }
      if visit.session.allows(.books) { tiles.append(try proof) }
      return .section("To be looked at", HTML.element(.div, [], tiles).classed("tiles"))
    }
  }

  /// Longer lists are counted to this number only.
  private static let countMax = HeldReceiptList.countMax

  private func count(_ number: Int) -> HTML {
    number >= Self.countMax ? .group([reader.amount(Int64(number)), " or more"]) : reader.amount(Int64(number))
  }

  private var purchases: [HTML] {
    get throws(LedgerError) {
      let held = try HeldReceiptList.counts(visit).filter(\.reason.isOpen)
      let reasons = held.map { HTML.group([count($0.count), " \($0.reason.name)"]) }
      let undelivered = try visit.project.backend.undelivered(limit: 100).orders.count
      return [
        tile(
          "Held receipts", count(held.reduce(0) { min(Self.countMax, $0 + $1.count) }), ConsolePath("purchases"),
          .list(reasons)),
        tile(
          "Orders that were not delivered",
          undelivered == 100 ? "100 or more" : reader.amount(Int64(undelivered)), ConsolePath("purchases")),
        tile(
          "Bodies that cannot be verified yet", reader.amount(Int64(visit.project.quarantine.count)),
          ConsolePath("purchases")),
      ]
    }
  }

  private var webhooks: HTML {
    get throws(LedgerError) {
      let store = visit.project.webhooks.store
      var (waiting, dead, outages) = (0, 0, 0)
      for endpoint in try store.endpoints() {
        guard let queue = try store.queue(endpoint.id)?.queue else { continue }
        waiting += queue.waiting.count
        dead += try store.deadLetters(of: endpoint.id, limit: 100).count
        if queue.outage != nil { outages += 1 }
      }
      return tile(
        "Webhook events that wait", reader.amount(Int64(waiting)), ConsolePath("webhooks"),
        .list([
          .group([reader.amount(Int64(dead)), " given up"]),
          .group([reader.amount(Int64(outages)), " endpoints out of reach"]),
        ]))
    }
  }

  private var proof: HTML {
    get throws(LedgerError) {
      let run = try visit.project.verifying.newest()
      let figure = run.map { $0.isOK ? "add up" : "do not add up" } ?? "not proved yet"
      return tile(
        "Books", .text(figure), ConsolePath("books"),
        run.map { .list([.text("proved \(reader.age(since: $0.endedAt)) ago")]) } ?? .none)
    }
  }

  private func tile(_ name: String, _ figure: HTML, _ path: ConsolePath, _ more: HTML = .none) -> HTML {
    .div(.link(.text(name), to: path), .span(figure).classed("figure"), more).classed("tile")
  }
}
#endif
