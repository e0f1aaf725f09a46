/// How much of one currency a unit of another buys: a fraction, and the rounding of the rest.
///
/// ```swift
/// ExchangeRate(100, for: 1)  // 1 gem gives 100 coins
/// ExchangeRate(1, for: 100)  // 100 coins give 1 gem, and 199 give 1 too
/// ```
public struct ExchangeRate: Hashable, Sendable, CustomStringConvertible {
  /// The rounding of a part of a unit.
  public struct Rounding: CatalogOption {
    package enum Kind: String, CaseIterable, Sendable {
      case down
      case nearest
      case up
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// It is lost.
    public static let down = Self(.down)
    /// A half and more becomes a unit, and less is lost.
    public static let nearest = Self(.nearest)
    /// It becomes a unit.
    public static let up = Self(.up)

    /// The option's name, such as `nearest`.
    public var description: String { kind.rawValue }
  }

  /// How much is received for ``denominator`` units; 1 to ``Limits/amount``.
  public let numerator: Int64
  /// How much is given for ``numerator`` units; 1 to ``Limits/amount``.
  public let denominator: Int64
  /// The rounding of a received part of a unit.
  public let rounding: Rounding

  /// Makes a rate; an exchange at it checks its bounds.
  ///
  /// - Parameters:
  ///   - numerator: How much is received.
  ///   - denominator: For how much that is given.
  ///   - rounding: The rounding of a part of a unit.
  public init(_ numerator: Int64, for denominator: Int64, rounding: Rounding = .down) {
    self.numerator = numerator
    self.denominator = denominator
    self.rounding = rounding
  }

  /// The fraction, such as `100/1`.
  public var description: String { "\(numerator)/\(denominator)" }
}
