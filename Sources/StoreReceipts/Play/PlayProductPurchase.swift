public import GemLedger
public import StoreBackend

/// A purchase as Google's server states it: `purchases.productsv2`, `products` or `subscriptionsv2`.
///
/// It is not signed: it is as trustworthy as the connection to Google over which the app's backend fetched it. Grant,
/// then consume or acknowledge: Google refunds purchases without an acknowledgement three days after the payment.
public struct PlayProductPurchase: Hashable, Sendable {
  /// The number of days after the payment within which a purchase must be acknowledged or consumed.
  public static let acknowledgementDays: Int64 = 3

  /// The identity of the requested purchase, which the answer need not repeat.
  public struct Request: Hashable, Sendable {
    /// The app.
    public var packageName: String
    /// The purchase token.
    public var token: StoreTransactionID
    /// The product, for `purchases.products`; the newer formats name it.
    public var productID: String?
    /// When the answer arrived; of two answers about one purchase, the newer is valid.
    public var fetchedAt: Timestamp

    /// A request.
    public init(packageName: String, token: StoreTransactionID, productID: String? = nil, fetchedAt: Timestamp) {
      self.packageName = packageName
      self.token = token
      self.productID = productID
      self.fetchedAt = fetchedAt
    }
  }

  /// One of the bought products.
  public struct Line: Hashable, Sendable {
    /// The purchase of this product; if unpaid, with the answer's date and without a refund.
    public internal(set) var transaction: StoreTransaction
    /// Whether it was consumed, so that it can be bought again.
    public let isConsumed: Bool
  }

  /// The purchase token.
  package let token: StoreTransactionID
  /// The token of the purchase that this one replaced, after a change of a subscription's plan.
  package let replacedToken: StoreTransactionID?
  /// The bought products, at least one.
  public private(set) var lines: [Line]
  /// Whether it was paid for, even if the purchase was cancelled later.
  public let isPaid: Bool
  /// Whether it is cancelled: by a refund, or before the payment.
  public let isCancelled: Bool
  /// Whether the purchase is acknowledged; consuming a product also acknowledges it.
  public let isAcknowledged: Bool
  /// Whether it is a subscription.
  public let isSubscription: Bool
  /// The deadline of the acknowledgement or consumption; nil after either, and before the payment.
  public let acknowledgeBy: Timestamp?
  /// All claims, as Google wrote them.
  public let claims: SignedClaims
  /// Whether its lines are only the named products, so that the token may have paid for others too.
  package private(set) var isOfNamedProducts = false

  /// The purchases for the ledger, one per product; empty before the payment.
  public var transactions: [StoreTransaction] { isPaid ? lines.map(\.transaction) : [] }
  /// The purchases that are not paid for; empty after the payment.
  public var unpaid: [StoreTransaction] { isPaid ? [] : lines.map(\.transaction) }

  /// Reads an answer in any of the three formats.
  ///
  /// A tester's purchase counts as a sandbox purchase.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, check `payload`.
  public init(json: [UInt8], for request: Request) throws(LedgerError) {
    let fields = try ReceiptFields(json)
    let parts: PlayParts =
      if fields["subscriptionState"].value != nil {
        try PlayParts(subscription: fields, request)
      } else if fields["productLineItem"].value != nil {
        try PlayParts(v2: fields)
      } else {
        try PlayParts(v1: fields, request)
      }
    claims = SignedClaims(fields)
    (token, replacedToken) = (request.token, parts.replacedToken)
    isCancelled = parts.state == .canceled
    isSubscription = parts.isSubscription
    let paidAt = parts.state == .pending ? nil : parts.paidAt
    isPaid = paidAt != nil
    lines = parts.lines.map { line in
      var transaction = parts.transaction(of: line, request, paidAt: paidAt ?? request.fetchedAt)
      if paidAt == nil { transaction.revocation = nil }
      return Line(transaction: transaction, isConsumed: line.isConsumed)
    }
    isAcknowledged = parts.isAcknowledged || parts.lines.contains(where: \.isConsumed)
    let deadline = paidAt?.advanced(milliseconds: Self.acknowledgementDays * 86_400_000)
    acknowledgeBy = isAcknowledged || parts.state != .purchased ? nil : deadline
  }

  /// Joins the answers of `purchases.products` for several products of one purchase token.
  ///
  /// - Parameter answers: At least one; the common facts are taken from the first answer.
  package init(joining answers: [Self]) {
    self = answers[0]
    lines = answers.flatMap(\.lines)
    isOfNamedProducts = true
    for place in lines.indices { lines[place].transaction.isLineItem = lines.count > 1 }
  }

  /// Returns the purchase with other identities for its products.
  package func identified(
    by identify: (inout StoreTransaction) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Self {
    var found = self
    for place in lines.indices { try identify(&found.lines[place].transaction) }
    return found
  }
}

/// The content of all three formats, with common names.
struct PlayParts {
  enum State: Sendable {
    case purchased
    case canceled
    case pending
  }

