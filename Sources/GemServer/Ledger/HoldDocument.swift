#if Server
internal import GemLedger

/// The JSON form of a customer's hold, and of the answer to the command that created it.
struct HoldDocument: JSONDocument {
  private let hold: OpenHold
  private let customer: CustomerID

  init(_ hold: OpenHold, of customer: CustomerID) {
    self.hold = hold
    self.customer = customer
  }

  static let form = JSONForm<Self>([
    .object("hold"), .always("id", \.hold.id.description, .text(), "Also the id of the transaction that created it."),
    .always("customer_id", \.customer, .anyIdentifier()),
    .always("amounts", \.hold.amounts, .amounts, "The amounts on hold."),
    .always("created_at", \.hold.createdAt, .instant),
    .always("expires_at", \.hold.expiresAt, .instant, "The deadline."),
  ])

  struct Answer: JSONDocument {
    let booking: Booking
    let isDryRun: Bool

    static let form = JSONForm<Self>([
      .object("hold"),
      .always(
        "id", \.booking.hold?.id?.description, .nullable(.text()), "Also the id of the transaction that created it."),
      .always("customer_id", \.booking.customer, .anyIdentifier()),
      .always("amounts", { $0.booking.hold?.amounts ?? [] }, .amounts, "The amounts on hold."),
      .always("created_at", \.booking.createdAt, .instant),
      .always("expires_at", \.booking.hold?.expiresAt, .nullable(.instant), "The deadline."),
      .always(
        "balances", { $0.booking.hold?.balances ?? [] }, .amounts,
        "The balances of the currencies, held amounts included."),
      .always(
        "available", { $0.booking.hold?.available ?? [] }, .amounts, "The spendable parts of the balances."),
      .always(
        "replayed", \.booking.isReplayed, .boolean, "Whether this is the first answer again: nothing was booked now."),
      .always("dry_run", \.isDryRun, .boolean, "Whether nothing was booked, since the request asked for a dry run."),
    ])
  }
}
#endif
