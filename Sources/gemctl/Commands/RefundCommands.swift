import GemLedger
import GemLedgerAudit

/// `consumed`, `spends` and `withdrawable`: the data for a decision about a refund.
struct RefundCommands {
  let invocation: Invocation

  // MARK: consumed

  func consumed() throws {
    try invocation.checkForm()
    let id = try invocation.storeTransactionID(invocation.parsed.positionals.first ?? "")
    let found = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.consumption(of: id) }
    try invocation.print(["purchases": .array(found.map(Self.json))], csv: Self.report(found)) { style in
      found.map { Self.text($0, style: style) }.joined(separator: "\n")
    }
  }

  private static func json(_ one: Consumption) -> JSONValue {
    var object = InsightView.object(one.purchase)
    object["delivery_status"] = .string(one.delivery.rawValue)
    object["consumed_milli_percent"] = JSONValue(one.consumedMilliPercent)
    object["refunded_milli_percent"] = JSONValue(one.refundedMilliPercent)
    object["currencies"] = .array(
      one.currencies.map {
        [
          "currency": .string($0.currency.description), "granted": .integer($0.granted),
          "consumed": .integer($0.consumed), "remaining": .integer($0.remaining), "held": .integer($0.held),
          "refunded": .integer($0.refunded), "consumed_milli_percent": .integer($0.consumedMilliPercent),
        ]
      })
    return .object(object)
  }

  private static func report(_ found: [Consumption]) -> Report {
    var report = Report([
      .text("CURRENCY"), .number("GRANTED"), .number("CONSUMED"), .number("LEFT"), .number("HELD"), .number("REFUNDED"),
      .number("SHARE"),
    ])
    for currency in found.flatMap(\.currencies) {
      report.add([
        .text(currency.currency.description), .amount(currency.granted), .amount(currency.consumed),
        .amount(currency.remaining), .amount(currency.held), .amount(currency.refunded),
        .share(currency.consumedMilliPercent),
      ])
    }
    return report
  }

  private static func text(_ one: Consumption, style: Style) -> String {
    let purchase = one.purchase
    let share = one.consumedMilliPercent.map { "\(Report.Cell.share($0).text) consumed" } ?? "no currency"
    let facts = [
      ("purchase", "\(purchase.quantity) × \(purchase.product) at \(purchase.store)"),
      ("customer", purchase.customer.text),
      ("bought", purchase.purchasedAt.description), ("environment", InsightView.environment(purchase.environment)),
      ("delivery", one.delivery.rawValue),
    ]
    let lines = facts.map { "\($0.0.padded(to: 12))\(SafeText.escaped($0.1))\n" }.joined()
    let table = one.currencies.isEmpty ? "" : "\n" + report([one]).text(style: style)
    return style.bold(share) + "\n\n" + lines + table
  }

  // MARK: spends

  func spends() throws {
    try invocation.checkForm()
    let customer = try invocation.recoveredCustomer()
    let (since, limit) = (try invocation.time("--since"), try invocation.limit())
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.spends(of: customer, since: since, limit: limit, after: invocation.cursor)
    }
    let json: JSONValue = [
      "customer_id": .string(customer.text), "spends": .array(page.spends.map(Self.json)),
      "next": JSONValue(page.next?.description),
    ]
    try invocation.print(json, csv: Self.report(page)) { style in
      guard !page.spends.isEmpty else { return "There are no spends.\n" }
      return Self.report(page).text(style: style) + NextPage.text(page.next, style: style)
    }
  }

  private static func json(_ spend: Spend) -> JSONValue {
    [
      "transaction_id": .string(spend.transactionID.description), "created_at": .string(spend.createdAt.description),
      "currency": .string(spend.currency.description), "amount": .integer(spend.amount), "paid": .integer(spend.paid),
      "reversed": .integer(spend.reversed), "reference": JSONValue(spend.reference?.text),
      "reason": JSONValue(spend.reason?.text), "items": InsightView.items(spend.items),
    ]
  }

  private static func report(_ page: SpendsPage) -> Report {
    var report = Report([
      .time("TIME"), .number("SPENT"), .number("PAID PART"), .number("REVERSED"), .text("CURRENCY"),
      .id("TRANSACTION"),
      .prose("ABOUT"),
    ])
    for spend in page.spends {
      report.add([
        .time(spend.createdAt), .amount(spend.amount), .amount(spend.paid), .amount(spend.reversed),
        .text(spend.currency.description), .text(spend.transactionID.description),
        .text(InsightView.about(spend.items, spend.reference, spend.reason)),
      ])
    }
    return report
  }

  // MARK: withdrawable

  func withdrawable() throws {
    try invocation.checkForm()
    let instant = try invocation.time("--at")
    let open = try self.open(at: instant)
    try invocation.print(["purchases": .array(open.map(Self.json))], csv: Self.report(open)) { style in
      open.isEmpty ? "There are no withdrawable purchases.\n" : Self.report(open).text(style: style)
    }
  }

  /// The current purchases of one customer are found without reading the whole journal.
  private func open(at instant: Timestamp?) throws -> [Withdrawable] {
    guard let customer = invocation.settings.customer else {
      return try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
        try ledger.withdrawable(at: instant, progress: progress)
      }
    }
    guard instant == nil else {
      throw UsageError("--customer and --at exclude each other", verb: invocation.parsed.verb)
    }
    let id = try invocation.customer(named: customer)
    return try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.withdrawable(of: id) }
  }

  private static func json(_ one: Withdrawable) -> JSONValue {
    var object = InsightView.object(one.purchase)
    object["until"] = .string(one.until.description)
    object["currencies"] = .array(
      one.currencies.map {
        [
          "currency": .string($0.currency.description), "granted": .integer($0.granted), "unused": .integer($0.unused),
          "value": MoneyText.json($0.value),
        ]
      })
    return .object(object)
  }

  private static func report(_ open: [Withdrawable]) -> Report {
    var report = Report([
      .time("UNTIL"), .id("CUSTOMER"), .id("PURCHASE"), .text("PRODUCT"), .text("ENVIRONMENT"), .text("CURRENCY"),
      .number("GRANTED"), .number("UNUSED"), .number("VALUE"), .text("IN"),
    ])
    for one in open {
      for currency in one.currencies {
        report.add([
          .time(one.until), .text(one.purchase.customer.text), .text(one.purchase.storeTransactionID.text),
          .text(one.purchase.product.text), .text(one.purchase.environment.description),
          .text(currency.currency.description), .amount(currency.granted), .amount(currency.unused),
          .money(currency.value), .text(currency.value?.currency),
        ])
      }
    }
    return report
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
