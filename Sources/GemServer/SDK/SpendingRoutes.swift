#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Spends by a customer's app, authorized by the customer's session token.
enum SpendingRoutes {
  static var all: [Route] { [spend, buyItem] }

  private static let keyHeader = [
    Parameter(
      Call.keyField, .text(1...IdempotencyKeyKind.byteCountMax), "The same spend under the same key is booked once.")
  ]

  private static let commonFields = [
    Schema.Field("idempotency_key", .nullable(.text(1...255)), "The key, if it does not fit into the header."),
    Schema.Field("app_user_id", .nullable(.customerID), "The customer, checked against the session token."),
  ]

  private static let spendBody = Schema.object(
    [
      .always(
        "amounts", .byCurrency(.integer(-Limits.amount...Limits.amount), 1...Limits.adjustmentsPerRequest),
        "The amounts by currency code; the sign does not matter."),
      Schema.Field("reference", .nullable(.text(1...1500)), "The caller's name for the purpose."),
    ] + commonFields)

  private static let spendAnswer = Schema.object([
    .always("virtual_currencies", .balancesByCode, "All balances after the spend."),
    .always("booking", Booking.schema),
  ])

  private static let spend = Route.sdk(
    "POST", "/v1/customer/virtual_currencies/spend", "spend_virtual_currencies",
    "Spends amounts that the app chooses, if the project allows it.", access: .session, headers: keyHeader,
    body: spendBody, answers: [200: spendAnswer],
    work: .later { (call) async throws(LedgerError) in
      let (customer, key) = (try call.spender(), try call.spendKey())
      var amounts: [Adjustment] = []
      for amount in try call.wire["amounts"].amounts() {
        // The body's limit keeps the magnitude in range.
        amounts.append(Adjustment(amount.currency, abs(amount.amount)))
      }
      let backend = call.project.backend
      let reference: Reference? = try call.wire["reference"].optional?.identifier()
      let booking = try await call.asSession { (whileAnonymous) async throws(LedgerError) in
        try await backend.spend(
          amounts, customer: customer, key: key, reference: reference, whileAnonymous: whileAnonymous)
      }
      var members = JSONValue.balances(try await backend.balances(of: customer)).object ?? [:]
      members["booking"] = booking.wire
      return .json(200, .object(members))
    })

  private static let buyItem = Route.sdk(
    "POST", "/v1/customer/items/buy", "buy_item", "Buys an item at the price that the catalog has for it.",
    access: .session, headers: keyHeader,
    body: .object(
      [.always("item_id", .catalogID), Schema.Field("quantity", .integer(), "1 by default.")]
        + commonFields),
    answers: [200: .object([.always("booking", Booking.schema)])],
    work: .later { (call) async throws(LedgerError) in
      let (customer, key) = (try call.spender(), try call.spendKey())
      let item: ItemID = try call.wire["item_id"].identifier()
      let quantity = try call.wire["quantity"].optional?.integer() ?? 1
      let booking = try await call.asSession { (whileAnonymous) async throws(LedgerError) in
        try await call.project.backend.buyItem(
          item, quantity: quantity, customer: customer, key: key, whileAnonymous: whileAnonymous)
      }
      return .json(200, ["booking": booking.wire])
    })
}

extension Call {
  /// Returns the session's customer, by the id in the body if there is one.
  ///
  /// - Throws: `LedgerError` with `forbidden` if the body names another customer.
  fileprivate func spender() throws(LedgerError) -> CustomerID {
    let named: CustomerID? = try wire["app_user_id"].optional?.identifier()
    guard let named else { return try permitted(customer(), for: .spend) }
    return try permitted(named, for: .spend)
  }

  /// Returns the key in the header or the body.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if there is none, or if there are two.
  fileprivate func spendKey() throws(LedgerError) -> IdempotencyKey {
    let (header, body): (IdempotencyKey?, IdempotencyKey?) = (
      try idempotencyKey(), try wire["idempotency_key"].optional?.identifier()
    )
    guard let key = header ?? body else {
      throw .parameter("Idempotency-Key", "is missing; a repeated spend would be booked twice without it")
    }
    guard key == body ?? key else { throw .parameter("idempotency_key", "is another key than the header's") }
    return key
  }
}
#endif
