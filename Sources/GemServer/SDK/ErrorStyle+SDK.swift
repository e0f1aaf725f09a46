#if Server
internal import GemLedger
internal import SystemHTTP

extension ErrorStyle {
  /// Writes RevenueCat's number and message, and beside them the error with its facts.
  static func sdk(_ error: LedgerError, requestID: String) -> HTTPResponse {
    let row = error.code.kind.row
    let isTemporary = [423, 429, 500, 503].contains(row.httpStatus) || error.code == .validationPending
    let isRetryable = isTemporary && error.code != .storageDamaged
    var document = publicError(error)
    document["request_id"] = .string(requestID)
    let body: JSONValue = [
      "code": .integer(error.code.numberOfV1), "message": .string(publicMessage(error)), "error": .object(document),
    ]
    var response = HTTPResponse.json(row.httpStatus, body)
    if let seconds = error.integer("retry_after") { response.headers.append(("Retry-After", String(seconds))) }
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
