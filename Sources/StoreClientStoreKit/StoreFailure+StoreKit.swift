internal import StoreClient

#if canImport(StoreKit)
internal import StoreKit
internal import struct StoreKit.Product
#else
internal import SimulatedStoreKit
internal import struct SimulatedStoreKit.Product
#endif

extension StoreFailure {
  /// Creates the reason in a StoreKit error; a cancelled task counts as a system error.
  init(_ error: any Error) {
    switch error {
    case let error as StoreKitError: self.init(error)
    case let error as Product.PurchaseError: self.init(error)
    case is CancellationError: self = .systemError
    default: self = .unknown
    }
  }

  private init(_ error: StoreKitError) {
    switch error {
    case .unknown: self = .unknown
    case .userCancelled: self = .userCancelled
    case .networkError: self = .networkError
    case .systemError: self = .systemError
    case .notAvailableInStorefront: self = .notAvailableInStorefront
    case .notEntitled: self = .notEntitled
    case .unsupported: self = .unsupported
    @unknown default: self = .unknown
    }
  }

  private init(_ error: Product.PurchaseError) {
    switch error {
    case .invalidQuantity: self = .invalidQuantity
    case .productUnavailable: self = .productUnavailable
    case .purchaseNotAllowed: self = .purchaseNotAllowed
    case .ineligibleForOffer: self = .ineligibleForOffer
    case .invalidOfferIdentifier: self = .invalidOfferIdentifier
    case .invalidOfferPrice: self = .invalidOfferPrice
    case .invalidOfferSignature: self = .invalidOfferSignature
    case .missingOfferParameters: self = .missingOfferParameters
    @unknown default: self = .unknown
    }
  }
}
