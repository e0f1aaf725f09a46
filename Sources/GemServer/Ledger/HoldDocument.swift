#if Server
internal import GemLedger

/// The JSON form of a hold.
enum HoldDocument {
  static func json(_ hold: OpenHold, of customer: CustomerID) -> JSONValue {
    [
      "object": "hold", "id": .string(hold.id.description), "customer_id": .string(customer.text),
      "amounts": TransactionDocument.amounts(hold.amounts), "created_at": .integer(hold.createdAt.milliseconds),
      "expires_at": .integer(hold.expiresAt.milliseconds),
    ]
  }

  /// Returns the answer to the command that created the hold.
  static func answer(_ booking: Booking, isDryRun: Bool) -> JSONValue {
    let hold = booking.hold
    return [
      "object": "hold", "id": JSONValue(hold?.id?.description), "customer_id": .string(booking.customer.text),
      "amounts": TransactionDocument.amounts(hold?.amounts ?? []),
      "created_at": .integer(booking.createdAt.milliseconds), "expires_at": JSONValue(hold?.expiresAt?.milliseconds),
      "balances": TransactionDocument.amounts(hold?.balances ?? []),
      "available": TransactionDocument.amounts(hold?.available ?? []), "replayed": .bool(booking.isReplayed),
      "dry_run": .bool(isDryRun),
    ]
  }

  static let schema = Schema.object(fields(.text(), .integer()))

  static let answerSchema = Schema.object(
    fields(.nullable(.text()), .nullable(.integer())) + [
      .always("balances", TransactionDocument.amountsSchema, "The balances of the currencies, held amounts included."),
      .always("available", TransactionDocument.amountsSchema, "The spendable parts of the balances."),
      .always("replayed", .boolean, "Whether this is the first answer again: nothing was booked now."),
      .always("dry_run", .boolean, "Whether nothing was booked, since the request asked for a dry run."),
    ])

  private static func fields(_ id: Schema, _ end: Schema) -> [Schema.Field] {
    [
      .always("object", .word(["hold"])), .always("id", id, "Also the id of the transaction that created it."),
      .always("customer_id", .text()), .always("amounts", TransactionDocument.amountsSchema, "The amounts on hold."),
      .always("created_at", .integer()), .always("expires_at", end, "The deadline."),
    ]
  }
}
#endif
