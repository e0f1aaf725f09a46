internal import GemLedger
internal import StoreClient

/// How Google Play's billing client answers, with Google's numbers.
public enum BillingResponseCode: Int64, Error, Hashable, Sendable, CaseIterable {
  /// This Play does not know how.
  case featureNotSupported = -2
  /// The connection to Play is gone.
  case serviceDisconnected = -1
  /// The customer turned back.
  case userCanceled = 1
  /// The service is unreachable.
  case serviceUnavailable = 2
  /// The account may not buy.
  case billingUnavailable = 3
  /// The product is not sold, or not here.
  case itemUnavailable = 4
  /// The app's request makes no sense.
  case developerError = 5
  /// Something failed.
  case error = 6
  /// The account has it already; an owned consumable has to be consumed first.
  case itemAlreadyOwned = 7
  /// The account does not have it, or has it no more.
  case itemNotOwned = 8
  /// The network failed.
  case networkError = 12

  init(_ failure: StoreFailure) {
    switch failure {
    case .networkError: self = .networkError
    case .userCancelled: self = .userCanceled
    case .notAvailableInStorefront, .productUnavailable: self = .itemUnavailable
    case .purchaseNotAllowed, .notEntitled: self = .billingUnavailable
    case .unsupported: self = .featureNotSupported
    case .invalidQuantity, .ineligibleForOffer, .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature,
      .missingOfferParameters:
      self = .developerError
    case .systemError, .unknown: self = .error
    }
  }

  /// The same for a client that knows one kind of store only.
  var failure: StoreFailure {
    switch self {
    case .featureNotSupported: .unsupported
    case .serviceDisconnected, .serviceUnavailable, .networkError: .networkError
    case .userCanceled: .userCancelled
    case .billingUnavailable, .itemAlreadyOwned, .itemNotOwned: .purchaseNotAllowed
    case .itemUnavailable: .productUnavailable
    case .developerError, .error: .systemError
    }
  }
}
