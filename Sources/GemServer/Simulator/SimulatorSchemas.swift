#if Server
internal import GemLedger
internal import SimulatedStores

/// The forms of the simulator's objects.
enum SimulatorSchemas {
  static let purchase = Schema.object(purchaseFields)
  static let purchaseWithReceipt = Schema.object(
    purchaseFields + [
      .stated("fetch_token", .nullable(.text()), "The receipt as the store signs it now; null for an unpaid one."),
      noticeError,
    ])

  private static let purchaseFields: [Schema.Field] = [
    .stated("object", .word(["simulator.purchase"])),
    .stated("store_transaction_id", .text(), "On Google Play the purchase token."),
    .stated("order_id", .nullable(.text()), "Google Play's order."),
    .stated("state", .text(), "In the store's own terms, such as purchased, ask_to_buy, pending or refunded."),
    .stated("product_id", .nullable(.text()), "The catalog's code; null for a product that left the catalog."),
    .stated("store_product_id", .text()), .stated("quantity", .integer()),
    .stated(
      "price", .nullable(.object([.stated("minor_units", .integer()), .stated("currency", .text())])),
      "Of all units together."), .stated("store_account", .text(), "The account that pays."),
    .stated("account_token", .nullable(.text()), "Names the buyer to the backend."),
    .stated("pending", .boolean, "Whether it waits for an approval or a late payment."),
    .stated("interrupted", .boolean, "Whether its customer has to do something at the store first."),
    .stated("paid", .boolean, "Whether money was taken."),
    .stated("finished", .boolean, "Whether the app has said that it is credited."),
    .stated("purchased_at", .integer(), "In milliseconds since 1970, as all times here."),
    .stated("expires_at", .nullable(.integer()), "The end of a subscription's period."),
    .stated("refunded_at", .nullable(.integer())),
    .stated("refunded_milli_percent", .nullable(.integer()), "In thousandths of a percent, at the App Store."),
    .stated("refunded_quantity", .nullable(.integer()), "In units, at Google Play."),
  ]

  static let receipt = Schema.object([
    .stated("object", .word(["simulator.purchase"])),
    .stated("result", .word(Simulator.Receipt.Result.allCases.map(\.rawValue)), "What the app is told."),
    .stated("store_transaction_id", .nullable(.text()), "Null where the store made none."),
    .stated("product_id", .text()), .stated("app_user_id", .text()), .stated("quantity", .integer()),
    .stated("store_account", .text()), .stated("device", .text()),
    .stated("fetch_token", .nullable(.text()), "The signed receipt, to post to /v1/receipts; null unless purchased."),
    .stated(
      "new", .nullable(.boolean),
      "Whether money was taken now. An unfinished purchase of the product is returned again without a payment."),
    .stated("unverified", .nullable(.text()), "Why the device does not trust the receipt; null for a trusted one."),
    .stated("failure", .nullable(.text()), "The store's error."),
    .stated(
      "credit",
      .nullable(
        .object([
          .stated("transaction_id", .nullable(.text())), .stated("customer_id", .text()),
          .stated("credited", .map(.integer()), "By currency code."),
          .stated("balances", .map(.integer()), "After it."), .stated("replayed", .boolean),
        ])), "Where the server posted the receipt and credited it."),
    .stated("credit_error", .nullable(error), "Where the server posted the receipt and did not credit it."),
    noticeError,
  ])

  static let fault = Schema.object(
    [.stated("object", .word(["simulator.fault"]))]
      + faultFields.map { Schema.Field($0.name, $0.schema, $0.help, isRequired: true) })

  /// As a fault is made and as it is shown.
  static let faultFields: [Schema.Field] = [
    Schema.Field("api", .word(StoreAPI.allCases.map(\.rawValue)), "The call that goes wrong.", isRequired: true),
    Schema.Field(
      "effect", .word(StoreFault.Effect.words),
      "How. networkError and networkCutBefore lose the request, networkCutAfter the answer.", isRequired: true),
    Schema.Field("delay_seconds", .nullable(.integer(0...31_622_400)), "How late, with delay; 60 by default."),
    Schema.Field(
      "timing", .word(["once", "always", "nth", "times", "chance"]), "At which calls; always by default."),
    Schema.Field(
      "count", .nullable(.integer(1...1_000_000)),
      "With nth the call's number from now, with times how many calls, with chance how many of 100."),
    Schema.Field("store_account", .nullable(.text(1...255)), "Only for this account."),
    Schema.Field("device", .nullable(.text(1...255)), "Only on devices of this name."),
  ]

  static let clock = Schema.object(clockFields)
  static let passage = Schema.object(
    clockFields + [
      .stated("purchases", .list(purchase, 0...1_000_000), "The renewals on the way, oldest first."),
      .stated("settled", .integer(), "For how many customers something was due, such as an expiry."),
      .stated(
        "stopped", .boolean, "Whether it stopped after \(ClockWalk.stopsMax) effects; the same request goes on."),
      noticeError,
    ])

  private static let clockFields: [Schema.Field] = [
    .stated("object", .word(["simulator.clock"])),
    .stated("now", .integer(), "The time of the store and of the ledger."),
    .stated("ahead_seconds", .integer(), "How far it is ahead of the machine's."),
    .stated("movable", .boolean, "Whether it can be moved: only a ledger of this home's own has a time of its own."),
  ]

  static let state = Schema.object([
    .stated("object", .word(["simulator"])), .stated("store", .text(), "Which store it behaves as."),
    .stated("environment", .text()), .stated("session", .nullable(.text()), "The test session of its purchases."),
    .stated("storefront", .text(), "The country that it sells in."), .stated("locale", .text()),
    .stated("clock", clock), .stated("faults", .integer(), "How many faults can still occur."),
    .stated("purchases", .integer(), "How many, attempts included."), .stated("pending", .integer()),
    .stated("unfinished", .integer(), "Paid for, and not finished."), .stated("refunded", .integer()),
    .stated("waiting_notices", .integer(), "Notices that the backend has not taken, up to 100."),
  ])

  static func list(of item: Schema) -> Schema {
    .object([
      .stated("object", .word(["list"])), .stated("items", .list(item)), .stated("next_page", .nullable(.text())),
      .stated("url", .text()),
    ])
  }

  private static let error = Schema.object([.stated("code", .text()), .stated("message", .text())])
  private static let noticeError = Schema.Field.stated(
    "notice_error", .nullable(error), "Why the backend did not take a notice of the store; it waits and is sent again.")
}

extension Schema.Field {
  /// A member that is always there.
  static func stated(_ name: String, _ schema: Schema, _ help: String = "") -> Self {
    Self(name, schema, help, isRequired: true)
  }
}
#endif
