#if Server
internal import GemLedger

/// Reversals, transfers between customers and exchanges of currencies.
enum MoveRoutes {
  static var all: [Route] { [reverse, transfer, exchange] }

  private static let reverse = Route.booking(
    LedgerRoutes.project + "/virtual_currency_transactions/{transaction_id}/actions/reverse",
    name: "reverse_transaction",
    "Undoes a spend, in full or part: its amounts go back into the very lots that they were taken from.",
    .object([
      .amounts("The amounts by currency; all that is not reversed yet by default.", isRequired: false), .reference,
      .reason,
    ])
  ) { (call) throws(LedgerError) in
    .reverse(try call.transaction(), amounts: try call.amounts(), details: try call.details())
  }

  private static let transfer = Route.booking(
    LedgerRoutes.project + "/virtual_currencies/actions/transfer", name: "transfer_virtual_currencies",
    "Moves currency from one customer to another; both must exist.",
    .object([
      Schema.Field(
        "from", .identifier(Limits.customerIDBytes), "The payer, the owner of the key.", isRequired: true),
      Schema.Field("to", .identifier(Limits.customerIDBytes), "The payee.", isRequired: true),
      .amounts("Positive amounts by currency code."), .reference, .reason,
    ])
  ) { (call) throws(LedgerError) in
    .transfer(
      try call.amounts() ?? [], from: try CustomerID(call.text("from") ?? ""),
      to: try CustomerID(call.text("to") ?? ""), details: try call.details())
  }

  private static let exchange = Route.booking(
    LedgerRoutes.project + "/virtual_currencies/actions/exchange", name: "exchange_virtual_currencies",
    "Exchanges a customer's currency for another.",
    .object([
      Schema.Field("customer_id", .identifier(Limits.customerIDBytes), isRequired: true),
      Schema.Field(
        "from", .object([.always("code", .currencyCode), .always("amount", .amount)]), "The source amount.",
        isRequired: true), Schema.Field("into", .currencyCode, "The target currency.", isRequired: true),
      Schema.Field("rate", rate, "The exchange rate.", isRequired: true), .reference,
      .reason,
    ])
  ) { (call) throws(LedgerError) in
    let from = call.body["from"]
    let amount = Adjustment(try CurrencyCode(from?["code"]?.text ?? ""), from?["amount"]?.integer ?? 0)
    return .exchange(
      amount, into: try CurrencyCode(call.text("into") ?? ""), rate: Self.rate(of: call),
      customer: try CustomerID(call.text("customer_id") ?? ""), details: try call.details())
  }

  private static let rate = Schema.object([
    .always("numerator", .amount, "The target amount."), .always("denominator", .amount, "The source amount."),
    Schema.Field(
      "rounding", .word(ExchangeRate.Rounding.Kind.allCases.map(\.rawValue)), "Of a part of a unit; down by default."),
  ])

  private static func rate(of call: Call) -> ExchangeRate {
    let rate = call.body["rate"]
    let rounding = rate?["rounding"]?.text.flatMap(ExchangeRate.Rounding.Kind.init(rawValue:)) ?? .down
    return ExchangeRate(
      rate?["numerator"]?.integer ?? 0, for: rate?["denominator"]?.integer ?? 0, rounding: .init(rounding))
  }
}
#endif
