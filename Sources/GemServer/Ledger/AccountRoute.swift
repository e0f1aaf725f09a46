#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import SystemHTTP

/// A customer's balance of one currency with all its parts, now or at an earlier instant.
enum AccountRoute {
  static let get = Route(
    method: "GET", path: LedgerRoutes.customer + "/virtual_currencies/{virtual_currency_code}",
    name: "get_virtual_currency_account",
    summary: "Returns a customer's balance of one currency with its parts, now or at an earlier instant.",
    access: .secret(.purchases),
    query: [Parameter("at", .requestedInstant, "In milliseconds since 1970; now by default.")],
    answers: [200: schema], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in .json(200, try json(call)) })

  /// The maximum number of lots that one answer reads.
  private static let lotCountMax = 100

  private static func json(_ call: Call) throws(LedgerError) -> JSONValue {
    let (ledger, customer) = (call.project.ledger, try call.customer())
    guard let code = CurrencyCode(exactly: call.name("virtual_currency_code")) else {
      throw LedgerError(
        .unknownCurrency, "There is no currency \"\(call.name("virtual_currency_code").prefix(40))\".")
    }
    if let at = call.query["at"]?.integer.map(Timestamp.init(milliseconds:)) {
      let balance = try ledger.balance(of: code, customer: customer, at: at)
      return json(balance, of: customer, at: at, expirations: nil, hasMore: false)
    }
    let explanation = try ledger.explain(code, customer: customer, limit: lotCountMax)
    return json(
      explanation.balance, of: customer, at: call.project.clock.now(), expirations: expirations(explanation.lots),
      hasMore: explanation.hasMoreLots)
  }

  private static func json(
    _ balance: Balance, of customer: CustomerID, at instant: Timestamp, expirations: JSONValue?, hasMore: Bool
  ) -> JSONValue {
    [
      "object": "virtual_currency_account", "customer_id": .string(customer.text),
      "currency_code": .string(balance.currency.description), "name": .string(balance.name),
      "description": JSONValue(balance.description), "at": .integer(instant.milliseconds),
      "balance": .integer(balance.balance), "held": .integer(balance.held), "available": .integer(balance.available),
      "debt": .integer(balance.debt), "version": .integer(balance.version), "expirations": expirations ?? .null,
      "has_more_expirations": .bool(hasMore),
    ]
  }

  /// Returns the amounts by expiry, soonest first; amounts without expiry last.
  private static func expirations(_ lots: [Explanation.Lot]) -> JSONValue {
    var sums: [Int64: (available: Int64, held: Int64)] = [:]
    for lot in lots {
      let sum = sums[lot.origin.expiresAt?.milliseconds ?? .max] ?? (0, 0)
      sums[lot.origin.expiresAt?.milliseconds ?? .max] = (sum.available + lot.remaining, sum.held + lot.held)
    }
    return .array(
      sums.sorted { $0.key < $1.key }.map { end, sum in
        [
          "expires_at": end == .max ? .null : .integer(end), "available": .integer(sum.available),
          "held": .integer(sum.held),
        ]
      })
  }

  private static let schema = Schema.object([
    .always("object", .word(["virtual_currency_account"])), .always("customer_id", .text()),
    .always("currency_code", .text()), .always("name", .text()), .always("description", .nullable(.text())),
    .always("at", .integer(), "The instant of the answer."),
    .always("balance", .integer(), "The total balance, including held amounts."),
    .always("held", .integer(), "The amount on hold."), .always("available", .integer(), "The spendable amount."),
    .always("debt", .integer()), .always("version", .integer(), "The number of entries of the account."),
    .always(
      "expirations",
      .nullable(
        .list(
          .object([
            .always("expires_at", .nullable(.integer()), "Null for never."), .always("available", .integer()),
            .always("held", .integer()),
          ]))),
      "The next expiries, soonest first, of the first 100 lots in spending order; null for a past instant."),
    .always("has_more_expirations", .boolean, "Whether there are more lots than these."),
  ])
}
#endif
