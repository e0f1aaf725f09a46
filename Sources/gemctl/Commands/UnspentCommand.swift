import GemLedger
import GemLedgerAudit

/// `unspent`: the unspent balances of customers, paid and free, with the price of the paid part.
struct UnspentCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    if invocation.parsed.flags.contains("--by-customer") { return try byCustomer() }
    for option in ["--limit", "--after"] where invocation.parsed.value(option) != nil {
      throw UsageError("\(option) goes with --by-customer", verb: invocation.parsed.verb)
    }
    let instant = try invocation.time("--at")
    let unspent = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.unspent(at: instant, progress: progress)
    }
    try invocation.print(Self.json(unspent), csv: Self.report(unspent)) { style in
      guard !unspent.parts.isEmpty else { return "There was no unspent currency at \(unspent.at).\n" }
      return Self.report(unspent).text(style: style) + style.dim("as of \(unspent.at)") + "\n"
    }
  }

  private static func json(_ unspent: Unspent) -> JSONValue {
    let parts = unspent.parts.map { part -> JSONValue in
      [
        "environment": .string(InsightView.environment(part.environment)),
        "currency": .string(part.currency.description), "paid": .integer(part.paid), "free": .integer(part.free),
        "values": .array(
          part.values.map { ["units": .integer($0.units), "value": MoneyText.json($0.price)] }),
      ]
    }
    return ["at": .string(unspent.at.description), "unspent": .array(parts)]
  }

  /// A row for each price currency; paid and free stand on the first.
  private static func report(_ unspent: Unspent) -> Report {
    var report = Report([
      .text("ENVIRONMENT"), .text("CURRENCY"), .number("PAID"), .number("FREE"), .number("PRICED"), .number("VALUE"),
      .text("IN"),
    ])
    for part in unspent.parts {
      let head: [Report.Cell] = [.text(InsightView.environment(part.environment)), .text(part.currency.description)]
      let values: [[Report.Cell]] = part.values.map {
        [.amount($0.units), .money($0.price), .text($0.price?.currency ?? "unknown")]
      }
      report.add(head + [.amount(part.paid), .amount(part.free)] + (values.first ?? [.none, .none, .none]))
      for value in values.dropFirst() { report.add(head + [.none, .none] + value) }
    }
    return report
  }

  // MARK: By customer

  private func byCustomer() throws {
    guard try invocation.time("--at") == nil else {
      throw UsageError("--by-customer and --at exclude each other", verb: invocation.parsed.verb)
    }
    let limit = try invocation.limit()
    let named = try invocation.settings.customer.map { (id) throws(LedgerError) in try invocation.customer(named: id) }
    let (splits, next) = try invocation.withLedger { (ledger) throws(LedgerError) in
      if let customer = named {
        return ([(customer, try ledger.split(of: customer))], PageCursor?.none)
      }
      let page = try ledger.customers(limit: limit, after: invocation.cursor)
      var splits: [(CustomerID, [BalanceSplit])] = []
      for customer in page.customers { splits.append((customer.id, try ledger.split(of: customer.id))) }
      return (splits, page.next)
    }
    let json: JSONValue = ["customers": .array(splits.map(Self.json)), "next": JSONValue(next?.description)]
    try invocation.print(json, csv: Self.report(splits)) { style in
      Self.report(splits).text(style: style) + NextPage.text(next, style: style)
    }
  }

  private static func json(_ customer: CustomerID, _ splits: [BalanceSplit]) -> JSONValue {
    let parts = splits.map { split -> JSONValue in
      [
        "environment": .string(InsightView.environment(split.environment)),
        "currency": .string(split.currency.description), "paid": .integer(split.paid), "free": .integer(split.free),
        "values": .array(split.values.map(MoneyText.json)),
      ]
    }
    return ["customer_id": .string(customer.text), "unspent": .array(parts)]
  }

  private static func report(_ splits: [(CustomerID, [BalanceSplit])]) -> Report {
    var report = Report([
      .id("CUSTOMER"), .text("ENVIRONMENT"), .text("CURRENCY"), .number("PAID"), .number("FREE"), .number("VALUE"),
      .text("IN"),
    ])
    for (customer, splits) in splits {
      for split in splits {
        let head: [Report.Cell] = [
          .text(customer.text), .text(InsightView.environment(split.environment)), .text(split.currency.description),
        ]
        let values: [[Report.Cell]] = split.values.map { [.money($0), .text($0.currency)] }
        report.add(head + [.amount(split.paid), .amount(split.free)] + (values.first ?? [.none, .none]))
        for value in values.dropFirst() { report.add(head + [.none, .none] + value) }
      }
    }
    return report
  }
}

extension Invocation {
  /// Opens the ledger and does work that may take long, with a bar.
  func withProgress<Answer>(
    _ label: String, _ body: (Ledger, (Int64, Int64) -> Void) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    var bar: ProgressBar?
    defer { bar?.finish() }
    return try withLedger { (ledger) throws(LedgerError) in
      try body(ledger) { done, total in
        var shown = bar ?? ProgressBar(label, total: Int(clamping: total), terminal: terminal)
        shown.advance(to: Int(clamping: done))
        bar = shown
      }
    }
  }
}
