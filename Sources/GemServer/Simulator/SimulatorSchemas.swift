#if Server
internal import GemLedger
internal import SimulatedStores

/// The forms of the simulator's objects.
enum SimulatorSchemas {
  static let purchase = Schema.object(purchaseFields)
  static let purchaseWithReceipt = Schema.object(
    purchaseFields + [
      .always("fetch_token", .nullable(.text()), "The receipt as the store signs it now; null for an unpaid one."),
      noticeError,
    ])

  private static let purchaseFields: [Schema.Field] = [
    .always("object", .word(["simulator.purchase"])),
    .always("store_transaction_id", .text(), "On Google Play the purchase token."),
    .always("order_id", .nullable(.text()), "Google Play's order."),
    .always("state", .text(), "In the store's terms, such as purchased, ask_to_buy, pending or refunded."),
    .always("product_id", .nullable(.text()), "The catalog's code; null for a product that left the catalog."),
    .always("store_product_id", .text()), .always("quantity", .integer()),
    .always(
      "price", .nullable(.object([.always("minor_units", .integer()), .always("currency", .text())])),
      "Of all units together."), .always("store_account", .text(), "The account that pays."),
    .always("account_token", .nullable(.text()), "Names the buyer to the backend."),
    .always("pending", .boolean, "Whether it waits for an approval or a late payment."),
    .always("interrupted", .boolean, "Whether its customer has to do something at the store first."),
    .always("paid", .boolean, "Whether money was taken."),
    .always("finished", .boolean, "Whether the app has finished the credited purchase."),
    .always("purchased_at", .integer(), "In milliseconds since 1970, as all times here."),
    .always("expires_at", .nullable(.integer()), "The end of a subscription's period."),
    .always("refunded_at", .nullable(.integer())),
    .always("refunded_milli_percent", .nullable(.integer()), "In thousandths of a percent, at the App Store."),
    .always("refunded_quantity", .nullable(.integer()), "In units, at Google Play."),
  ]

  static let receipt = Schema.object([
    .always("object", .word(["simulator.purchase"])),
    .always("result", .word(Simulator.Receipt.Result.allCases.map(\.rawValue)), "The result for the app."),
    .always("store_transaction_id", .nullable(.text()), "Null if the store made none."),
    .always("product_id", .text()), .always("app_user_id", .text()), .always("quantity", .integer()),
    .always("store_account", .text()), .always("device", .text()),
    .always("fetch_token", .nullable(.text()), "The signed receipt, to post to /v1/receipts; null unless purchased."),
    .always(
      "new", .nullable(.boolean),
      "Whether money was taken now. An unfinished purchase of the product is returned again without a payment."),
    .always("unverified", .nullable(.text()), "The reason of the device's distrust in the receipt; null if trusted."),
    .always("failure", .nullable(.text()), "The store's error."),
    .always(
      "credit",
      .nullable(
        .object([
          .always("transaction_id", .nullable(.text())), .always("customer_id", .text()),
          .always("credited", .map(.integer()), "By currency code."),
          .always("balances", .map(.integer()), "After it."), .always("replayed", .boolean),
        ])), "The credit, if the server posted the receipt."),
    .always("credit_error", .nullable(error), "The error, if the server posted the receipt in vain."),
    noticeError,
  ])

  static let fault = Schema.object(
    [.always("object", .word(["simulator.fault"]))]
      + faultFields.map { Schema.Field($0.name, $0.schema, $0.help, isRequired: true) })

  /// The fields of a fault, in requests and in answers.
  static let faultFields: [Schema.Field] = [
    Schema.Field("api", .word(StoreAPI.allCases.map(\.rawValue)), "The call that fails.", isRequired: true),
    Schema.Field(
      "effect", .word(StoreFault.Effect.words),
      "The effect. networkError and networkCutBefore lose the request, networkCutAfter the answer.", isRequired: true),
    Schema.Field("delay_seconds", .nullable(.integer(0...31_622_400)), "The delay of the effect delay; 60 by default."),
    Schema.Field(
      "timing", .word(["once", "always", "nth", "times", "chance"]), "The calls that it affects; always by default."),
    Schema.Field(
      "count", .nullable(.integer(1...1_000_000)),
      "With nth the call's number from now, with times the number of calls, with chance the number per 100."),
    Schema.Field("store_account", .nullable(.text(1...255)), "Only for this account."),
    Schema.Field("device", .nullable(.text(1...255)), "Only on devices of this name."),
  ]

  static let clock = Schema.object(clockFields)
  static let passage = Schema.object(
    clockFields + [
      .always("purchases", .list(purchase, 0...1_000_000), "The renewals on the way, oldest first."),
      .always("settled", .integer(), "The number of customers with due effects, such as an expiry."),
      .always(
        "stopped", .boolean, "Whether it stopped after \(ClockWalk.stopsMax) effects; the same request continues."),
      noticeError,
    ])

  private static let clockFields: [Schema.Field] = [
    .always("object", .word(["simulator.clock"])),
    .always("now", .integer(), "The time of the store and of the ledger."),
    .always("ahead_seconds", .integer(), "The lead over the machine's time."),
    .always("movable", .boolean, "Whether it can be moved: only if the ledger belongs to this home alone."),
  ]

  static let state = Schema.object([
    .always("object", .word(["simulator"])), .always("store", .text(), "Which store it behaves as."),
    .always("environment", .text()), .always("session", .nullable(.text()), "The test session of its purchases."),
    .always("storefront", .text(), "The country that it sells in."), .always("locale", .text()),
    .always("clock", clock), .always("faults", .integer(), "The number of remaining faults."),
    .always("purchases", .integer(), "The number, including attempts."), .always("pending", .integer()),
    .always("unfinished", .integer(), "Paid for, and not finished."), .always("refunded", .integer()),
    .always("waiting_notices", .integer(), "Notices that the backend has not taken, up to 100."),
  ])

  private static let error = Schema.object([.always("code", .text()), .always("message", .text())])
  static let noticeError = Schema.Field.always(
    "notice_error", .nullable(error), "The reason why the backend refused a notice, which waits and is sent again.")
}
#endif
