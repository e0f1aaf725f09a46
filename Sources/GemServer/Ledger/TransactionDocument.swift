#if Server
internal import GemLedger

/// The JSON form of a transaction, from the journal or from a booked command.
struct TransactionDocument {
  private let booking: Booking
  private let reference: Reference?
  private let reason: Reason?
  private let actor: ActorName?
  private let purchase: FeedPurchase?

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

  var object: JSONObject {
    [
      "object": "virtual_currency_transaction", "id": JSONValue(booking.transactionID?.description),
      "customer_id": .string(booking.customer.text), "kind": .string(booking.kind.name),
      "created_at": .integer(booking.createdAt.milliseconds), "entries": Self.entries(booking.entries),
      "items": Self.items(booking.items), "reference": JSONValue(reference?.text), "reason": JSONValue(reason?.text),
      "actor": JSONValue(actor?.text), "reverses": JSONValue(booking.reversed?.description),
      "hold": booking.hold.map(Self.hold) ?? .null, "purchase": purchase.map(Self.purchase) ?? .null,
      "expired": Self.amounts(booking.expired), "reclaimed": Self.amounts(booking.reclaimed),
      "parties": .array(booking.parties.map(Self.party)),
    ]
  }

  /// Returns the answer to a command: the transaction, and whether it is replayed.
  func answer(isDryRun: Bool) -> JSONValue {
    var object = object
    object["replayed"] = .bool(booking.isReplayed)
    object["dry_run"] = .bool(isDryRun)
    return .object(object)
  }
}

// MARK: Parts

extension TransactionDocument {
  static func entries(_ entries: some Sequence<PostedEntry>) -> JSONValue {
    .array(
      entries.map { entry in
        [
          "currency_code": .string(entry.currency.description), "kind": .string(entry.kind.name),
          "amount": .integer(entry.amount), "balance": .integer(entry.balance), "debt": .integer(entry.debt),
          "version": .integer(entry.version),
          "lots": .array(
            entry.allocations.map {
              ["lot": .integer($0.lot), "source": .string($0.source.name), "amount": .integer($0.amount)]
            }),
        ]
      })
  }

  static func items(_ items: [PostedItem]) -> JSONValue {
    .array(
      items.map {
        ["item_id": .string($0.item.text), "quantity": .integer($0.quantity), "owned": .integer($0.owned)]
      })
  }

  static func amounts(_ amounts: [CurrencyAmount]) -> JSONValue {
    .object(JSONObject(amounts.map { ($0.currency.description, .integer($0.amount)) }))
  }

  private static func hold(_ hold: HoldBooking) -> JSONValue {
    [
      "id": JSONValue(hold.id?.description), "amounts": amounts(hold.amounts),
      "expires_at": JSONValue(hold.expiresAt?.milliseconds),
    ]
  }

  private static func party(_ party: BookingParty) -> JSONValue {
    [
      "customer_id": .string(party.customer.text), "transaction_id": JSONValue(party.transactionID?.description),
      "entries": entries(party.entries), "items": items(party.items),
    ]
  }

  private static func purchase(_ purchase: FeedPurchase) -> JSONValue {
    [
      "product_id": .string(purchase.product.text), "product_display_name": .string(purchase.productName),
      "store_product_id": JSONValue(purchase.storeProductID), "store": .string(purchase.store.description),
      "environment": .string(purchase.environment.description),
      "store_transaction_id": .string(purchase.storeTransactionID.text),
      "original_transaction_id": .string(purchase.originalTransactionID.text),
      "quantity": .integer(purchase.quantity), "price": purchase.price.map(price) ?? .null,
      "purchased_at": .integer(purchase.purchasedAt.milliseconds),
      "refunded_milli_percent": .integer(purchase.refundedMilliPercent),
    ]
  }

  private static func price(_ price: Money) -> JSONValue {
    ["minor_units": .integer(price.minorUnits), "currency": .string(price.currency)]
  }
}
#endif
