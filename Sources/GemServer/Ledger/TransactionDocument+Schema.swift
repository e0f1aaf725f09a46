#if Server
internal import GemLedger

extension TransactionDocument {
  /// The form of a transaction of the journal.
  static let schema = Schema.object(fields)
  /// The form of the answer to a command.
  static let answerSchema = Schema.object(
    fields + [
      .always("replayed", .boolean, "Whether this is the first answer again: nothing was booked now."),
      .always("dry_run", .boolean, "Whether nothing was booked, since the request asked for a dry run."),
    ])

  static let entrySchema = Schema.object([
    .always("currency_code", .text()), .always("kind", .text(), "The kind, such as spend, grant or expiry."),
    .always("amount", .integer(), "By how much the balance changed."),
    .always("balance", .integer(), "The balance after it, held amounts included."),
    .always("debt", .integer(), "The customer's debt after it."),
    .always("version", .integer(), "Counts the entries of the customer's currency."),
    .always(
      "lots",
      .list(
        .object([
          .always("lot", .integer(), "The lot's number."), .always("source", .text(), "paid, bonus, earned, ..."),
          .always("amount", .integer(), "Negative if it was taken from the lot."),
        ])), "The allocation of the entry to lots."),
  ])

  static let itemSchema = Schema.object([
    .always("item_id", .text()), .always("quantity", .integer()), .always("owned", .integer()),
  ])

  static let amountsSchema = Schema.map(.integer())

  private static let fields: [Schema.Field] = [
    .always("object", .word(["virtual_currency_transaction"])),
    .always("id", .nullable(.text()), "Null in the answer to a dry run."), .always("customer_id", .text()),
    .always("kind", .text(), "Such as purchase, spend, grant, reversal, refund, transfer, hold or capture."),
    .always("created_at", .integer()), .always("entries", .list(entrySchema)), .always("items", .list(itemSchema)),
    .always("reference", .nullable(.text())), .always("reason", .nullable(.text())),
    .always("actor", .nullable(.text()), "The sender of the command, such as a key of this project."),
    .always("reverses", .nullable(.text()), "The transaction that it undoes."),
    .always("hold", .nullable(holdSchema), "The hold that it began, changed or ended."),
    .always("purchase", .nullable(purchaseSchema), "The purchase that it credited or refunded."),
    .always("expired", amountsSchema, "The returned amounts whose lots had expired."),
    .always("reclaimed", amountsSchema, "The returned amounts that paid a refund or a debt at once."),
    .always("parties", .list(partySchema), "The other customers' sides of a transfer."),
  ]

  private static let holdSchema = Schema.object([
    .always("id", .nullable(.text())), .always("amounts", amountsSchema, "The amounts still on hold."),
    .always("expires_at", .nullable(.integer()), "Null once it has ended."),
  ])

  private static let partySchema = Schema.object([
    .always("customer_id", .text()), .always("transaction_id", .nullable(.text())),
    .always("entries", .list(entrySchema)), .always("items", .list(itemSchema)),
  ])

  private static let purchaseSchema = Schema.object([
    .always("product_id", .text()), .always("product_display_name", .text()),
    .always("store_product_id", .nullable(.text())), .always("store", .text()), .always("environment", .text()),
    .always("store_transaction_id", .text()), .always("original_transaction_id", .text()),
    .always("quantity", .integer()),
    .always(
      "price",
      .nullable(.object([.always("minor_units", .integer()), .always("currency", .text(), "Such as USD.")])),
      "Of all units together."), .always("purchased_at", .integer()),
    .always("refunded_milli_percent", .integer(0...100_000), "In thousandths of a percent; 100,000 is all of it."),
  ])
}

extension Schema {
  /// Returns RevenueCat's envelope around the items of a list.
  static func page(of item: Schema) -> Schema {
    .object([
      .always("object", .word(["list"])), .always("items", .list(item)),
      .always("next_page", .nullable(.text()), "The path of the next page; null on the last page."),
      .always("url", .text()),
    ])
  }
}
#endif