  /// One of the bought products.
  struct Line {
    var productID: String
    /// The base plan of a subscription.
    var planID: String?
    var productType = ProductType.consumable
    /// A subscription's last paid order, if it is not the purchase's.
    var orderID: String?
    var quantity: Int64 = 1
    var refundableQuantity: Int64?
    var isConsumed = false
    var offer: StoreTransaction.Offer?
    var expiresAt: Timestamp?
  }

  var state = State.purchased
  var isTest: Bool
  var isSubscription = false
  var orderID: String?
  var isAcknowledged = false
  /// When the purchase was first paid for.
  var paidAt: Timestamp?
  var regionCode: String?
  var accountToken: AccountToken?
  /// The token of the purchase that this one replaced.
  var replacedToken: StoreTransactionID?
  /// At least one; each has a different product.
  var lines: [Line] = []

  func transaction(
    of line: Line, _ request: PlayProductPurchase.Request, paidAt: Timestamp
  ) -> StoreTransaction {
    let order = line.orderID ?? orderID
    // Google adds the number of the renewal after two dots.
    let isRenewal = isSubscription && order?.contains("..") == true
    return StoreTransaction(
      store: .google, environment: isTest ? .sandbox : .production, id: request.token, orderID: order,
      bundleID: request.packageName,
      storeProductID: [line.productID, line.planID].compactMap(\.self).joined(separator: ":"),
      productType: line.productType,
      subscriptionGroupID: isSubscription ? line.productID : nil, quantity: line.quantity,
      storefront: regionCode.flatMap(StorefrontCode.init(exactly:)), accountToken: accountToken,
      purchasedAt: isRenewal ? renewedAt(line, request, since: paidAt) : paidAt, originalPurchasedAt: paidAt,
      expiresAt: line.expiresAt, revocation: revocation(of: line, at: request.fetchedAt),
      reason: isRenewal ? .renewal : .purchase, offer: line.offer, isLineItem: lines.count > 1,
      signedAt: request.fetchedAt)
  }

  /// Returns the answer's date or, if earlier, the end of the period: the answer has no date of the renewal.
  private func renewedAt(_ line: Line, _ request: PlayProductPurchase.Request, since start: Timestamp) -> Timestamp {
    max(start, min(request.fetchedAt, line.expiresAt ?? request.fetchedAt))
  }

  /// Returns the refunded units; the answer has no date of the refund, so the answer's date is used.
  private func revocation(of line: Line, at instant: Timestamp) -> StoreTransaction.Revocation? {
    if state == .canceled { return StoreTransaction.Revocation(revokedAt: instant) }
    guard let left = line.refundableQuantity, left < line.quantity else { return nil }
    return StoreTransaction.Revocation(
      revokedAt: instant, extent: left <= 0 ? .full : .totalQuantity(line.quantity - left))
  }

  /// Merges the lines of one product: its token and id are its identity.
  private static func merged(_ lines: [Line]) -> [Line] {
    lines.reduce(into: []) { merged, line in
      guard let place = merged.firstIndex(where: { $0.productID.utf8.elementsEqual(line.productID.utf8) }) else {
        merged.append(line)
        return
      }
      let left = (merged[place].refundableQuantity ?? merged[place].quantity)
        .addingReportingOverflow(line.refundableQuantity ?? line.quantity).partialValue
      merged[place].refundableQuantity = left
      merged[place].quantity = merged[place].quantity.addingReportingOverflow(line.quantity).partialValue
      merged[place].isConsumed = merged[place].isConsumed && line.isConsumed
    }
  }
}

extension PlayParts {
  /// Reads `purchases.products`: numbers for words.
  init(v1 fields: ReceiptFields, _ request: PlayProductPurchase.Request) throws(LedgerError) {
    let type = try fields["purchaseType"].optional?.integer(in: 0...Int64.max)
    isTest = type == 0
    guard let product = try fields["productId"].nonEmpty?.shortText() ?? request.productID else {
      throw ReceiptFields.malformed("productId is missing")
    }
    var line = Line(productID: product)
    if type == 1 { line.offer = StoreTransaction.Offer(kind: .code) }
    switch try fields["purchaseState"].optional?.integer(in: 0...Int64.max) ?? 0 {
    case 0: state = .purchased
    case 1: state = .canceled
    case 2: state = .pending
    case let number: throw ReceiptFields.malformed("purchaseState is \(number), which is unknown")
    }
    orderID = try fields["orderId"].nonEmpty?.shortText()
    line.quantity = try fields["quantity"].optional?.integer(in: 1...Int64.max) ?? 1
    line.refundableQuantity = try fields["refundableQuantity"].optional?.integer(in: 0...Int64.max)
    line.isConsumed = try fields["consumptionState"].optional?.integer(in: 0...Int64.max) == 1
    isAcknowledged = try fields["acknowledgementState"].optional?.integer(in: 0...Int64.max) == 1
    paidAt = try fields["purchaseTimeMillis"].optional?.timeText()
    if paidAt == nil { throw ReceiptFields.malformed("purchaseTimeMillis is missing") }
    regionCode = try fields["regionCode"].nonEmpty?.shortText()
    accountToken = try fields.buyer()
    lines = [line]
  }

