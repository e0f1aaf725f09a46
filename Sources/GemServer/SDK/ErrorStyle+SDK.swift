#if Server
internal import GemLedger
internal import SystemHTTP

extension ErrorStyle {
  /// Writes RevenueCat's number and message, and beside them the error with its facts.
  ///
  /// - Parameter number: Another number than that of the error's code.
  static func sdk(_ error: LedgerError, requestID: String, status: Int, number: Int64?) -> HTTPResponse {
    let isTemporary = [423, 429, 500, 503].contains(status) || error.code == .validationPending
    let isRetryable = isTemporary && error.code != .storageDamaged
    var document = publicError(error)
    document["request_id"] = .string(requestID)
    let body: JSONValue = [
      "code": .integer(number ?? error.code.numberOfV1), "message": .string(publicMessage(error)),
      "error": .object(document),
    ]
    var response = HTTPResponse.json(status, body)
    // What the code alone does not call temporary takes somebody to mend it.
    let pause: Int64 = error.code.kind.row.httpStatus == status ? 1 : 60
    let seconds = error.integer("retry_after") ?? (isRetryable ? pause : nil)
    if let seconds { response.headers.append(("Retry-After", String(seconds))) }
    // RevenueCat's SDKs repeat a post unless they are told that it is no use.
    response.headers.append(("Is-Retryable", String(isRetryable)))
    return response
  }

  /// The error's own form, without what only the log may say.
  private static func publicError(_ error: LedgerError) -> JSONObject {
    var document = error.wire.object ?? [:]
    document["message"] = .string(publicMessage(error))
    guard error.code.kind.row.httpStatus < 500 else {
      document["details"] = [:]
      return document
    }
    // The request has one name in the log, and it is the server's.
    if var details = document["details"]?.object {
      details["request_id"] = nil
      document["details"] = .object(details)
    }
    return document
  }
}

extension LedgerError {
  /// The checks of a receipt that another configuration of the server passes, behind a signature that holds.
  private static let mendableChecks = [
    "root", "service_account", "line_items", "app_id", "environment", "bundle", "app_store_key", "test_receipts",
  ]
  /// The checks that evidence fails only if somebody else than the store made or changed it.
  private static let checksOfForgery = ["algorithm", "certificates", "chain", "markers", "signature"]

  /// Whether the evidence may be good, and this server cannot say so as it is configured.
  var awaitsConfiguration: Bool {
    switch code {
    case .configuration, .bundleMismatch, .environmentNotAllowed: true
    case .receiptUnverified: Self.mendableChecks.contains(text("check") ?? "")
    default: false
    }
  }

  /// Whether another version of this server, or another root, may read the evidence.
  ///
  /// A form that is not known may be a newer one, and a chain of certificates is measured by the configured root alone.
  var isUnreadableHere: Bool {
    code == .receiptMalformed || code == .receiptUnverified && text("check") == "chain"
  }

  /// Whether the evidence is proven to be worth nothing: the store did not make it so, or took the purchase back.
  var isProofOfNothing: Bool {
    switch code {
    case .receiptRevoked: true
    case .receiptUnverified: Self.checksOfForgery.contains(text("check") ?? "")
    default: false
    }
  }

  /// The status that tells an SDK whether to keep a purchase: it gives up what is answered 400 to 499.
  var statusOfPurchase: Int {
    if isProofOfNothing { return 400 }
    let status = code.kind.row.httpStatus
    return status >= 500 ? status : 503
  }

  /// RevenueCat's number where its own number for the code would make an SDK do the wrong thing.
  ///
  /// The Android SDK acknowledges what is refused, but for "product ids malformed".
  func numberOfPurchase(onPlatform platform: String?) -> Int64? {
    isProofOfNothing && platform?.lowercased() == "android" ? Self.leftAloneOnAndroid : nil
  }

  private static let leftAloneOnAndroid: Int64 = 7662
}

extension LedgerError.Code {
  /// RevenueCat's number for such a failure, as its SDKs read it.
  fileprivate var numberOfV1: Int64 {
    switch kind {
    case .storeError, .purchaseCancelled, .purchasePending, .purchaseDeclined: 7101
    case .receiptMalformed, .receiptUnverified, .receiptFutureDated, .bundleMismatch, .environmentNotAllowed,
      .receiptRevoked, .amountMismatch, .validationFailed:
      7103
    case .forbidden: 7224
    case .unauthenticated: 7225
    case .invalidUserID, .invalidIdentifier: 7220
    case .inProgress, .purchaseAlreadyInProgress, .validationPending: 7638
    case .configuration: 7255
    default: kind.row.httpStatus >= 500 ? 7110 : 7226
    }
  }
}
#endif
