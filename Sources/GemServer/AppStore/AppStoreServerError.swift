#if Server
internal import GemLedger
internal import SystemHTTP

/// An error response of the App Store Server API.
struct AppStoreServerError: Error, Hashable, Sendable {
  /// Apple's numbers for errors that may be temporary.
  private static let retryableCodes: Set<Int64> = [4_040_002, 4_040_004, 4_040_006, 5_000_001, 4_290_000]

  let status: Int
  /// Apple's number; nil if the body has none, as with 401.
  let code: Int64?

  init(status: Int, code: Int64?) {
    self.status = status
    self.code = code
  }

  init(_ reply: HTTPReply) {
    self.init(status: reply.status, code: reply.json?["errorCode"]?.integer)
  }

  /// Whether the same request may succeed later.
  var isRetryable: Bool {
    code.map(Self.retryableCodes.contains) ?? false || status == 429 || !(400..<500).contains(status)
  }

  /// Whether the other environment may know the transaction.
  ///
  /// Production answers 401 without a body to ids of the sandbox, and until the app has a release.
  var mayBeOfOtherEnvironment: Bool { !isRetryable && (status == 401 || status == 404) }

  /// The error for callers: `purchase_not_found` if the App Store does not know the transaction, otherwise
  /// `backend_unreachable`.
  var ledgerError: LedgerError {
    let number = code.map { ", error \($0)" } ?? ""
    let details: [LedgerError.Detail] = code.map { [.integer("store_error", $0)] } ?? []
    if status == 401 {
      return LedgerError(
        .backendUnreachable,
        "The App Store does not take this server's key (status 401). Check the in-app purchase key, its id, the issuer "
          + "id and the catalog's bundle_id.", details: [.text("check", "app_store_key")])
    }
    guard isRetryable else {
      return LedgerError(
        .purchaseNotFound,
        "The App Store knows no such purchase of the app yet: status \(status)\(number). It is asked again.",
        details: details)
    }
    return LedgerError(
      .backendUnreachable, "The App Store does not answer as it should: status \(status)\(number). It is asked again.",
      details: details)
  }
}
#endif
