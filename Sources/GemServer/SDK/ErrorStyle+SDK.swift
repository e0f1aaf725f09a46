#if Server
internal import GemLedger
internal import SystemHTTP

extension ErrorStyle {
  /// Writes RevenueCat's number and message, and beside them the error with its facts.
  static func sdk(_ error: LedgerError, requestID: String, status: Int) -> HTTPResponse {
    let isTemporary = [423, 429, 500, 503].contains(status) || error.code == .validationPending
    let isRetryable = isTemporary && error.code != .storageDamaged
    var document = publicError(error)
    document["request_id"] = .string(requestID)
    let body: JSONValue = [
      "code": .integer(error.code.numberOfV1), "message": .string(publicMessage(error)), "error": .object(document),
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
    "root", "service_account", "app_id", "environment", "bundle", "app_store_key", "test_receipts",
  ]

  /// Whether the evidence may be good, and this server cannot say so as it is configured.
  var awaitsConfiguration: Bool {
    switch code {
    case .configuration, .bundleMismatch, .environmentNotAllowed: true
    case .receiptUnverified: Self.mendableChecks.contains(text("check") ?? "")
    default: false
    }
  }

  /// The status that tells an SDK whether to keep a purchase: 4xx alone for what can never be credited.
  var statusOfPurchase: Int {
    let status = code.kind.row.httpStatus
    switch code {
    case .receiptMalformed, .receiptUnverified: return awaitsConfiguration ? 503 : status
    case .receiptRevoked, .invalidRequest, .orderNotFound: return status
    default: return status >= 500 ? status : 503
    }
  }
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
