import GemLedger
import GemLedgerAudit

/// `explain`: the reason for a balance, entry by entry, down to lots and receipts.
struct ExplainCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let customer = try invocation.recoveredCustomer()
    let code = try invocation.parsed.positionals.first.map { (text) throws(LedgerError) in try CurrencyCode(text) }
    if code == nil, invocation.cursor != nil {
      throw UsageError("--after needs CODE: each currency has separate pages", verb: invocation.parsed.verb)
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
    try invocation.print(Self.json(customer, shown), csv: Self.report(shown)) { style in
      shown.isEmpty ? "There are no entries.\n" : shown.map { Self.text($0, style) }.joined(separator: "\n")
    }
  }

  // MARK: For programs

  private static func json(_ customer: CustomerID, _ found: [Explanation]) -> JSONValue {
    ["customer_id": .string(customer.text), "currencies": .array(found.map(json))]
  }

  private static func json(_ one: Explanation) -> JSONValue {
    [
      "currency": .string(one.balance.currency.description), "balance": .integer(one.balance.balance),
      "held": .integer(one.balance.held), "available": .integer(one.balance.available),
      "debt": .integer(one.balance.debt),
      "lots": .array(
        one.lots.map { lot in
          var object = InsightView.object(lot.origin)
          object["granted"] = .integer(lot.granted)
          object["remaining"] = .integer(lot.remaining)
          object["held"] = .integer(lot.held)
          return .object(object)
        }), "more_lots": .bool(one.hasMoreLots),
      "holds": .array(
        one.holds.map {
          [
            "hold_id": .string($0.transactionID.description), "created_at": .string($0.createdAt.description),
            "expires_at": .string($0.deadline.description), "amount": .integer($0.amount),
          ]
        }), "entries": .array(one.entries.map(json)), "next": JSONValue(one.next?.description),
    ]
  }

  private static func json(_ entry: Explanation.Entry) -> JSONValue {
    [
      "transaction_id": .string(entry.transactionID.description), "kind": .string(entry.kind.name),
      "created_at": .string(entry.createdAt.description), "amount": .integer(entry.amount),
      "balance": .integer(entry.balance), "debt": .integer(entry.debt), "version": .integer(entry.version),
      "reference": JSONValue(entry.reference?.text), "reason": JSONValue(entry.reason?.text),
      "actor": JSONValue(entry.actor?.text), "items": InsightView.items(entry.items),
      "parts": .array(
        entry.parts.map { part in
          var object: JSONObject = ["amount": .integer(part.amount)]
          for (name, value) in InsightView.members(part.lot) { object[name] = value }
          return .object(object)
        }),
    ]
  }

  private static func report(_ found: [Explanation]) -> Report {
    var report = Report([
      .time("TIME"), .text("KIND"), .number("CHANGE"), .number("BALANCE"), .text("CURRENCY"), .number("PART"),
      .number("LOT"), .text("SOURCE"), .id("PURCHASE"), .text("PRODUCT"), .text("ENVIRONMENT"), .id("TRANSACTION"),
      .text("ABOUT"),
    ])
    for one in found {
      for entry in one.entries {
        let parts = entry.parts.map(Optional.some)
        for part in parts.isEmpty ? [nil] : parts {
          report.add([
            .time(entry.createdAt), .text(entry.kind.name), .change(entry.amount), .amount(entry.balance),
            .text(one.balance.currency.description), part.map { .change($0.amount) } ?? .none,
            .text(part.map { String($0.lot.lot) }), .text(part?.lot.source.name),
            .text(part?.lot.purchase?.storeTransactionID.text), .text(part?.lot.purchase?.product.text),
            .text(part?.lot.environment.description), .text(entry.transactionID.description),
            .text(InsightView.about(entry.items, entry.reference, entry.reason)),
          ])
        }
      }
    }
    return report
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
    var table = Table([
      .right("LOT"), .right("LEFT"), .right("HELD"), .right("OF"), .left("SOURCE"), .text("FROM"), .time("EXPIRES"),
    ])
    for lot in one.lots {
      table.add([
        String(lot.origin.lot), AmountText.grouped(lot.remaining), AmountText.grouped(lot.held),
        AmountText.grouped(lot.granted), lot.origin.source.name, InsightView.from(lot.origin),
        lot.origin.expiresAt?.description ?? "never",
      ])
    }
    return table
  }

  private static func holds(_ one: Explanation) -> Table {
    var table = Table([.id("HOLD"), .right("AMOUNT"), .time("SINCE"), .time("ENDS")])
    for hold in one.holds {
      table.add([
        hold.transactionID.description, AmountText.grouped(hold.amount), hold.createdAt.description,
        hold.deadline.description,
      ])
    }
    return table
  }

  /// Returns a row for each entry, and a row for each further lot of the entry.
  private static func entries(_ one: Explanation) -> Table {
    var table = Table([
      .time("TIME"), .left("KIND"), .right("CHANGE"), .right("BALANCE"), .right("PART"), .right("LOT"),
      .left("SOURCE"), .text("FROM"), .text("ABOUT"),
    ])
    for entry in one.entries {
      let head = [
        entry.createdAt.description, entry.kind.name, AmountText.signed(entry.amount),
        AmountText.grouped(entry.balance),
      ]
      let about = InsightView.about(entry.items, entry.reference, entry.reason)
      let parts = entry.parts.map {
        [AmountText.signed($0.amount), String($0.lot.lot), $0.lot.source.name, InsightView.from($0.lot)]
      }
      table.add(head + (parts.first ?? ["", "", "", ""]) + [about])
      for part in parts.dropFirst() { table.add(["", "", "", ""] + part) }
    }
    return table
  }
}
