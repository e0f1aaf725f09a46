internal import StoreClient

/// The error of a control of the test environment.
public struct SKTestError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The kind of the error, for programs.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// There is no such configuration file, or it cannot be read.
    case fileNotFound
    /// The transaction, or the API, does not allow this.
    case invalidAction
    /// The store does not sell the product.
    case invalidProductIdentifier
    /// The URL is not that of a file.
    case invalidURL
    /// There is no such subscription.
    case noSubscriptionFound
    /// There is no such transaction.
    case noTransactionFound
  }

  /// The kind of the error, for programs.
  public let code: Code
  /// The problem in a sentence, for people.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The problem in a sentence, for people.
  public var errorDescription: String? { description }

  /// There is no such configuration file, or it cannot be read.
  public static let fileNotFound = Code.fileNotFound
  /// The transaction, or the API, does not allow this.
  public static let invalidAction = Code.invalidAction
  /// The store does not sell the product.
  public static let invalidProductIdentifier = Code.invalidProductIdentifier
  /// The URL is not that of a file.
  public static let invalidURL = Code.invalidURL
  /// There is no such subscription.
  public static let noSubscriptionFound = Code.noSubscriptionFound
  /// There is no such transaction.
  public static let noTransactionFound = Code.noTransactionFound
}

extension SKTestError.Code {
  /// Whether an error has the code, for `catch SKTestError.noTransactionFound`.
  public static func ~= (code: SKTestError.Code, error: any Error) -> Bool {
    (error as? SKTestError)?.code == code
  }
}

/// The name space of the error codes of StoreKit's first version; a purchase here throws ``StoreKitError`` or
/// ``Product/PurchaseError``.
public enum SKError {
  /// A code for ``SKTestSession/failureError``, with StoreKit's numbers.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// `StoreKitError.unknown`.
    case unknown = 0
    /// `Product.PurchaseError.invalidOfferIdentifier`.
    case invalidOfferIdentifier = 11
    /// `Product.PurchaseError.invalidOfferSignature`.
    case invalidSignature = 12
    /// `Product.PurchaseError.missingOfferParameters`.
    case missingOfferParams = 13
    /// `Product.PurchaseError.invalidOfferPrice`.
    case invalidOfferPrice = 14
  }
}

extension SKError.Code {
  init(_ failure: StoreFailure) {
    self = Self.allCases.first { $0.storeFailure == failure } ?? .unknown
  }

  var storeFailure: StoreFailure {
    switch self {
    case .unknown: .unknown
    case .invalidOfferIdentifier: .invalidOfferIdentifier
    case .invalidSignature: .invalidOfferSignature
    case .missingOfferParams: .missingOfferParameters
    case .invalidOfferPrice: .invalidOfferPrice
    }
  }
}
