#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import SystemHTTP

/// Google's formats of purchases and errors.
enum SimulatedGoogleAnswer {
  // MARK: Purchases

  /// `purchases.productsv2`.
  ///
  /// - Parameter others: The additional products of the purchase.
  static func productV2(_ bought: PlayPurchase, _ others: [SimulatedGoogle.Line], buyer: String?) -> JSONObject {
    let first = line(
      bought.productID, bought.quantity, refundable: bought.refundableQuantity, isConsumed: bought.isConsumed,
      offer: bought.transaction.offer?.identifier)
    let rest = others.map { other in
      line(
        other.productID, other.quantity, refundable: refundable(other, of: bought), isConsumed: other.isConsumed)
    }
    var answer: JSONObject = [
      "kind": "androidpublisher#productPurchaseV2", "productLineItem": .array([first] + rest),
      "purchaseStateContext": ["purchaseState": .string(stateWord(of: bought))],
      "testPurchaseContext": ["fopType": "TEST"], "acknowledgementState": acknowledgement(of: bought),
    ]
    if bought.wasPaid { answer["purchaseCompletionTime"] = .string(bought.purchasedAt.description) }
    addOptional(bought, buyer, to: &answer)
    return answer
  }

  private static func line(
    _ product: String, _ quantity: Int64, refundable: Int64, isConsumed: Bool, offer: String? = nil
  ) -> JSONValue {
    let consumption = isConsumed ? "CONSUMPTION_STATE_CONSUMED" : "CONSUMPTION_STATE_YET_TO_BE_CONSUMED"
    var details: JSONObject = [
      "quantity": .integer(quantity), "refundableQuantity": .integer(refundable),
      "consumptionState": .string(consumption),
    ]
    if let offer { details["offerId"] = .string(offer) }
    return ["productId": .string(product), "productOfferDetails": .object(details)]
  }

  /// Returns the refundable quantity; an additional product is refunded only with the whole purchase.
  private static func refundable(_ line: SimulatedGoogle.Line, of bought: PlayPurchase) -> Int64 {
    bought.state == .purchased ? line.quantity : 0
  }

  private static func stateWord(of bought: PlayPurchase) -> String {
    switch bought.state {
    case .pending: "PENDING"
    case .purchased, .expired: "PURCHASED"
    case .canceled: "CANCELLED"
    }
  }

  /// `purchases.products`; the purchase type 0 marks a test purchase.
  ///
  /// - Parameter other: The requested product, if it is an additional product of the purchase.
  static func product(_ bought: PlayPurchase, _ other: SimulatedGoogle.Line?, buyer: String?) -> JSONObject {
    let state: Int64 = bought.state == .pending ? 2 : bought.state == .canceled ? 1 : 0
    var answer: JSONObject = [
      "kind": "androidpublisher#productPurchase",
      "purchaseTimeMillis": .string(String(bought.purchasedAt.milliseconds)), "purchaseState": .integer(state),
      "consumptionState": .integer(other?.isConsumed ?? bought.isConsumed ? 1 : 0), "purchaseType": 0,
      "acknowledgementState": .integer(bought.isAcknowledged ? 1 : 0),
      "refundableQuantity": .integer(other.map { refundable($0, of: bought) } ?? bought.refundableQuantity),
    ]
    // Google omits a quantity of one.
    let quantity = other?.quantity ?? bought.quantity
    if quantity > 1 { answer["quantity"] = .integer(quantity) }
    addOptional(bought, buyer, to: &answer)
    return answer
  }

  /// `purchases.subscriptionsv2`.
  static func subscription(_ bought: PlayPurchase, buyer: String?) -> JSONObject {
    let transaction = bought.transaction
    var line: JSONObject = [
      "productId": .string(bought.productID), "offerDetails": ["basePlanId": "base"],
      "autoRenewingPlan": ["autoRenewEnabled": .bool(bought.isAutoRenewing)],
    ]
    if let order = bought.orderID { line["latestSuccessfulOrderId"] = .string(order) }
    if let end = transaction.revocation?.revokedAt ?? transaction.expiresAt {
      line["expiryTime"] = .string(end.description)
    }
    var answer: JSONObject = [
      "kind": "androidpublisher#subscriptionPurchaseV2",
      "subscriptionState": .string("SUBSCRIPTION_STATE_\(subscriptionState(of: bought))"), "testPurchase": [:],
      "acknowledgementState": acknowledgement(of: bought), "lineItems": [.object(line)],
    ]
    if bought.wasPaid { answer["startTime"] = .string(transaction.originalPurchasedAt.description) }
    if let order = bought.orderID { answer["latestOrderId"] = .string(order) }
    if let region = bought.regionCode { answer["regionCode"] = .string(region) }
    if let buyer { answer["externalAccountIdentifiers"] = ["obfuscatedExternalAccountId": .string(buyer)] }
    return answer
  }

