#if Server
internal import GemLedger
internal import SystemHTTP

extension ErrorStyle {
  /// Writes RevenueCat's number and message, and the error with its facts.
  ///
  /// - Parameter number: A number that replaces the number of the error's code.
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
    // An error that is temporary only here needs an operator, so clients retry less often.
    let pause: Int64 = error.code.kind.row.httpStatus == status ? 1 : 60
    let seconds = error.integer("retry_after") ?? (isRetryable ? pause : nil)
    if let seconds { response.headers.append(("Retry-After", String(seconds))) }
    // RevenueCat's SDKs repeat a post unless this header forbids it.
    response.headers.append(("Is-Retryable", String(isRetryable)))
    return response
  }

  /// Returns the error's form without details that are for the log only.
  private static func publicError(_ error: LedgerError) -> JSONObject {
    var document = error.wire.object ?? [:]
    document["message"] = .string(publicMessage(error))
    guard error.code.kind.row.httpStatus < 500 else {
      document["details"] = [:]
      return document
    }
    // The public request id is the server's.
    if var details = document["details"]?.object {
      details["request_id"] = nil
      document["details"] = .object(details)
    }
    return document
  }
}

extension LedgerError {
  /// The checks of a receipt with a valid signature that may pass with another configuration of the server.
  private static let mendableChecks = [
    "root", "service_account", "line_items", "app_id", "environment", "bundle", "app_store_key", "test_receipts",
  ]
  /// The checks that fail only if the evidence was not made by the store, or was changed.
  private static let checksOfForgery = ["algorithm", "certificates", "chain", "markers", "signature"]

  /// Whether the evidence may be valid, but this server's configuration cannot verify it.
  var awaitsConfiguration: Bool {
    switch code {
    case .configuration, .bundleMismatch, .environmentNotAllowed: true
    case .receiptUnverified: Self.mendableChecks.contains(text("check") ?? "")
    default: false
    }
  }

  /// Whether another version of this server, or another root certificate, may verify the evidence.
  ///
  /// An unknown format may be a newer format, and a certificate chain is checked against the configured root only.
  var isUnreadableHere: Bool {
    code == .receiptMalformed || code == .receiptUnverified && text("check") == "chain"
  }

  /// Whether the evidence is proven worthless: the store did not make it, or revoked the purchase.
  var isProofOfNothing: Bool {
    switch code {
    case .receiptRevoked: true
    case .receiptUnverified: Self.checksOfForgery.contains(text("check") ?? "")
    default: false
    }
  }

  /// The status from which an SDK decides whether to keep a purchase: after 400 to 499 it drops the purchase.
  var statusOfPurchase: Int {
    if isProofOfNothing { return 400 }
    let status = code.kind.row.httpStatus
    return status >= 500 ? status : 503
  }

  /// RevenueCat's number to send if the number of the code would make an SDK misbehave.
  ///
  /// The Android SDK acknowledges refused purchases, except for "product ids malformed".
  func numberOfPurchase(onPlatform platform: String?) -> Int64? {
    isProofOfNothing && platform?.lowercased() == "android" ? Self.leftAloneOnAndroid : nil
  }

  private static let leftAloneOnAndroid: Int64 = 7662
}

extension LedgerError.Code {
  /// RevenueCat's number for the failure, as its SDKs interpret it.
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
