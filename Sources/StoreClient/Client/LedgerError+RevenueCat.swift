public import GemLedger

extension LedgerError {
  static let revenueCatCodeName = "revenuecat_code"

  /// RevenueCat's numeric code for this failure, such as 1 for a cancelled purchase and 10 for no network.
  public var revenueCatCode: Int {
    if let code = integer(Self.revenueCatCodeName) { return Int(clamping: code) }
    return switch code.kind {
    case .purchaseCancelled: 1
    case .storeError, .purchaseDeclined: Self.storeProblem(text("store_error").flatMap(StoreFailure.init(rawValue:)))
    case .productNotFound, .notAvailable, .offeringNotFound: 5
    case .receiptMalformed, .receiptUnverified, .receiptFutureDated, .bundleMismatch, .environmentNotAllowed,
      .receiptRevoked, .amountMismatch, .validationFailed:
      8
    case .backendUnreachable, .timedOut: 10
    case .unauthenticated: 11
    case .invalidUserID, .invalidIdentifier: 14
    case .purchaseAlreadyInProgress, .inProgress: 15
    case .forbidden: 19
    case .purchasePending, .validationPending: 20
    case .configuration: 23
    case .customerNotFound: 29
    case .inputOutput: 30
    case .unexpected: 0
    // A refusal of the backend for which RevenueCat has no separate code.
    default: 16
    }
  }

  private static func storeProblem(_ failure: StoreFailure?) -> Int {
    switch failure {
    case .networkError: 10
    case .userCancelled: 1
    case .notEntitled, .purchaseNotAllowed: 3
    case .invalidQuantity: 4
    case .notAvailableInStorefront, .productUnavailable: 5
    case .ineligibleForOffer: 18
    case .unsupported: 24
    case .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters: 34
    case .systemError, .unknown, nil: 2
    }
  }

  /// Creates an error of the store's failure; a simulated store has RevenueCat's code for that.
  init(_ failure: StoreFailure, isSimulated: Bool) {
    var details: [Detail] = [.text("store_error", failure.rawValue)]
    let isPlain = failure == .unknown || failure == .systemError
    if isSimulated, isPlain { details.append(.integer(Self.revenueCatCodeName, 42)) }
    self.init(.storeError, failure.message, details: details)
  }
}
