/// The source of a lot's currency.
public enum LotSource: Int64, CaseIterable, Sendable {
  /// Bought with real money.
  case paid = 1
  /// Granted on top of a purchase.
  case bonus = 2
  /// Earned in the app.
  case earned = 3
  /// Granted by a promotion.
  case promotional = 4
  /// Granted by an operator.
  case admin = 5

  /// The source's name in interfaces.
  public var name: String {
    switch self {
    case .paid: "paid"
    case .bonus: "bonus"
    case .earned: "earned"
    case .promotional: "promotional"
    case .admin: "admin"
    }
  }

  /// The source with this name.
  public init?(name: String) {
    guard let source = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = source
  }
}
