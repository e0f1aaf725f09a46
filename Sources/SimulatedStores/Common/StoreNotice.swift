public import GemLedger
internal import StoreBackend
public import StoreClient

/// A simulated store's notice to the backend, like App Store server notifications and Google's.
public enum StoreNotice: Hashable, Sendable {
  /// A customer bought a product; sent only if `sendsOneTimeChargeNotices` is set.
  case oneTimeCharge(StoreEvidence)
  /// A subscription was renewed.
  case renewed(StoreEvidence)
  /// A refund was made; the evidence contains the amount.
  case refunded(StoreEvidence)
  /// The store reversed the refund; the evidence contains no refund.
  case refundReversed(StoreEvidence)
  /// A family member lost shared access because the purchase was refunded.
  case revoked(StoreEvidence)
  /// A customer requested a refund; the store asks how much was consumed.
  case consumptionRequest(StoreEvidence)
  /// The store declined the refund request.
  case refundDeclined(StoreEvidence)
  /// Google Play: a purchase became paid; look it up by its token.
  case oneTimePurchased(StoreTransactionID)
  /// Google Play: a pending purchase was declined.
  case oneTimeCanceled(StoreTransactionID)
  /// Google Play: a purchase was voided, in full or by quantity; the evidence is the current purchase.
  case voided(VoidedPurchase, StoreEvidence)
}

/// A notice with its number, which a backend uses to acknowledge it.
public struct NumberedNotice: Hashable, Sendable, Identifiable {
  /// Its number in the store's sequence, from 1.
  public let id: Int64
  /// The notice itself.
  public let notice: StoreNotice
  /// The notice as the store signed it, for `LocalBackend.apply(signedNotice:)`; nil if the store signs none.
  public let signedText: String?
}

/// A purchase that Google Play took back, as its list of voided purchases states it.
public struct VoidedPurchase: Hashable, Sendable {
  /// The party that voided the purchase; Google's numbers.
  public enum Source: Int64, Hashable, Sendable, CaseIterable {
    /// The customer asked for it.
    case user = 0
    /// The developer did it.
    case developer = 1
    /// Google did it.
    case google = 2
  }

  /// The reason; Google's numbers.
  public enum Reason: Int64, Hashable, Sendable, CaseIterable {
    /// Something else.
    case other = 0
    /// The customer changed their mind.
    case remorse = 1
    /// It was not delivered.
    case notReceived = 2
    /// It did not work.
    case defective = 3
    /// It was bought by mistake.
    case accidentalPurchase = 4
    /// A stranger bought it.
    case fraud = 5
    /// A person close to the customer bought it.
    case friendlyFraud = 6
    /// The bank took the money back.
    case chargeback = 7
    /// It was not acknowledged within three days.
    case unacknowledged = 8
  }

  /// The purchase.
  public var purchaseToken: StoreTransactionID
  /// Its order id, if it has one.
  public var orderID: String?
  /// The time of the voiding.
  public var voidedAt: Timestamp
  /// The party that voided it.
  public var source: Source
  /// The reason.
  public var reason: Reason
  /// The number of voided units; all remaining units if the purchase is gone.
  public var voidedQuantity: Int64
  /// Whether units were refunded and the purchase stays.
  public var isPartial: Bool

  /// A voided purchase.
  public init(
    purchaseToken: StoreTransactionID, orderID: String?, voidedAt: Timestamp, source: Source, reason: Reason,
    voidedQuantity: Int64, isPartial: Bool
  ) {
    self.purchaseToken = purchaseToken
    self.orderID = orderID
    self.voidedAt = voidedAt
    self.source = source
    self.reason = reason
    self.voidedQuantity = voidedQuantity
    self.isPartial = isPartial
  }
}

extension QueuedNotice {
  /// The App Store's name of the notice; nil for notices of Google Play.
  var appleType: String? {
    switch kind {
    case .oneTimeCharge: "ONE_TIME_CHARGE"
    case .renewed: "DID_RENEW"
    case .refunded: "REFUND"
    case .refundReversed: "REFUND_REVERSED"
    case .revoked: "REVOKE"
    case .consumptionRequest: "CONSUMPTION_REQUEST"
    case .refundDeclined: "REFUND_DECLINED"
    case .oneTimePurchased, .oneTimeCanceled, .voided: nil
    }
  }

  /// An identity that every delivery repeats.
  var uuid: String {
    HexForm.uuid(
      high: UInt64(bitPattern: transaction.purchasedAt.milliseconds), low: UInt64(bitPattern: first ?? number))
  }

  /// The notice as a backend gets it.
  func signed(_ evidence: StoreEvidence) -> StoreNotice {
    switch kind {
    case .oneTimeCharge: .oneTimeCharge(evidence)
    case .renewed: .renewed(evidence)
    case .refunded: .refunded(evidence)
    case .refundReversed: .refundReversed(evidence)
    case .revoked: .revoked(evidence)
    case .consumptionRequest: .consumptionRequest(evidence)
    case .refundDeclined: .refundDeclined(evidence)
    case .oneTimePurchased: .oneTimePurchased(transaction.id)
    case .oneTimeCanceled: .oneTimeCanceled(transaction.id)
    // Only voided purchases are queued as such.
    case .voided: voided.map { .voided($0, evidence) } ?? .refunded(evidence)
    }
  }
}
