/// The store's record of a refund, with the fields for the clawback.
public struct StoreRefund: Hashable, Sendable {
  /// The refunded part of a purchase.
  ///
  /// Stores count in two ways. Apple's percentage is the total refunded part of the purchase: a quarter and later a
  /// half make a half. Google's voided quantity is of a single refund: one unit and later one more unit make two.
  public enum Extent: Hashable, Sendable {
    /// The whole purchase.
    case full
    /// The total in thousandths of a percent of the purchase, 1 to 100,000: Apple's `revocationPercentage`.
    case milliPercent(Int64)
    /// The units of this refund alone, at least 1: Google's `voidedQuantity`. Refunds of other dates add up.
    case quantity(Int64)
    /// The total of refunded units, at least 1: on Google Play the bought quantity less `refundableQuantity`.
    case totalQuantity(Int64)

    /// Whether the extent is a total of all refunds up to its date.
    var isTotal: Bool {
      if case .quantity = self { false } else { true }
    }

    /// Whether the extent counts units.
    var countsUnits: Bool {
      switch self {
      case .full, .milliPercent: false
      case .quantity, .totalQuantity: true
      }
    }
  }

  /// The store that sold it.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public var transactionID: StoreTransactionID
  /// The store's date of the refund; with the purchase it names the refund.
  public var revokedAt: Timestamp
  /// The refunded part.
  public var extent: Extent
  /// The date of the evidence; of two notices of one refund, the later counts.
  public var signedAt: Timestamp
  /// The full statement of the store; nil if it was not kept.
  public var statement: StoreStatement?

  /// A record of a refund.
  public init(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID, revokedAt: Timestamp,
    extent: Extent = .full, signedAt: Timestamp, statement: StoreStatement? = nil
  ) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
    self.revokedAt = revokedAt
    self.extent = extent
    self.signedAt = signedAt
    self.statement = statement
  }
}

/// The store's record of a reversed refund.
public struct StoreRefundReversal: Hashable, Sendable {
  /// The store that sold it.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public var transactionID: StoreTransactionID
  /// The date of the reversed refund; nil for all earlier refunds of the purchase.
  public var revokedAt: Timestamp?
  /// The date of the evidence; a refund with later evidence remains in force.
  public var signedAt: Timestamp
  /// The full statement of the store; nil if it was not kept.
  public var statement: StoreStatement?

  /// A record of a reversed refund.
  public init(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID, revokedAt: Timestamp? = nil,
    signedAt: Timestamp, statement: StoreStatement? = nil
  ) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
    self.revokedAt = revokedAt
    self.signedAt = signedAt
    self.statement = statement
  }
}

/// A store's full statement about a store transaction, for its evidence.
public struct StoreStatement: Hashable, Sendable {
  /// The content as JSON, without the dates of its signature.
  ///
  /// Statements with equal contents are kept once, with their first and last date.
  public var content: String
  /// The digest of the signed original, if there is one.
  public var original: String?
  /// Whether the store sent it as a notice, as for a reversed refund; false for a queried state.
  public var isNotice: Bool
  /// Whether it is a person's decision: the store's refunds up to then do not count.
  package var isDecision = false

  /// A statement.
  public init(content: String, original: String? = nil, isNotice: Bool = false) {
    self.content = content
    self.original = original
    self.isNotice = isNotice
  }

}
