/// The refunded share of a purchase, from nothing to all.
package struct RefundShare: Hashable, Comparable, Sendable {
  /// Parts of ``whole``, in lowest terms.
  package let part: Int64
  package let whole: Int64

  package static let none = Self(0, of: 1)
  package static let all = Self(1, of: 1)

  package init(_ part: Int64, of whole: Int64) {
    let divisor = Self.divisor(part, whole)
    self.part = part / divisor
    self.whole = whole / divisor
  }

  /// The share of an extent in a purchase of `quantity` units.
  init(_ extent: StoreRefund.Extent, quantity: Int64) {
    switch extent {
    case .full: self = .all
    case .milliPercent(let part): self.init(min(part, 100_000), of: 100_000)
    case .quantity(let units), .totalQuantity(let units): self.init(min(units, quantity), of: quantity)
    }
  }

  package var isAll: Bool { self == .all }

  /// The share in thousandths of a percent, rounded down: only the whole is 100,000, and a share above zero is at least
  /// 1.
  package var milliPercent: Int64 {
    part == 0 ? 0 : max(1, Int64(Int128(part) * 100_000 / Int128(whole)))
  }

  /// The part of a granted amount to claw back, rounded up.
  package func due(of granted: Int64) -> Int64 {
    Int64((Int128(granted) * Int128(part) + Int128(whole) - 1) / Int128(whole))
  }

  /// The number of granted items to take back, rounded down to whole items.
  package func dueItems(of granted: Int64) -> Int64 { Int64(Int128(granted) * Int128(part) / Int128(whole)) }

  package static func < (left: Self, right: Self) -> Bool {
    Int128(left.part) * Int128(right.whole) < Int128(right.part) * Int128(left.whole)
  }

  private static func divisor(_ one: Int64, _ other: Int64) -> Int64 {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return max(1, one)
  }
}
