internal import GemLedger

extension Verifier {
  /// Checks that paid lots came with a purchase or out of a paid lot, and that only paid lots have a price.
  ///
  /// - Returns: How many of the lots say that a purchase made them.
  mutating func checkMakers(of page: [LotAttributesRow], environments: Set<Int64>) -> Int64 {
    var count: Int64 = 0
    for row in page {
      if row.purchase != nil, row.origin == 0 { count += 1 }
      if row.source == .paid, row.purchase == nil, row.origin == 0 {
        report("lots_have_makers", "lot \(row.lot) was paid for, and came with no purchase and out of no lot")
      }
      // A bonus that was transferred or exchanged is told from pooled currency by a price of 0.
      let isMovedBonus = row.source == .bonus && row.origin != 0 && row.price?.minorUnits == 0
      if row.price != nil, row.source != .paid, !isMovedBonus {
        report("lots_have_makers", "lot \(row.lot) has a price, and is \(row.source.name)")
      }
      if row.environment >= EnvironmentRow.firstDrawnNumber, !environments.contains(row.environment) {
        report("environments_are_known", "lot \(row.lot) is of environment number \(row.environment), which is missing")
      }
    }
    return count
  }

  /// A lot that came out of another one has at most the price of that.
  func hasShare(_ row: LotAttributesRow, of origin: LotAttributesRow?) -> Bool {
    guard let price = row.price else { return origin?.price == nil }
    guard let whole = origin?.price else { return price.minorUnits == 0 && row.source == .bonus }
    return price.currency == whole.currency && price.minorUnits <= whole.minorUnits
  }
}
