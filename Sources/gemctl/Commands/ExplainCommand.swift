import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `explain`: the reason for a balance, entry by entry, down to lots and receipts.
struct ExplainCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let customer = try invocation.recoveredCustomer()
    let code = try invocation.parsed.positionals.first.map { (text) throws(LedgerError) in try CurrencyCode(text) }
    if code == nil, invocation.cursor != nil {
      throw invocation.usageError("--after needs CODE: each currency has separate pages")
    }
    let limit = try invocation.limit()
    let found = try invocation.withLedger { (ledger) throws(LedgerError) in
      var found: [Explanation] = []
      var codes = code.map { [$0] } ?? []
      if codes.isEmpty { codes = try ledger.balances(of: customer).map(\.currency) }
      for code in codes {
        found.append(try ledger.explain(code, customer: customer, limit: limit, after: invocation.cursor))
      }
      return found
    }
    // A currency that the customer never had is left out, unless it was asked for.
    let shown = found.filter { code != nil || $0.balance.version > 0 || $0.balance.balance != 0 }
    let json: JSONValue = ["customer_id": .string(customer.text), "currencies": .array(shown.map(Self.json))]
    try invocation.print(json, csv: Self.table(shown)) { style in
      shown.isEmpty ? "There are no entries.\n" : shown.map { Self.text($0, style) }.joined(separator: "\n")
    }
  }

  // MARK: For programs

  private static func json(_ one: Explanation) -> JSONValue {
    [
      "currency": .string(one.balance.currency.description), "balance": .integer(one.balance.balance),
      "held": .integer(one.balance.held), "available": .integer(one.balance.available),
      "debt": .integer(one.balance.debt),
      "lots": .array(one.lots) { lot in
        .object(
          JSONObject(
            InsightView.members(lot.origin) + [
              ("granted", .integer(lot.granted)), ("remaining", .integer(lot.remaining)),
              ("held", .integer(lot.held)),
            ]))
      }, "more_lots": .bool(one.hasMoreLots),
      "holds": .array(one.holds) {
        [
          "hold_id": .string($0.transactionID.description), "created_at": .string($0.createdAt.description),
          "expires_at": .string($0.deadline.description), "amount": .integer($0.amount),
        ]
      }, "entries": .array(one.entries.map(json)), "next": JSONValue(one.next?.description),
    ]
  }

  private static func json(_ entry: Explanation.Entry) -> JSONValue {
    [
      "transaction_id": .string(entry.transactionID.description), "kind": .string(entry.kind.name),
      "created_at": .string(entry.createdAt.description), "amount": .integer(entry.amount),
      "balance": .integer(entry.balance), "debt": .integer(entry.debt), "version": .integer(entry.version),
      "reference": JSONValue(entry.reference?.text), "reason": JSONValue(entry.reason?.text),
      "actor": JSONValue(entry.actor?.text), "items": InsightView.items(entry.items),
      "parts": .array(entry.parts) {
        .object(JSONObject([("amount", .integer($0.amount))] + InsightView.members($0.lot)))
      },
    ]
  }

  private static func table(_ found: [Explanation]) -> Table {
    found.flatMap { one in one.entries.map { (one.balance.currency, $0) } }.rows(\.1.parts).table([
      .time("TIME", \.whole.1.createdAt), .left("KIND", \.whole.1.kind.name), .change("CHANGE", \.whole.1.amount),
      .amount("BALANCE", \.whole.1.balance), .left("CURRENCY", \.whole.0.description),
      .change("PART", \.part?.amount), .right("LOT", \.part?.lot.lot.description),
      .left("SOURCE", \.part?.lot.source.name), .id("PURCHASE", \.part?.lot.purchase?.storeTransactionID.text),
      .left("PRODUCT", \.part?.lot.purchase?.product.text),
      .left("ENVIRONMENT", \.part?.lot.environment.description),
      .id("TRANSACTION", \.whole.1.transactionID.description), .left("ABOUT") { about($0.whole.1) },
    ])
  }

  // MARK: For people

  private static func text(_ one: Explanation, _ style: Style) -> String {
    let code = one.balance.currency.description
    var text = style.bold("\(AmountText.grouped(one.balance.balance)) \(code)")
    if one.balance.held != 0 { text += ", \(AmountText.grouped(one.balance.held)) of it held" }
    if one.balance.debt != 0 { text += ", \(AmountText.grouped(one.balance.debt)) owed" }
    text += "\n\n"
    if !one.lots.isEmpty { text += lots(one).text(style: style) + (one.hasMoreLots ? "and more lots\n" : "") + "\n" }
    if !one.holds.isEmpty { text += holds(one).text(style: style) + "\n" }
    guard !one.entries.isEmpty else { return text + "There are no entries.\n" }
    return text + entries(one).text(style: style) + NextPage.text(one.next, style: style)
  }

  private static func lots(_ one: Explanation) -> Table {
    one.lots.table([
      .right("LOT", \.origin.lot.description), .amount("LEFT", \.remaining), .amount("HELD", \.held),
      .amount("OF", \.granted), .left("SOURCE", \.origin.source.name),
      .text("FROM") { InsightView.from($0.origin) }, .time("EXPIRES", none: "never", \.origin.expiresAt),
    ])
  }

  private static func holds(_ one: Explanation) -> Table {
    one.holds.table([
      .id("HOLD", \.transactionID.description), .amount("AMOUNT", \.amount), .time("SINCE", \.createdAt),
      .time("ENDS", \.deadline),
    ])
  }

  /// Returns a row for each entry, and a row for each further lot of the entry.
  private static func entries(_ one: Explanation) -> Table {
    one.entries.rows(\.parts).table([
      .time("TIME", \.first?.createdAt), .left("KIND", \.first?.kind.name), .change("CHANGE", \.first?.amount),
      .amount("BALANCE", \.first?.balance), .change("PART", \.part?.amount),
      .right("LOT", \.part?.lot.lot.description), .left("SOURCE", \.part?.lot.source.name),
      .text("FROM") { $0.part.map { InsightView.from($0.lot) } }, .text("ABOUT") { $0.first.map(about) },
    ])
  }

  private static func about(_ entry: Explanation.Entry) -> String {
    InsightView.about(entry.items, entry.reference, entry.reason)
  }

}
