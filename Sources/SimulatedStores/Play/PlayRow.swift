internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// A purchase as Google Play keeps it, from its payment to its end.
///
/// ```
/// pending ──paid──▶ purchased ──acknowledged──▶ kept ──consumed (one-time products)──▶ used up, may be bought again
///    │                  │                        │
///    └──declined──▶ canceled ◀──three days─────  └──voided──▶ canceled
/// ```
struct PlayRow: Sendable {
  enum State: String, Sendable {
    /// Not paid yet.
    case pending
    /// Paid for.
    case purchased
    /// Never paid for, or voided.
    case canceled
    /// A subscription that has run out.
    case expired
  }

  /// How long a purchase may wait for its acknowledgement, from the moment it is paid for.
  static let acknowledgementTime = Duration.seconds(3 * 86_400)

  var serial: UInt64
  var account: String
  var state: State
  /// The purchase as evidence; its id is the purchase token.
  var transaction: StoreTransaction
  var device: String?
  var isAcknowledged = false
  var isConsumed = false
  /// The instant at which a pending payment ends by itself, and whether it succeeds.
  var pendingUntil: Timestamp?
  var pendingApproves = false
  /// The instant until which no list shows it.
  var hiddenUntil: Timestamp?
  var refundedQuantity: Int64 = 0
  var voided: [VoidedPurchase] = []
  var unverified: VerificationFailure?
  /// A subscription's cycle, and whether it renews.
  var period: String?
  var willAutoRenew = false
  var renewalCount: Int64 = 0

  var isConsumable: Bool { transaction.productType == .consumable }
  var isPaid: Bool { state == .purchased }
  /// Whether the account has it, or waits for it: the same product cannot be bought meanwhile.
  var isOwned: Bool { (state == .purchased && !isConsumed) || state == .pending }
  /// Whether a query for purchases shows it.
  var isListed: Bool { isOwned && hiddenUntil == nil }
  /// Whether the app still has to consume or acknowledge it.
  var isUnfinished: Bool { isPaid && hiddenUntil == nil && !isConsumed && (isConsumable || !isAcknowledged) }
  var refundableQuantity: Int64 { isPaid ? transaction.quantity - refundedQuantity : 0 }

  /// The instant at which the time to acknowledge it is over.
  var deadline: Timestamp? {
    isPaid && !isAcknowledged ? paidAt.advanced(by: Self.acknowledgementTime) : nil
  }

  /// When it was paid for; a subscription's first payment.
  var paidAt: Timestamp { transaction.originalPurchasedAt }

  /// Its orders, oldest first: the first payment's, then those of the renewals.
  var orderIDs: [String] {
    guard let last = transaction.orderID else { return [] }
    guard renewalCount > 0, let first = last.split(separator: "..", maxSplits: 1).first else { return [last] }
    return [String(first)] + (0..<renewalCount).map { "\(first)..\($0)" }
  }

  var update: TransactionUpdate {
    TransactionUpdate(transaction: transaction, account: account, unverified: unverified)
  }

  func nextStamp(_ now: Timestamp) -> Timestamp { max(now, transaction.signedAt.advanced(milliseconds: 1)) }
}

extension PlayRow {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("row")
    writer.put("serial", unsigned: serial)
    writer.put("account", account)
    writer.put("state", state.rawValue)
    writer.put("device", device)
    writer.put("acknowledged", flag: isAcknowledged)
    writer.put("consumed", flag: isConsumed)
    writer.put("pending_until", pendingUntil)
    writer.put("pending_approves", flag: pendingApproves)
    writer.put("hidden_until", hiddenUntil)
    writer.put("refunded_quantity", refundedQuantity)
    if !voided.isEmpty { writer["voided"] = .array(voided.map { $0.record() }) }
    writer.put("unverified", unverified?.rawValue)
    writer.put("period", period)
    writer.put("auto_renew", flag: willAutoRenew)
    writer.put("renewals", renewalCount)
    writer["transaction"] = transaction.record()
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      serial: try record["serial"].unsigned(), account: try record["account"].text(), state: try record["state"].word(),
      transaction: try StoreTransaction(reading: record["transaction"]),
      device: try record["device"].optional?.text(), isAcknowledged: try record["acknowledged"].flag(),
      isConsumed: try record["consumed"].flag(), pendingUntil: try record["pending_until"].optional?.instant(),
      pendingApproves: try record["pending_approves"].flag(),
      hiddenUntil: try record["hidden_until"].optional?.instant(),
      refundedQuantity: try record["refunded_quantity"].integer(), voided: try Self.voided(record),
      unverified: try record["unverified"].optional?.word(), period: try record["period"].optional?.text(),
      willAutoRenew: try record["auto_renew"].flag(), renewalCount: try record["renewals"].integer())
  }

  private static func voided(_ record: ShopRecordReader) throws(LedgerError) -> [VoidedPurchase] {
    try record["voided"].optional?.elements().map(VoidedPurchase.init(reading:)) ?? []
  }
}

/// A change of a Google-like shop.
enum PlayEvent: StoreEvent {
  case settings(PlaySettings)
  case row(PlayRow)
  case acknowledged(UInt64)
  case consumed(UInt64)
  case deleted(UInt64)
  case serial(UInt64)
  case common(CommonStoreEvent)

  func json() -> JSONValue {
    switch self {
    case .settings(let settings): settings.record()
    case .row(let row): row.record()
    case .acknowledged(let serial): Self.record("acknowledged", serial)
    case .consumed(let serial): Self.record("consumed", serial)
    case .deleted(let serial): Self.record("deleted", serial)
    case .serial(let serial): Self.record("serial", serial)
    case .common(let event): event.json()
    }
  }

  private static func record(_ kind: String, _ serial: UInt64) -> JSONValue {
    var writer = ShopRecordWriter(kind)
    writer.put("serial", unsigned: serial)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    switch try record["e"].text() {
    case "settings": self = .settings(try PlaySettings(reading: record))
    case "row": self = .row(try PlayRow(reading: record))
    case "acknowledged": self = .acknowledged(try record["serial"].unsigned())
    case "consumed": self = .consumed(try record["serial"].unsigned())
    case "deleted": self = .deleted(try record["serial"].unsigned())
    case "serial": self = .serial(try record["serial"].unsigned())
    default: self = .common(try CommonStoreEvent(reading: record))
    }
  }
}