  /// Reads `purchases.productsv2`: words, and a list of products.
  init(v2 fields: ReceiptFields) throws(LedgerError) {
    isTest = try fields["testPurchaseContext"].optional?.object() != nil
    let states: [(String, State)] = [("PURCHASED", .purchased), ("CANCELLED", .canceled), ("PENDING", .pending)]
    guard let context = try fields["purchaseStateContext"].optional?.object() else {
      throw ReceiptFields.malformed("purchaseStateContext is missing")
    }
    state = try context["purchaseState"].word(states)
    orderID = try fields["orderId"].nonEmpty?.shortText()
    isAcknowledged = fields.isAcknowledged
    paidAt = (try fields["purchaseCompletionTime"].optional?.shortText()).flatMap { Timestamp($0) }
    guard paidAt != nil || state != .purchased else {
      throw ReceiptFields.malformed("purchaseCompletionTime is missing or invalid")
    }
    regionCode = try fields["regionCode"].nonEmpty?.shortText()
    accountToken = try fields.buyer()
    lines = Self.merged(
      try fields["productLineItem"].items().map { (item) throws(LedgerError) in
        var line = Line(productID: try item["productId"].name())
        guard let details = try item["productOfferDetails"].optional?.object() else { return line }
        line.offer = (try details["offerId"].nonEmpty?.shortText()).map {
          StoreTransaction.Offer(kind: nil, identifier: $0)
        }
        line.quantity = try details["quantity"].optional?.integer(in: 1...Int64.max) ?? 1
        line.refundableQuantity = try details["refundableQuantity"].optional?.integer(in: 0...Int64.max)
        line.isConsumed = details["consumptionState"].value?.text == "CONSUMPTION_STATE_CONSUMED"
        return line
      })
  }

  /// Reads `purchases.subscriptionsv2`: the last paid order and the end of the period, per product.
  ///
  /// The states after the payment do not affect the credit: the right ends with the period.
  init(subscription fields: ReceiptFields, _ request: PlayProductPurchase.Request) throws(LedgerError) {
    isSubscription = true
    isTest = try fields["testPurchase"].optional?.object() != nil
    switch try fields["subscriptionState"].shortText() {
    case "SUBSCRIPTION_STATE_PENDING": state = .pending
    case "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED": state = .canceled
    default: state = .purchased
    }
    orderID = try fields["latestOrderId"].nonEmpty?.shortText()
    isAcknowledged = fields.isAcknowledged
    if state == .purchased {
      paidAt = (try fields["startTime"].optional?.shortText()).flatMap { Timestamp($0) }
      if paidAt == nil { throw ReceiptFields.malformed("startTime is missing or invalid") }
    }
    regionCode = try fields["regionCode"].nonEmpty?.shortText()
    accountToken = try fields["externalAccountIdentifiers"].optional?.buyer()
    lines = Self.merged(
      try fields["lineItems"].items().map { (item) throws(LedgerError) in
        var line = Line(productID: try item["productId"].name(), productType: .autoRenewableSubscription)
        if try item["prepaidPlan"].optional?.object() != nil { line.productType = .nonRenewingSubscription }
        line.orderID = try item["latestSuccessfulOrderId"].nonEmpty?.shortText()
        line.expiresAt = (try item["expiryTime"].optional?.shortText()).flatMap { Timestamp($0) }
        let offer = try item["offerDetails"].optional?.object()
        line.planID = try offer?["basePlanId"].nonEmpty?.shortText()
        line.offer = (try offer?["offerId"].nonEmpty?.shortText()).map {
          StoreTransaction.Offer(kind: nil, identifier: $0)
        }
        return line
      })
    // A product without an order beside products with one is not owned yet: its plan begins with the next renewal.
    if lines.contains(where: { $0.orderID != nil }) { lines.removeAll { $0.orderID == nil } }
    replacedToken = (try fields["linkedPurchaseToken"].nonEmpty?.shortText()).flatMap { try? StoreTransactionID($0) }
    guard state != .purchased || lines.allSatisfy({ ($0.orderID ?? orderID) != nil }) else {
      throw ReceiptFields.malformed("latestOrderId is missing")
    }
  }
}

extension ReceiptFields {
  fileprivate var isAcknowledged: Bool {
    self["acknowledgementState"].value?.text == "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"
  }

  fileprivate func buyer() throws(LedgerError) -> AccountToken? {
    (try self["obfuscatedExternalAccountId"].nonEmpty?.shortText()).flatMap(AccountToken.init(obfuscated:))
  }

  /// The elements of a list of products that has at least one.
  fileprivate func items() throws(LedgerError) -> [Self] {
    let items = try elements()
    guard !items.isEmpty else { throw refused(expected: "a list of products", found: "empty") }
    return items
  }
}
