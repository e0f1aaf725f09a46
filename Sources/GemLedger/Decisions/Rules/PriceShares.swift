/// Splits a price into equal parts; the last one takes the rounding rest.
struct PriceShares {
  let price: Money?
  let parts: Int
  var given = 0

  init(price: Money?, parts: Int) {
    self.price = price
    self.parts = parts
  }

  mutating func next() -> Money? {
    guard let price else { return nil }
    given += 1
    let share = price.minorUnits / Int64(parts)
    return Money(
      minorUnits: given == parts ? price.minorUnits - share * Int64(parts - 1) : share, currency: price.currency)
  }
}

extension PriceShares {
  /// Returns the price of some units of a lot, by the order in which they are taken: `0..<granted` is the whole lot.
  ///
  /// Each share is the difference of the prices of two prefixes of the lot, each rounded down. So shares of adjacent
  /// ranges add up to the share of both together, and the last unit takes the rounding rest.
  static func value(of units: Range<Int64>, price: Money, granted: Int64) -> Money {
    guard granted > 0 else { return Money(minorUnits: 0, currency: price.currency) }
    func prefix(_ count: Int64) -> Int64 {
      Int64(Int128(price.minorUnits) * Int128(min(count, granted)) / Int128(granted))
    }
    return Money(minorUnits: prefix(units.upperBound) - prefix(units.lowerBound), currency: price.currency)
  }
}
