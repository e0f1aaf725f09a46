internal import GemLedger
internal import StoreBackend
internal import StoreClient

extension Transaction {
  /// The reason for a refund.
  public struct RevocationReason: RawRepresentable, Hashable, Sendable {
    /// Apple's number of it.
    public let rawValue: Int

    /// Makes a reason with Apple's number of it.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The app was at fault.
    public static let developerIssue = RevocationReason(rawValue: 1)
    /// Any other reason.
    public static let other = RevocationReason(rawValue: 0)
  }

  /// The time of the refund; nil if there was none.
  public var revocationDate: Date? { evidence.transaction.revocation?.revokedAt.date }

  /// The reason for the refund; nil if there was none.
  public var revocationReason: RevocationReason? {
    evidence.transaction.revocation.map { $0.isAppIssue ? .developerIssue : .other }
  }

  /// The refunded share of the whole purchase, 0 to 100; nil if nothing was refunded.
  public var revocationPercentage: Decimal? {
    guard let revocation = evidence.transaction.revocation else { return nil }
    switch revocation.extent {
    case .full: return 100
    case .milliPercent(let share): return Decimal(share) / 1000
    // The App Store states shares only; another store's count of units is converted to a share.
    case .quantity(let units), .totalQuantity(let units):
      return Decimal(units) * 100 / Decimal(max(1, evidence.transaction.quantity))
    }
  }
}
