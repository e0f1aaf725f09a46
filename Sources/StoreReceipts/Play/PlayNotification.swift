public import GemLedger
internal import StoreBackend

/// A real-time developer notification of Google Play, as Pub/Sub delivers it.
///
/// It is only a hint: every client that knows the address can send one, and it contains no state. Fetch the purchase
/// from Google's server by the token, and apply the answer (``PlayProductPurchase``).
public struct PlayNotification: Hashable, Sendable {
  /// The event of the notification.
  public enum Event: Hashable, Sendable {
    /// A one-time product was paid for; a purchase of several products names no product.
    case oneTimePurchased(token: StoreTransactionID, productID: String?)
    /// A pending purchase of a one-time product was cancelled before its payment.
    case oneTimeCanceled(token: StoreTransactionID, productID: String?)
    /// A purchase was voided, in full or by some of its units.
    case voided(token: StoreTransactionID, orderID: String?, isSubscription: Bool, isPartial: Bool)
    /// A customer requested a refund, and Google asks within 24 hours for the used amount.
    ///
    /// The answer (`orders.reviewrefund`) is sent with the token of the review, which is not a purchase token.
    case refundReview(reviewToken: String, orderID: String?, reason: Int64?)
    /// The state of a subscription changed; the number is Google's.
    case subscription(token: StoreTransactionID, productID: String?, type: Int64)
    /// The Play Console sent it to test the address.
    case test
    /// A kind, or a number of a kind, that is not known.
    case other(String)
  }

  /// Pub/Sub's id of the message, which may be delivered several times.
  public let messageID: String
  /// The app.
  public let packageName: String
  /// When it happened.
  public let occurredAt: Timestamp
  /// The event.
  public let event: Event
  /// All claims, as Google wrote them.
  public let claims: SignedClaims

  /// The maximum size of a request, in bytes.
  public static let byteCountMax = 32_768

  /// Reads the body of a push request, or a pulled message in the same format.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, check `structure` for the envelope, `payload` for its content.
  public init(body: [UInt8]) throws(LedgerError) {
    let envelope = try PlayEnvelope(body)
    messageID = envelope.messageID
    let fields = try ReceiptFields(envelope.data)
    packageName = try fields["packageName"].name()
    guard let occurredAt = try fields["eventTimeMillis"].optional?.timeText() else {
      throw ReceiptFields.malformed("eventTimeMillis is missing")
    }
    self.occurredAt = occurredAt
    claims = SignedClaims(fields)
    event = try Self.event(fields)
  }

  private static func event(_ fields: ReceiptFields) throws(LedgerError) -> Event {
    if let part = try fields["oneTimeProductNotification"].optional?.object() {
      let (token, product) = (try part["purchaseToken"].storeTransactionID(), try part["sku"].nonEmpty?.shortText())
      switch try part["notificationType"].integer(in: 0...Int64.max) {
      case 1: return .oneTimePurchased(token: token, productID: product)
      case 2: return .oneTimeCanceled(token: token, productID: product)
      case let number: return .other("oneTimeProductNotification \(number)")
      }
    }
    if let part = try fields["voidedPurchaseNotification"].optional?.object() {
      return .voided(
        token: try part["purchaseToken"].storeTransactionID(), orderID: try part["orderId"].nonEmpty?.shortText(),
        isSubscription: try part["productType"].optional?.integer(in: 0...Int64.max) == 1,
        isPartial: try part["refundType"].optional?.integer(in: 0...Int64.max) == 2)
    }
    if let part = try fields["pendingRefundReviewNotification"].optional?.object() {
      return .refundReview(
        reviewToken: try part["pendingRefundToken"].shortText(), orderID: try part["orderId"].nonEmpty?.shortText(),
        reason: try part["refundReason"].optional?.integer(in: 0...Int64.max))
    }
    if let part = try fields["subscriptionNotification"].optional?.object() {
      return .subscription(
        token: try part["purchaseToken"].storeTransactionID(),
        productID: try part["subscriptionId"].nonEmpty?.shortText(),
        type: try part["notificationType"].integer(in: 0...Int64.max))
    }
    if try fields["testNotification"].optional?.object() != nil { return .test }
    return .other(fields.value?.object?.members.first { $0.value.object != nil }?.name ?? "nothing")
  }
}

/// The envelope of a message in Pub/Sub.
struct PlayEnvelope {
  let messageID: String
  let data: [UInt8]

  /// - Throws: `LedgerError` with `receipt_malformed`, check `structure`.
  init(_ body: [UInt8]) throws(LedgerError) {
    guard body.count <= PlayNotification.byteCountMax else { throw Self.malformed("it has \(body.count) bytes") }
    let value: JSONValue
    do throws(JSONError) { value = try .parse(body) } catch { throw Self.malformed("it is not JSON: \(error)") }
    guard let message = value["message"]?.object, let id = (message["messageId"] ?? message["message_id"])?.text,
      !id.isEmpty, let data = message["data"]?.text.flatMap(Base64.decode)
    else { throw Self.malformed("it is not a message with an id and data in base64") }
    messageID = id
    self.data = data
  }

  private static func malformed(_ what: String) -> LedgerError {
    LedgerError(
      .receiptMalformed, "The notification cannot be read: \(what).", details: [.text("check", "structure")])
  }
}
