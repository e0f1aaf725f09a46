internal import StoreClient

/// The error of a StoreKit call that is not about the product or its offers.
@nonexhaustive
public enum StoreKitError: Error {
  /// StoreKit gives no reason.
  case unknown
  /// The customer cancelled; ``Product/PurchaseResult/userCancelled`` reports this as a result.
  case userCancelled
  /// The store could not be reached, or its answer was lost.
  case networkError(URLError)
  /// The system failed.
  case systemError(any Error)
  /// The product is not sold in this country.
  case notAvailableInStorefront
  /// The app is not entitled to the call.
  case notEntitled
  /// The store does not support the call.
  case unsupported
}

extension StoreKitError: LocalizedError {
  /// A sentence for people.
  public var errorDescription: String? {
    switch self {
    case .unknown: "The App Store could not complete the request. Try again later."
    case .userCancelled: "The customer cancelled."
    case .networkError: "The App Store cannot be reached. Check the connection and try again."
    case .systemError: "The device could not complete the request to the App Store. Try again later."
    case .notAvailableInStorefront: "The product is not available in this storefront."
    case .notEntitled: "The app is not entitled to ask the App Store."
    case .unsupported: "The App Store does not support this."
    }
  }
}

extension StoreKitError: Hashable {
  /// Compares the cases; network errors are equal if their codes are.
  public static func == (left: StoreKitError, right: StoreKitError) -> Bool {
    if case .networkError(let left) = left, case .networkError(let right) = right { return left.code == right.code }
    return left.storeFailure == right.storeFailure
  }

  /// Hashes the case.
  public func hash(into hasher: inout Hasher) { hasher.combine(storeFailure) }
}

extension StoreKitError {
  var storeFailure: StoreFailure {
    switch self {
    case .unknown: .unknown
    case .userCancelled: .userCancelled
    case .networkError: .networkError
    case .systemError: .systemError
    case .notAvailableInStorefront: .notAvailableInStorefront
    case .notEntitled: .notEntitled
    case .unsupported: .unsupported
    }
  }
}

extension StoreFailure {
  /// The error as StoreKit throws it.
  var storeKitError: any Error {
    switch self {
    case .networkError: StoreKitError.networkError(URLError(.notConnectedToInternet))
    case .systemError: StoreKitError.systemError(self)
    case .userCancelled: StoreKitError.userCancelled
    case .notAvailableInStorefront: StoreKitError.notAvailableInStorefront
    case .notEntitled: StoreKitError.notEntitled
    case .unknown: StoreKitError.unknown
    case .unsupported: StoreKitError.unsupported
    case .invalidQuantity: Product.PurchaseError.invalidQuantity
    case .productUnavailable: Product.PurchaseError.productUnavailable
    case .purchaseNotAllowed: Product.PurchaseError.purchaseNotAllowed
    case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
    case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
    case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
    case .invalidOfferSignature: Product.PurchaseError.invalidOfferSignature
    case .missingOfferParameters: Product.PurchaseError.missingOfferParameters
    }
  }
}
