public import GemLedger

/// RevenueCat's codes by their names, for `catch` and `switch`.
///
/// ```swift
/// do { … } catch ErrorCode.purchaseCancelledError { … } catch ErrorCode.networkError { … }
/// ```
///
/// Codes are never thrown: the error is a `LedgerError`, and `LedgerError.errorCode` returns its code.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
  /// RevenueCat's number.
  public let rawValue: Int

  /// The code with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
}

extension ErrorCode {
  /// 0: the cause is unknown.
  public static let unknownError = Self(rawValue: 0)
  /// 1: the customer cancelled.
  public static let purchaseCancelledError = Self(rawValue: 1)
  /// 2: the store failed.
  public static let storeProblemError = Self(rawValue: 2)
  /// 3: this device or account may not buy.
  public static let purchaseNotAllowedError = Self(rawValue: 3)
  /// 4: the store does not accept the request.
  public static let purchaseInvalidError = Self(rawValue: 4)
  /// 5: the product is not on sale.
  public static let productNotAvailableForPurchaseError = Self(rawValue: 5)
  /// 6: the product is owned already.
  public static let productAlreadyPurchasedError = Self(rawValue: 6)
  /// 7: another customer has the receipt.
  public static let receiptAlreadyInUseError = Self(rawValue: 7)
  /// 8: the receipt was refused.
  public static let invalidReceiptError = Self(rawValue: 8)
  /// 9: there is no receipt.
  public static let missingReceiptFileError = Self(rawValue: 9)
  /// 10: the network failed.
  public static let networkError = Self(rawValue: 10)
  /// 11: the key is not accepted.
  public static let invalidCredentialsError = Self(rawValue: 11)
  /// 12: the answer cannot be read.
  public static let unexpectedBackendResponseError = Self(rawValue: 12)
  /// 13: another subscriber has the receipt.
  public static let receiptInUseByOtherSubscriberError = Self(rawValue: 13)
  /// 14: the app user id is invalid.
  public static let invalidAppUserIdError = Self(rawValue: 14)
  /// 15: another purchase is in progress.
  public static let operationAlreadyInProgressForProductError = Self(rawValue: 15)
  /// 16: the backend refused for a reason without a separate code.
  public static let unknownBackendError = Self(rawValue: 16)
  /// 18: the account may not have the offer.
  public static let ineligibleError = Self(rawValue: 18)
  /// 19: this client may not do that.
  public static let insufficientPermissionsError = Self(rawValue: 19)
  /// 20: the payment waits for an approval.
  public static let paymentPendingError = Self(rawValue: 20)
  /// 22: an anonymous customer cannot sign out.
  public static let logOutAnonymousUserError = Self(rawValue: 22)
  /// 23: the client is configured incorrectly.
  public static let configurationError = Self(rawValue: 23)
  /// 24: the store cannot do that.
  public static let unsupportedError = Self(rawValue: 24)
  /// 29: the customer's state is unknown.
  public static let customerInfoError = Self(rawValue: 29)
  /// 30: the device failed.
  public static let systemInfoError = Self(rawValue: 30)
  /// 32: the store took too long to list the products.
  public static let productRequestTimedOut = Self(rawValue: 32)
  /// 34: the store's offer is invalid.
  public static let invalidPromotionalOfferError = Self(rawValue: 34)
  /// 35: there is no connection.
  public static let offlineConnectionError = Self(rawValue: 35)
  /// 42: a simulated store failed on command.
  public static let testStoreSimulatedPurchaseError = Self(rawValue: 42)
}

extension LedgerError {
  /// RevenueCat's code for this failure.
  public var errorCode: ErrorCode { ErrorCode(rawValue: revenueCatCode) }

  /// The kind of failure, as in AppActor's SDK.
  public var kind: BillingErrorKind {
    switch errorCode {
    case .operationAlreadyInProgressForProductError: .purchaseAlreadyInProgress
    case .productNotAvailableForPurchaseError, .purchaseInvalidError, .invalidAppUserIdError: .validation
    case .networkError, .offlineConnectionError: .network
    case .storeProblemError, .purchaseNotAllowedError, .ineligibleError, .unsupportedError,
      .invalidPromotionalOfferError, .purchaseCancelledError, .testStoreSimulatedPurchaseError:
      .store
    case .configurationError, .logOutAnonymousUserError: .configuration
    default: isOfTheRequest ? .validation : .server
    }
  }

  /// Whether the request is malformed for every receiver.
  private var isOfTheRequest: Bool {
    [.invalidRequest, .amountOutOfRange, .limitExceeded, .unknownCurrency, .itemNotFound].contains(code)
  }
}

/// The kind of a failed call, which indicates its cause.
public struct BillingErrorKind: RawRepresentable, Hashable, Sendable {
  /// The kind's name.
  public let rawValue: String

  /// The kind with this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Another purchase has not ended yet.
  public static let purchaseAlreadyInProgress = Self(rawValue: "purchase_already_in_progress")
  /// The app asked for a product, an id or an amount that does not exist.
  public static let validation = Self(rawValue: "validation")
  /// The network failed.
  public static let network = Self(rawValue: "network")
  /// The store failed or refused.
  public static let store = Self(rawValue: "store")
  /// The backend refused.
  public static let server = Self(rawValue: "server")
  /// The client is configured incorrectly.
  public static let configuration = Self(rawValue: "configuration")
}

/// Whether an error has RevenueCat's code, for `catch ErrorCode.networkError`.
public func ~= (code: ErrorCode, error: any Error) -> Bool { (error as? LedgerError)?.errorCode == code }
