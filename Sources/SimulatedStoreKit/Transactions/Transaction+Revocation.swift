internal import GemLedger
internal import StoreBackend
internal import StoreClient

extension Transaction {
  /// Why money was given back.
  public struct RevocationReason: RawRepresentable, Hashable, Sendable {
    /// Apple's number of it.
    public let rawValue: Int

    /// A reason by Apple's number of it.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The app was at fault.
    public static let developerIssue = RevocationReason(rawValue: 1)
    /// Any other reason.
    public static let other = RevocationReason(rawValue: 0)
  }

  /// When money was given back; nil where it was not.
  public var revocationDate: Date? { evidence.transaction.revocation?.revokedAt.date }

  /// Why money was given back; nil where it was not.
  public var revocationReason: RevocationReason? {
    evidence.transaction.revocation.map { $0.isAppIssue ? .developerIssue : .other }
  }

  /// The share of the whole purchase that was given back, 0 to 100; nil where nothing was.
  public var revocationPercentage: Decimal? {
    guard let revocation = evidence.transaction.revocation else { return nil }
    switch revocation.extent {
    case .full: return 100
    case .milliPercent(let share): return Decimal(share) / 1000
    // The App Store states shares only; another store's count of units is turned into one.
    case .quantity(let units), .totalQuantity(let units):
      return Decimal(units) * 100 / Decimal(max(1, evidence.transaction.quantity))
    }
  }
}
