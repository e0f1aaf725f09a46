public import GemLedger
internal import StoreBackend
public import StoreClient

/// A simulated store's notice to the backend, like App Store server notifications and Google's.
public enum StoreNotice: Hashable, Sendable {
  /// A customer bought; sent where the store was told to (`sendsOneTimeChargeNotices`).
  case oneTimeCharge(StoreEvidence)
  /// A subscription went on.
  case renewed(StoreEvidence)
  /// A refund was made; the evidence says how much.
  case refunded(StoreEvidence)
  /// The store took the refund back; the evidence shows none any more.
  case refundReversed(StoreEvidence)
  /// What a family member shared ended with the refund of the purchase.
  case revoked(StoreEvidence)
  /// A customer asked for a refund; the store asks how much was used.
  case consumptionRequest(StoreEvidence)
  /// The store gave no money back.
  case refundDeclined(StoreEvidence)
  /// Google Play: a purchase became paid; look it up by its token.
  case oneTimePurchased(StoreTransactionID)
  /// Google Play: a pending purchase came to nothing.
  case oneTimeCanceled(StoreTransactionID)
  /// Google Play: a purchase was voided, in full or by quantity; the evidence is the purchase as it stands.
  case voided(VoidedPurchase, StoreEvidence)
}

/// A notice with its number, by which a backend says that it has taken it.
public struct NumberedNotice: Hashable, Sendable, Identifiable {
  /// Its number in the store's sequence, from 1.
  public let id: Int64
  /// The notice itself.
  public let notice: StoreNotice
  /// The notice as the store signed it, for `LocalBackend.apply(signedNotice:)`; nil where it signs none.
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

  /// Why; Google's numbers.
  public enum Reason: Int64, Hashable, Sendable, CaseIterable {
    /// Something else.
    case other = 0
    /// The customer thought better of it.
    case remorse = 1
    /// It never came.
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
  /// Its order, where it has one.
  public var orderID: String?
  /// When.
  public var voidedAt: Timestamp
  /// The party that voided it.
  public var source: Source
  /// Why.
  public var reason: Reason
  /// How many units; all that were left where the purchase is gone.
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
  /// The App Store's name of it; nil for what only Google Play sends.
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
