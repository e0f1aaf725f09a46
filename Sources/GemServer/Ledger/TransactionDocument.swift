#if Server
internal import GemLedger
internal import StoreBackend

/// The JSON form of a transaction, from the journal or from a booked command.
struct TransactionDocument: JSONDocument {
  private let booking: Booking
  private let reference: Reference?
  private let reason: Reason?
  private let actor: ActorName?
  private let purchase: FeedPurchase?
  private var isDryRun = false

  init(_ record: HistoryRecord) {
    booking = record.booking
    (reference, reason, actor) = (record.reference, record.reason, record.actor)
    purchase = record.purchase
  }

  private init(_ booking: Booking, _ reference: Reference?, _ reason: Reason?, _ actor: ActorName?) {
    self.booking = booking
    (self.reference, self.reason, self.actor) = (reference, reason, actor)
    purchase = nil
  }

  /// Creates the form of a booked transaction; a replayed booking has the first call's reference, reason and actor.
  init(_ booking: Booking, of command: LedgerCommand, in ledger: Ledger) throws(LedgerError) {
    guard booking.isReplayed, let id = booking.transactionID else {
      self.init(booking, command.reference, command.reason, command.actor)
      return
    }
    let record = try ledger.transaction(id)
    self.init(booking, record.reference, record.reason, record.actor)
  }

  /// Returns the answer to a command: the transaction, and whether it is replayed.
  func answer(isDryRun: Bool) -> JSONValue {
    var document = self
    document.isDryRun = isDryRun
    return Self.answerForm.json(document)
  }
}

// MARK: Forms

extension TransactionDocument {
  static let form = JSONForm<Self>([
    .object("virtual_currency_transaction"),
    .always("id", \.booking.transactionID?.description, .nullable(.text()), "Null in the answer to a dry run."),
    .always("customer_id", \.booking.customer, .anyIdentifier()),
    .always(
      "kind", \.booking.kind.name, .text(),
      "Such as purchase, spend, grant, reversal, refund, transfer, hold or capture."),
    .always("created_at", \.booking.createdAt, .instant), .always("entries", \.booking.entries, .list(.entry)),
    .always("items", \.booking.items, .list(.value)), .always("reference", \.reference, .nullable(.anyIdentifier())),
    .always("reason", \.reason, .nullable(.anyIdentifier())),
    .always(
      "actor", \.actor, .nullable(.anyIdentifier()), "The sender of the command, such as a key of this project."),
    .always(
      "reverses", \.booking.reversed?.description, .nullable(.text()), "The transaction that it undoes."),
    .always("hold", \.booking.hold, .nullable(.form(hold)), "The hold that it began, changed or ended."),
    .always("purchase", \.purchase, .nullable(.form(purchase)), "The purchase that it credited or refunded."),
    .always("expired", \.booking.expired, .amounts, "The returned amounts whose lots had expired."),
    .always(
      "reclaimed", \.booking.reclaimed, .amounts, "The returned amounts that paid a refund or a debt at once."),
    .always("parties", \.booking.parties, .list(.form(party)), "The other customers' sides of a transfer."),
  ])

  static let answerForm = JSONForm(
    form.members + [
      .always(
        "replayed", \.booking.isReplayed, .boolean,
        "Whether this is the first answer again: nothing was booked now."),
      .always("dry_run", \.isDryRun, .boolean, "Whether nothing was booked, since the request asked for a dry run."),
    ])

  fileprivate static let entry = JSONForm<PostedEntry>([
    .always("currency_code", \.currency.description, .text()),
    .always("kind", \.kind.name, .text(), "The kind, such as spend, grant or expiry."),
    .always("amount", \.amount, .integer(), "By how much the balance changed."),
    .always("balance", \.balance, .integer(), "The balance after it, held amounts included."),
    .always("debt", \.debt, .integer(), "The customer's debt after it."),
    .always("version", \.version, .integer(), "Counts the entries of the customer's currency."),
    .always("lots", \.allocations, .list(.value), "The allocation of the entry to lots."),
  ])

  private static let hold = JSONForm<HoldBooking>([
    .always("id", \.id?.description, .nullable(.text())),
    .always("amounts", \.amounts, .amounts, "The amounts still on hold."),
    .always("expires_at", \.expiresAt, .nullable(.instant), "Null once it has ended."),
  ])

  private static let party = JSONForm<BookingParty>([
    .always("customer_id", \.customer, .anyIdentifier()),
    .always("transaction_id", \.transactionID?.description, .nullable(.text())),
    .always("entries", \.entries, .list(.entry)), .always("items", \.items, .list(.value)),
  ])

  private static let purchase = JSONForm<FeedPurchase>([
    .always("product_id", \.product, .anyIdentifier()), .always("product_display_name", \.productName, .text()),
    .always("store_product_id", \.storeProductID, .nullable(.text())),
    .always("store", \.store.description, .text()), .always("environment", \.environment.description, .text()),
    .always("store_transaction_id", \.storeTransactionID, .anyIdentifier()),
    .always("original_transaction_id", \.originalTransactionID, .anyIdentifier()),
    .always("quantity", \.quantity, .integer()), .always("price", \.price, .nullable(.value), "Of all units together."),
    .always("purchased_at", \.purchasedAt, .instant),
    .always(
      "refunded_milli_percent", \.refundedMilliPercent, .integer(0...100_000),
      "In thousandths of a percent; 100,000 is all of it."),
  ])
}

extension JSONKind<PostedEntry> {
  static var entry: Self { .form(TransactionDocument.entry) }
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
