public import GemLedger

/// The numbers by which two-step payment SDKs report the result of a payment.
///
/// Apps have code for exactly these numbers; all other failures have only a `LedgerError` code.
public struct PaymentStatusCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int

  /// The code with this number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// 0: success, delivery included.
  public static let success = Self(rawValue: 0)
  /// 1030: the backend is configured for another app than the receipt's.
  public static let configurationMismatch = Self(rawValue: 1030)
  /// 1031: the backend is configured for another app than the order's.
  public static let bundleMismatch = Self(rawValue: 1031)
  /// 1032: the catalog does not sell such a product at this store.
  public static let packageNotFound = Self(rawValue: 1032)
  /// 1034: the order or its store transaction already exists; a success.
  public static let purchaseExists = Self(rawValue: 1034)
  /// 1036: credited, but the game server has not confirmed the delivery yet; a success.
  public static let deliveryPending = Self(rawValue: 1036)
  /// 1049: not found; in a history an empty list, and a success.
  public static let notFound = Self(rawValue: 1049)
  /// 1050: the payment was completed before; a success.
  public static let alreadyCompleted = Self(rawValue: 1050)

  /// All known codes.
  public static let all = [
    success, configurationMismatch, bundleMismatch, packageNotFound, purchaseExists, deliveryPending, notFound,
    alreadyCompleted,
  ]

  /// Whether an app should continue as after a successful payment.
  public var isSuccess: Bool {
    [Self.success, .purchaseExists, .deliveryPending, .notFound, .alreadyCompleted].contains(self)
  }

  /// The number's name in two-step SDKs, such as `PURCHASE_HAS_EXIST`.
  public var name: String { Self.names[rawValue] ?? "UNKNOWN" }

  /// The number with its name, such as `1034 PURCHASE_HAS_EXIST`.
  public var description: String { "\(rawValue) \(name)" }

  private static let names = [
    0: "SUCCESS", 1030: "PRODUCT_CONFIG_MISMATCH", 1031: "BUNDLE_ID_MISMATCH", 1032: "PACKAGE_GAME_NOT_FOUND",
    1034: "PURCHASE_HAS_EXIST", 1036: "REQUEST_TO_GAME_FAIL", 1049: "TRANSACTION_NOT_FOUND",
    1050: "ALREADY_COMPLETED",
  ]
}

extension PaymentStatusCode {
  /// A step of a two-step purchase.
  public enum Step: Hashable, Sendable, CaseIterable {
    /// The order, before the payment.
    case initPayment
    /// The receipt.
    case completePayment
    /// The purchases up to now.
    case history
  }

  /// Makes the status of the first step.
  public init(opened order: Order) { self = order.isReplayed ? .purchaseExists : .success }

  /// Makes the status of the second step.
  ///
  /// A pending delivery takes precedence: the app has to show it.
  public init(completed answer: ReceiptAnswer) {
    switch answer.order?.status {
    case .deliveryPending: self = .deliveryPending
    case .success where answer.order?.isReplayed == true: self = .alreadyCompleted
    default: self = answer.booking.isReplayed && answer.order == nil ? .alreadyCompleted : .success
    }
  }

  /// Makes the number of a refusal; nil if those SDKs have no number for it.
  public init?(_ error: LedgerError, in step: Step) {
    switch error.code {
    case .bundleMismatch: self = step == .initPayment ? .bundleMismatch : .configurationMismatch
    case .productNotFound: self = .packageNotFound
    case .orderNotFound, .purchaseNotFound, .transactionNotFound: self = .notFound
    case .customerNotFound where step == .history: self = .notFound
    default: return nil
    }
  }
}
