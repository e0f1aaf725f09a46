internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// A transaction as the shop keeps it.
struct AppleRow: Sendable {
  enum State: String, Sendable {
    /// Paid for.
    case purchased
    /// Waiting for another person's approval.
    case deferred
    /// Interrupted: the customer must resolve an issue with the store first.
    case issue
    /// It failed.
    case failed
  }

  var serial: UInt64
  var account: String
  var state: State
  var transaction: StoreTransaction
  /// The device that it was bought on.
  var device: String?
  var isFinished = false
  /// The instant until which no list shows it.
  var hiddenUntil: Timestamp?
  /// Whether the buying device knows it already: only the other devices receive an update when it is shown.
  var knownToBuyer = false
  var unverified: VerificationFailure?
  var hasRefundRequest = false
  /// The purchase that a family member shared with the account.
  var sharedSerial: UInt64?

  var isPurchased: Bool { state == .purchased }
  var isShown: Bool { isPurchased && hiddenUntil == nil }
  var isUnfinished: Bool { isShown && !isFinished }

  var update: TransactionUpdate {
    TransactionUpdate(
      transaction: transaction, account: account, exceptDevice: knownToBuyer ? device : nil, unverified: unverified)
  }
}

/// A subscription of an account: one for each product.
struct AppleSubscription: Sendable {
  enum State: String, Sendable {
    case active
    case inGracePeriod = "in_grace_period"
    case inBillingRetry = "in_billing_retry"
    case expired
    case revoked
  }

  enum PriceIncrease: String, Sendable {
    case pending
    case agreed
    case declined
  }

  var account: String
  var productID: String
  var period: String
  var originalSerial: UInt64
  var latestSerial: UInt64
  var state = State.active
  var willAutoRenew = true
  var priceIncrease: PriceIncrease?
  /// When the paid period ends.
  var expiresAt: Timestamp
  /// When the grace period or the attempts to collect the money end.
  var waitsUntil: Timestamp?
  var renewalCount: Int64 = 0

  var key: SubscriptionKey { SubscriptionKey(account: account, productID: productID) }

  /// When its next scheduled effect is due.
  var nextDue: Timestamp? {
    switch state {
    case .active: expiresAt
    case .inGracePeriod, .inBillingRetry: waitsUntil
    case .expired, .revoked: nil
    }
  }

  var isEntitling: Bool { state == .active || state == .inGracePeriod }
}

struct SubscriptionKey: Hashable, Sendable {
  let accountName: ByteString
  let product: ByteString

  init(account: String, productID: String) {
    accountName = ByteString(account)
    product = ByteString(productID)
  }

  var account: String { accountName.text }
  var productID: String { product.text }
}

extension AppleRow {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("row")
    writer.put("serial", unsigned: serial)
    writer.put("account", account)
    writer.put("state", state.rawValue)
    writer.put("device", device)
    writer.put("finished", flag: isFinished)
    writer.put("hidden_until", hiddenUntil)
    writer.put("known_to_buyer", flag: knownToBuyer)
    writer.put("unverified", unverified?.rawValue)
    writer.put("refund_request", flag: hasRefundRequest)
    if let sharedSerial { writer.put("shared", unsigned: sharedSerial) }
    writer["transaction"] = transaction.record()
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      serial: try record["serial"].unsigned(), account: try record["account"].text(), state: try record["state"].word(),
      transaction: try StoreTransaction(reading: record["transaction"]),
      device: try record["device"].optional?.text(), isFinished: try record["finished"].flag(),
      hiddenUntil: try record["hidden_until"].optional?.instant(), knownToBuyer: try record["known_to_buyer"].flag(),
      unverified: try record["unverified"].optional?.word(), hasRefundRequest: try record["refund_request"].flag(),
      sharedSerial: try record["shared"].optional?.unsigned())
  }
}

extension AppleSubscription {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("subscription")
    writer.put("account", account)
    writer.put("product", productID)
    writer.put("period", period)
    writer.put("original", unsigned: originalSerial)
    writer.put("latest", unsigned: latestSerial)
    writer.put("state", state.rawValue)
    writer.put("auto_renew", flag: willAutoRenew)
    writer.put("price_increase", priceIncrease?.rawValue)
    writer.put("expires", expiresAt)
    writer.put("waits_until", waitsUntil)
    writer.put("renewals", renewalCount)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      account: try record["account"].text(), productID: try record["product"].text(),
      period: try record["period"].text(),
      originalSerial: try record["original"].unsigned(), latestSerial: try record["latest"].unsigned(),
      state: try record["state"].word(), willAutoRenew: try record["auto_renew"].flag(),
      priceIncrease: try record["price_increase"].optional?.word(), expiresAt: try record["expires"].instant(),
      waitsUntil: try record["waits_until"].optional?.instant(), renewalCount: try record["renewals"].integer())
  }
}
