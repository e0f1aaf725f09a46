internal import GemLedger

/// Checks that lots have the attributes that the journal recorded when they were made.
struct LotAttributesCheck {
  private let context: VerifyContext
  /// The number of lots.
  private var lotCount: Int64 = 0

  init(_ context: VerifyContext) { self.context = context }

  mutating func check(_ rows: [LotRow]) throws(LedgerError) {
    try check(rows.map { (LotAttributesRow(of: $0), $0.account) })
  }

  /// Checks the lots that are stored in accounts' rows.
  mutating func checkPools(of rows: [AccountRow]) throws(LedgerError) {
    var pools: [(LotAttributesRow, AccountNumber)] = []
    for row in rows where row.poolLot != 0 {
      let source = LotSource(rawValue: row.poolSource)
      if source == nil {
        context.report("lot_terms_replay", "lot \(row.poolLot) has an unknown source, \(row.poolSource)")
      }
      let attributes = LotAttributesRow(
        lot: row.poolLot, source: source ?? .admin, environment: row.poolEnvironment, price: nil, purchase: nil,
        expiresAt: .max)
      pools.append((attributes, row.number))
    }
    try check(pools)
  }

  private mutating func check(_ lots: [(attributes: LotAttributesRow, account: AccountNumber)])
    throws(LedgerError)
  {
    guard !lots.isEmpty else { return }
    lotCount += Int64(lots.count)
    let journal = try context.snapshot.lotAttributes(
      lots.map { RowAddress($0.attributes.lot, of: $0.account.customer) })
    for (found, account) in lots {
      guard var attributes = journal[found.lot] else {
        context.report(
          "lots_have_terms", currency: account.currency,
          "the journal lacks the terms of lot \(found.lot) of \(context.name(of: account))")
        continue
      }
      // Only the journal records its original lot.
      attributes.originalLot = found.originalLot
      guard attributes != found else { continue }
      context.report(
        "lot_terms_replay", currency: account.currency,
        "lot \(found.lot) of \(context.name(of: account)) is \(found.text); in the journal it is \(attributes.text)")
    }
  }

  /// Checks that no attributes exist without their lot.
  ///
  /// - Parameter purchaseLotCount: The number of lots that the journal's purchases made.
  func finish(purchaseLotCount: Int64) throws(LedgerError) {
    let environments = Set(try context.snapshot.environments().map(\.number))
    var count: Int64 = 0
    var purchased: Int64 = 0
    try context.scan.pages(after: .blank) { (page: [LotAttributesRow]) throws(LedgerError) in
      count += Int64(page.count)
      purchased += checkMakers(of: page, environments: environments)
      try checkOrigins(of: page.filter { $0.originalLot != 0 })
    }
    if count != lotCount {
      context.report("lots_have_terms", "the journal has the terms of \(count) lots; there are \(lotCount)")
    }
    if purchased != purchaseLotCount {
      context.report(
        "lots_have_makers",
        "\(purchased) lots name a purchase; purchases made \(purchaseLotCount)")
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

extension LotAttributesRow {
  /// The attributes, for a message.
  var text: String {
    let price = self.price.map { ", price \($0.minorUnits) \($0.currency)" } ?? ""
    let purchase = self.purchase.map { ", purchase \($0)" } ?? ""
    let expiry = expiresAt == .max ? "" : ", expiry \(expiresAt)"
    return "\(source.name), environment \(environment)\(price)\(purchase)\(expiry)"
  }
}
