import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `consumed`, `spends` and `withdrawable`: the data for a decision about a refund.
struct RefundCommands {
  let invocation: Invocation

  // MARK: consumed

  func consumed() throws {
    try invocation.checkForm()
    let id = try invocation.storeTransactionID(invocation.parsed.positionals.first ?? "")
    let found = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.consumption(of: id) }
    try invocation.print(["purchases": .array(found.map(Self.json))], csv: Self.table(found)) { style in
      found.map { Self.text($0, style: style) }.joined(separator: "\n")
    }
  }

  private static func json(_ one: Consumption) -> JSONValue {
    var object = InsightView.object(one.purchase)
    object["delivery_status"] = .string(one.delivery.rawValue)
    object["consumed_milli_percent"] = JSONValue(one.consumedMilliPercent)
    object["refunded_milli_percent"] = JSONValue(one.refundedMilliPercent)
    object["currencies"] = .array(one.currencies) {
      [
        "currency": .string($0.currency.description), "granted": .integer($0.granted),
        "consumed": .integer($0.consumed), "remaining": .integer($0.remaining), "held": .integer($0.held),
        "refunded": .integer($0.refunded), "consumed_milli_percent": .integer($0.consumedMilliPercent),
      ]
    }
    return .object(object)
  }

  private static func table(_ found: [Consumption]) -> Table {
    found.flatMap(\.currencies).table([
      .left("CURRENCY", \.currency.description), .amount("GRANTED", \.granted), .amount("CONSUMED", \.consumed),
      .amount("LEFT", \.remaining), .amount("HELD", \.held), .amount("REFUNDED", \.refunded),
      .share("SHARE", \.consumedMilliPercent),
    ])
  }

  private static func text(_ one: Consumption, style: Style) -> String {
    let purchase = one.purchase
    let share = one.consumedMilliPercent.map { "\(Cell.share($0).text) consumed" } ?? "no currency"
    let facts = [
      ("purchase", "\(purchase.quantity) × \(purchase.product) at \(purchase.store)"),
      ("customer", purchase.customer.text),
      ("bought", purchase.purchasedAt.description), ("environment", EnvironmentText.name(purchase.environment)),
      ("delivery", one.delivery.rawValue),
    ]
    let lines = facts.map { "\($0.0.padded(to: 12))\(SafeText.escaped($0.1))\n" }.joined()
    let table = one.currencies.isEmpty ? "" : "\n" + table([one]).text(style: style)
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
    let table = Self.table(page)
    try invocation.print(json, csv: table) {
      table.text(style: $0, none: "There are no spends.") + NextPage.text(page.next, style: $0)
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

  private static func table(_ page: SpendsPage) -> Table {
    page.spends.table([
      .time("TIME", \.createdAt), .amount("SPENT", \.amount), .amount("PAID PART", \.paid),
      .amount("REVERSED", \.reversed), .left("CURRENCY", \.currency.description),
      .id("TRANSACTION", \.transactionID.description),
      .text("ABOUT") { InsightView.about($0.items, $0.reference, $0.reason) },
    ])
  }

  // MARK: withdrawable

  func withdrawable() throws {
    try invocation.checkForm()
    let instant = try invocation.time("--at")
    let open = try self.open(at: instant)
    let table = Self.table(open)
    try invocation.print(["purchases": .array(open.map(Self.json))], csv: table) {
      table.text(style: $0, none: "There are no withdrawable purchases.")
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
      throw invocation.usageError("--customer and --at exclude each other")
    }
    let id = try invocation.customer(named: customer)
    return try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.withdrawable(of: id) }
  }

  private static func json(_ one: Withdrawable) -> JSONValue {
    var object = InsightView.object(one.purchase)
    object["until"] = .string(one.until.description)
    object["currencies"] = .array(one.currencies) {
      [
        "currency": .string($0.currency.description), "granted": .integer($0.granted), "unused": .integer($0.unused),
        "value": MoneyText.json($0.value),
      ]
    }
    return .object(object)
  }

  private static func table(_ open: [Withdrawable]) -> Table {
    open.flatMap { one in one.currencies.map { (one, $0) } }.table([
      .time("UNTIL", \.0.until), .id("CUSTOMER", \.0.purchase.customer.text),
      .id("PURCHASE", \.0.purchase.storeTransactionID.text), .left("PRODUCT", \.0.purchase.product.text),
      .left("ENVIRONMENT", \.0.purchase.environment.description), .left("CURRENCY", \.1.currency.description),
      .amount("GRANTED", \.1.granted), .amount("UNUSED", \.1.unused), .money("VALUE", \.1.value),
      .left("IN", \.1.value?.currency),
    ])
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
