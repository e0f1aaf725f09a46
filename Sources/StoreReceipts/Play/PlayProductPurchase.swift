public import GemLedger
public import StoreBackend

/// A one-time purchase as Google's server states it: `purchases.products`, and `purchases.productsv2`.
///
/// It is not signed: it is as trustworthy as the connection to Google over which the app's backend fetched it. Grant,
/// then consume or acknowledge: Google refunds what nobody has acknowledged three days after the payment.
public struct PlayProductPurchase: Hashable, Sendable {
  /// How long after the payment a purchase has to be acknowledged or consumed.
  public static let acknowledgementDays: Int64 = 3

  /// Where the purchase was looked up, which the answer itself need not repeat.
  public struct Request: Hashable, Sendable {
    /// The app.
    public var packageName: String
    /// The purchase token.
    public var token: StoreTransactionID
    /// The product, for `purchases.products`; the newer form names it.
    public var productID: String?
    /// When the answer came; of two answers about one purchase, the later holds.
    public var fetchedAt: Timestamp

    /// A request.
    public init(packageName: String, token: StoreTransactionID, productID: String? = nil, fetchedAt: Timestamp) {
      self.packageName = packageName
      self.token = token
      self.productID = productID
      self.fetchedAt = fetchedAt
    }
  }

  /// The purchase for the ledger; nil while nobody has paid.
  public let transaction: StoreTransaction?
  /// What is to be paid for, or was never paid for, dated by the answer; nil once somebody has paid.
  public let unpaid: StoreTransaction?
  /// Whether it is cancelled: by a refund, or before anybody paid.
  public let isCancelled: Bool
  /// Until when it has to be acknowledged or consumed; nil where that is done, or nobody has paid.
  public let acknowledgeBy: Timestamp?
  /// Whether it was consumed, so that it can be bought again.
  public let isConsumed: Bool
  /// All claims, as Google wrote them.
  public let claims: SignedClaims

  /// Reads an answer of either form.
  ///
  /// A purchase of a tester is one of the sandbox.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, check `payload`.
  public init(json: [UInt8], for request: Request) throws(LedgerError) {
    let fields = try ReceiptFields(json)
    let parts = try fields.object["productLineItem"] == nil ? PlayParts(v1: fields, request) : PlayParts(v2: fields)
    claims = SignedClaims(fields.object)
    isConsumed = parts.isConsumed
    isCancelled = parts.state == .canceled
    guard parts.state != .pending, let paidAt = parts.paidAt else {
      (transaction, acknowledgeBy) = (nil, nil)
      var stated = parts.transaction(request, paidAt: request.fetchedAt)
      stated.revocation = nil
      unpaid = stated
      return
    }
    transaction = parts.transaction(request, paidAt: paidAt)
    unpaid = nil
    let deadline = paidAt.advanced(milliseconds: Self.acknowledgementDays * 86_400_000)
    acknowledgeBy = parts.isAcknowledged || parts.isConsumed || parts.state != .purchased ? nil : deadline
  }
}

/// What both forms say, under one name each.
struct PlayParts {
  enum State: Sendable {
    case purchased
    case canceled
    case pending
  }

  var state = State.purchased
  var isTest: Bool
  var productID: String
  var orderID: String?
  var quantity: Int64 = 1
  var refundableQuantity: Int64?
  var isConsumed = false
  var isAcknowledged = false
  var paidAt: Timestamp?
  var regionCode: String?
  var accountToken: AccountToken?
  var offer: StoreTransaction.Offer?

  func transaction(_ request: PlayProductPurchase.Request, paidAt: Timestamp) -> StoreTransaction {
    StoreTransaction(
      store: .google, environment: isTest ? .sandbox : .production, id: request.token, orderID: orderID,
      bundleID: request.packageName, storeProductID: productID, productType: .consumable, quantity: quantity,
      storefront: regionCode.flatMap(StorefrontCode.init(exactly:)), accountToken: accountToken, purchasedAt: paidAt,
      revocation: revocation(at: request.fetchedAt), offer: offer, signedAt: request.fetchedAt)
  }

