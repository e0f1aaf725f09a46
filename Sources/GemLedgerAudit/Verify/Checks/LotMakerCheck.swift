internal import GemLedger

/// Checks that lots are from purchases or other lots where their attributes say so.
struct LotMakerCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  /// - Parameter purchaseLotCount: The number of lots that the purchases of the same snapshot made.
  func run(purchaseLotCount: Int64) throws(LedgerError) {
    let environments = Set(try context.snapshot.environments().map(\.number))
    var purchased: Int64 = 0
    try context.pages(after: .blank) { (page: [LotAttributesRow]) throws(LedgerError) in
      purchased += checkMakers(of: page, environments: environments)
      try checkOrigins(of: page.filter { $0.originalLot != 0 })
    }
    if purchased != purchaseLotCount {
      context.report("lots_have_makers", "\(purchased) lots name a purchase; purchases made \(purchaseLotCount)")
    }
  }

  /// Checks that a lot derived from another lot has that lot's attributes.
  private func checkOrigins(of rows: [LotAttributesRow]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    // The owner of the original lot is not recorded.
    let origins = try context.snapshot.lotAttributes(rows.map { RowAddress($0.originalLot, of: nil) })
    for row in rows {
      let origin = origins[row.originalLot]
      let isSame =
        origin?.source == row.source && origin?.environment == row.environment && origin?.expiresAt == row.expiresAt
      if !isSame || !hasShare(row, of: origin) || row.originalLot == row.lot || row.purchase != nil {
        context.report(
          "lots_have_origins", "lot \(row.lot) is from lot \(row.originalLot), which is missing or of another kind")
      }
    }
  }

  /// Checks that paid lots are from a purchase or a paid lot, and that only paid lots have a price.
  ///
  /// - Returns: The number of lots with a purchase.
  private func checkMakers(of page: [LotAttributesRow], environments: Set<Int64>) -> Int64 {
    var count: Int64 = 0
    for row in page {
      if row.purchase != nil, row.originalLot == 0 { count += 1 }
      if row.source == .paid, row.purchase == nil, row.originalLot == 0 {
        context.report("lots_have_makers", "lot \(row.lot) is paid, but is from no purchase and no other lot")
      }
      // A price of 0 distinguishes a transferred or exchanged bonus from pooled currency.
      let isMovedBonus = row.source == .bonus && row.originalLot != 0 && row.price?.minorUnits == 0
      if row.price != nil, row.source != .paid, !isMovedBonus {
        context.report("lots_have_makers", "lot \(row.lot) has a price, but is \(row.source.name)")
      }
      if row.environment >= EnvironmentRow.firstDrawnNumber, !environments.contains(row.environment) {
        context.report(
          "environments_are_known", "lot \(row.lot) is of environment number \(row.environment), which is missing")
      }
    }
    return count
  }

  /// Whether a derived lot's price is at most that of its original lot.
  private func hasShare(_ row: LotAttributesRow, of origin: LotAttributesRow?) -> Bool {
    guard let price = row.price else { return origin?.price == nil }
    guard let whole = origin?.price else { return price.minorUnits == 0 && row.source == .bonus }
    return price.currency == whole.currency && price.minorUnits <= whole.minorUnits
  }
}