  private static func subscriptionState(of bought: PlayPurchase) -> String {
    switch bought.state {
    case .pending: "PENDING"
    case .purchased: bought.isAutoRenewing ? "ACTIVE" : "CANCELED"
    case .expired: "EXPIRED"
    case .canceled: bought.wasPaid ? "EXPIRED" : "PENDING_PURCHASE_CANCELED"
    }
  }

  private static func acknowledgement(of bought: PlayPurchase) -> JSONValue {
    .string("ACKNOWLEDGEMENT_STATE_" + (bought.isAcknowledged ? "ACKNOWLEDGED" : "PENDING"))
  }

  private static func addOptional(_ bought: PlayPurchase, _ buyer: String?, to answer: inout JSONObject) {
    if let order = bought.orderID { answer["orderId"] = .string(order) }
    if let region = bought.regionCode { answer["regionCode"] = .string(region) }
    if let buyer { answer["obfuscatedExternalAccountId"] = .string(buyer) }
  }

  /// `purchases.voidedpurchases.list`.
  static func voided(_ page: VoidedPage, of play: SimulatedPlayStore, listsSubscriptions: Bool) -> JSONObject {
    let purchases = page.purchases.compactMap { voided -> JSONValue? in
      guard let bought = play.purchase(token: voided.purchaseToken),
        listsSubscriptions || !bought.transaction.productType.isSubscription
      else { return nil }
      var one: JSONObject = [
        "kind": "androidpublisher#voidedPurchase", "purchaseToken": .string(voided.purchaseToken.text),
        "purchaseTimeMillis": .string(String(bought.purchasedAt.milliseconds)),
        "voidedTimeMillis": .string(String(voided.voidedAt.milliseconds)),
        "voidedSource": .integer(voided.source.rawValue), "voidedReason": .integer(voided.reason.rawValue),
      ]
      if let order = voided.orderID { one["orderId"] = .string(order) }
      if voided.isPartial { one["voidedQuantity"] = .integer(voided.voidedQuantity) }
      return .object(one)
    }
    var answer: JSONObject = ["voidedPurchases": .array(purchases)]
    if let next = page.nextToken { answer["tokenPagination"] = ["nextPageToken": .string(next)] }
    return answer
  }

  // MARK: Errors

  /// Google's reasons and messages by HTTP status.
  private static let words: [Int: (reason: String, message: String)] = [
    400: ("invalid", "Invalid Value"),
    401: ("authError", "Request had invalid authentication credentials."),
    403: ("permissionDenied", "The current user has insufficient permissions to perform the requested operation."),
    404: ("purchaseTokenNotFound", "The purchase token was not found."),
    409: ("concurrentUpdate", "The purchase was updated concurrently."),
    410: ("purchaseTokenNoLongerValid", "The purchase token is no longer valid."),
    429: ("rateLimitExceeded", "Quota exceeded."),
    500: ("backendError", "Internal error encountered."),
    503: ("backendError", "The service is currently unavailable."),
  ]

  static func refusal(_ status: Int, _ reason: String? = nil, _ message: String? = nil) -> HTTPResponse {
    let known = words[status] ?? ("backendError", "Internal error encountered.")
    let (reason, message) = (reason ?? known.reason, message ?? known.message)
    return .json(
      status,
      [
        "error": [
          "code": .integer(Int64(status)), "message": .string(message),
          "errors": [
            ["message": .string(message), "domain": "androidpublisher", "reason": .string(reason)]
          ],
        ]
      ])
  }

  static func refusal(_ error: LedgerError) -> HTTPResponse {
    switch error.code {
    case .purchaseNotFound: refusal(404)
    case .invalidRequest, .notAvailable, .alreadyRefunded, .invalidIdentifier: refusal(400)
    default: refusal(500, nil, error.message)
    }
  }
}

extension PlayPurchase {
  /// Whether the buyer was charged, even if the money was refunded later.
  var wasPaid: Bool { state == .purchased || state == .expired || transaction.revocation != nil }
}
#endif