  /// The refunded units: the answer has no date of them, so that of the answer counts.
  private func revocation(at instant: Timestamp) -> StoreTransaction.Revocation? {
    if state == .canceled { return StoreTransaction.Revocation(revokedAt: instant) }
    guard let left = refundableQuantity, left < quantity else { return nil }
    return StoreTransaction.Revocation(
      revokedAt: instant, extent: left <= 0 ? .full : .totalQuantity(quantity - left))
  }
}

extension PlayParts {
  /// `purchases.products`: numbers for words.
  init(v1 fields: ReceiptFields, _ request: PlayProductPurchase.Request) throws(LedgerError) {
    let type = try fields.optionalInteger("purchaseType", in: 0...Int64.max)
    isTest = type == 0
    if type == 1 { offer = StoreTransaction.Offer(kind: .code) }
    guard let product = try fields.optionalNonEmptyText("productId") ?? request.productID else {
      throw ReceiptFields.malformed("productId is missing")
    }
    productID = product
    switch try fields.optionalInteger("purchaseState", in: 0...Int64.max) ?? 0 {
    case 0: state = .purchased
    case 1: state = .canceled
    case 2: state = .pending
    case let number: throw ReceiptFields.malformed("purchaseState is \(number), which is not known")
    }
    orderID = try fields.optionalNonEmptyText("orderId")
    quantity = try fields.optionalInteger("quantity", in: 1...Int64.max) ?? 1
    refundableQuantity = try fields.optionalInteger("refundableQuantity", in: 0...Int64.max)
    isConsumed = try fields.optionalInteger("consumptionState", in: 0...Int64.max) == 1
    isAcknowledged = try fields.optionalInteger("acknowledgementState", in: 0...Int64.max) == 1
    paidAt = try fields.optionalInstantText("purchaseTimeMillis")
    if paidAt == nil { throw ReceiptFields.malformed("purchaseTimeMillis is missing") }
    regionCode = try fields.optionalNonEmptyText("regionCode")
    accountToken = try fields.optionalNonEmptyText("obfuscatedExternalAccountId").flatMap(
      AccountToken.init(obfuscated:))
  }

  /// `purchases.productsv2`: words, and a list of products with one in it.
  init(v2 fields: ReceiptFields) throws(LedgerError) {
    guard let items = fields.object["productLineItem"]?.array, items.count == 1, let item = items[0].object else {
      throw ReceiptFields.malformed("productLineItem is no list of one product")
    }
    let (line, details) = (ReceiptFields(item), try ReceiptFields(item).optionalObject("productOfferDetails"))
    isTest = try fields.optionalObject("testPurchaseContext") != nil
    productID = try line.name("productId")
    let states: [(String, State)] = [("PURCHASED", .purchased), ("CANCELLED", .canceled), ("PENDING", .pending)]
    guard let context = try fields.optionalObject("purchaseStateContext") else {
      throw ReceiptFields.malformed("purchaseStateContext is missing")
    }
    state = try context.word("purchaseState", states)
    orderID = try fields.optionalNonEmptyText("orderId")
    offer = try details?.optionalNonEmptyText("offerId").map { StoreTransaction.Offer(kind: nil, identifier: $0) }
    quantity = try details?.optionalInteger("quantity", in: 1...Int64.max) ?? 1
    refundableQuantity = try details?.optionalInteger("refundableQuantity", in: 0...Int64.max)
    isConsumed = details?.object["consumptionState"]?.text == "CONSUMPTION_STATE_CONSUMED"
    isAcknowledged = fields.object["acknowledgementState"]?.text == "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"
    paidAt = try fields.optionalText("purchaseCompletionTime").flatMap { Timestamp($0) }
    guard paidAt != nil || state != .purchased else {
      throw ReceiptFields.malformed("purchaseCompletionTime is missing, or no time")
    }
    regionCode = try fields.optionalNonEmptyText("regionCode")
    accountToken = try fields.optionalNonEmptyText("obfuscatedExternalAccountId").flatMap(
      AccountToken.init(obfuscated:))
  }
}
