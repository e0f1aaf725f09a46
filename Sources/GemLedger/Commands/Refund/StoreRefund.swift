/// The store's record of money that it gave back, with the fields for clawing back.
public struct StoreRefund: Hashable, Sendable {
  /// How much of the purchase was given back.
  ///
  /// Stores count in two ways. Apple's percentage is the refunded part of the whole purchase so far: a quarter and
  /// later a half make a half. Google's voided quantity is of one refund: one unit and later one more unit make two.
  public enum Extent: Hashable, Sendable {
    /// All of it.
    case full
    /// Thousandths of a percent of the whole purchase in all so far, 1 to 100,000: Apple's `revocationPercentage`.
    case milliPercent(Int64)
    /// This many units by this refund alone, at least 1: Google's `voidedQuantity`. Refunds of other dates add up.
    case quantity(Int64)
    /// The number of refunded units in all so far, at least 1: on Google Play the bought quantity less
    /// `refundableQuantity`.
    case totalQuantity(Int64)

    /// Whether it is of all refunds so far.
    var isTotal: Bool {
      if case .quantity = self { false } else { true }
    }

    /// Whether it states how many units were refunded.
    var countsUnits: Bool {
      switch self {
      case .full, .milliPercent: false
      case .quantity, .totalQuantity: true
      }
    }
  }

  /// The store of the purchase.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public var transactionID: StoreTransactionID
  /// The store's date of the refund; with the purchase it names the refund.
  public var revokedAt: Timestamp
  /// The refunded part.
  public var extent: Extent
  /// The date of the evidence; of two notices of one refund the later holds.
  public var signedAt: Timestamp
  /// All that the store stated; nil if it was not kept.
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

/// The store's record that it took a refund back.
public struct StoreRefundReversal: Hashable, Sendable {
  /// The store of the purchase.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public var transactionID: StoreTransactionID
  /// The date of the refund that was taken back; nil for all refunds of the purchase so far.
  public var revokedAt: Timestamp?
  /// The date of the evidence; a refund with later evidence stands.
  public var signedAt: Timestamp
  /// All that the store stated; nil if it was not kept.
  public var statement: StoreStatement?

  /// A record of a refund that was taken back.
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

/// All that a store stated about a store transaction, for its evidence.
public struct StoreStatement: Hashable, Sendable {
  /// The content of the statement, as JSON without the dates of its signature.
  ///
  /// Statements with equal contents are kept once, with their first and last date.
  public var content: String
  /// The digest of the signed original, if there is one.
  public var original: String?
  /// Whether the store sent it unasked, as for a reversed refund; false for a requested state.
  public var isNotice: Bool
  /// Whether a person decides so: refunds that the store stated until then do not count.
  package var isDecision = false

  /// A statement.
  public init(content: String, original: String? = nil, isNotice: Bool = false) {
    self.content = content
    self.original = original
    self.isNotice = isNotice
  }

  /// The kind of evidence of a purchase that it makes.
  var kind: EvidenceRow.Kind { isDecision ? .decided : isNotice ? .reversalOfAll : .purchased }
}
