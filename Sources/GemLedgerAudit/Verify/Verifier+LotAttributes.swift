internal import GemLedger

extension Verifier {
  /// Checks that lots have the attributes that the journal recorded when they were made.
  mutating func checkLotAttributes(of rows: [LotRow]) throws(LedgerError) {
    try checkLotAttributes(rows.map { (LotAttributesRow(of: $0), $0.account) })
  }

  /// So are those in accounts' own rows.
  mutating func checkLotAttributes(ofPoolsIn rows: [AccountRow]) throws(LedgerError) {
    var pools: [(LotAttributesRow, AccountNumber)] = []
    for row in rows where row.poolLot != 0 {
      let source = LotSource(rawValue: row.poolSource)
      if source == nil { report("lot_terms_replay", "lot \(row.poolLot) has an unknown source, \(row.poolSource)") }
      let attributes = LotAttributesRow(
        lot: row.poolLot, source: source ?? .admin, environment: row.poolEnvironment, price: nil, purchase: nil,
        expiresAt: .max)
      pools.append((attributes, row.number))
    }
    try checkLotAttributes(pools)
  }

  private mutating func checkLotAttributes(_ lots: [(attributes: LotAttributesRow, account: AccountNumber)])
    throws(LedgerError)
  {
    guard !lots.isEmpty else { return }
    lotCount += Int64(lots.count)
    let journal = try snapshot.lotAttributes(lots.map { RowAddress($0.attributes.lot, of: $0.account.customer) })
    for (found, account) in lots {
      guard var attributes = journal[found.lot] else {
        report(
          "lots_have_terms", currency: account.currency,
          "the journal lacks the terms of lot \(found.lot) of \(name(of: account))")
        continue
      }
      // Only the journal records the lot that it came out of.
      attributes.origin = found.origin
      guard attributes != found else { continue }
      report(
        "lot_terms_replay", currency: account.currency,
        "lot \(found.lot) of \(name(of: account)) says \(Self.text(found)); the journal says \(Self.text(attributes))")
    }
  }

  static func text(_ attributes: LotAttributesRow) -> String {
    let price = attributes.price.map { ", price \($0.minorUnits) \($0.currency)" } ?? ""
    let purchase = attributes.purchase.map { ", purchase \($0)" } ?? ""
    let expiry = attributes.expiresAt == .max ? "" : ", expiry \(attributes.expiresAt)"
    return "\(attributes.source.name), environment \(attributes.environment)\(price)\(purchase)\(expiry)"
  }

  /// No terms are of a lot that is nowhere.
  mutating func checkLotAttributes() throws(LedgerError) {
    let environments = Set(try snapshot.environments().map(\.number))
    var count: Int64 = 0
    var purchased: Int64 = 0
    var last: LotNumber = 0
    while true {
      let page = try scan.lotAttributes(after: last, limit: ScanPage.size)
      guard let end = page.last?.lot else { break }
      count += Int64(page.count)
      purchased += checkMakers(of: page, environments: environments)
      try checkOrigins(of: page.filter { $0.origin != 0 })
      last = end
    }
    if count != lotCount {
      report("lots_have_terms", "the journal has the terms of \(count) lots; there are \(lotCount)")
    }
    if purchased != equations.purchaseLotCount {
      report(
        "lots_have_makers",
        "\(purchased) lots say that a purchase made them; purchases made \(equations.purchaseLotCount)")
    }
  }

  /// Checks that a lot out of another lot has that lot's attributes.
  private mutating func checkOrigins(of rows: [LotAttributesRow]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    // The owner of that lot is not recorded.
    let origins = try snapshot.lotAttributes(rows.map { RowAddress($0.origin, of: nil) })
    for row in rows {
      let origin = origins[row.origin]
      let isSame =
        origin?.source == row.source && origin?.environment == row.environment && origin?.expiresAt == row.expiresAt
      if !isSame || !hasShare(row, of: origin) || row.origin == row.lot || row.purchase != nil {
        report(
          "lots_have_origins", "lot \(row.lot) came out of lot \(row.origin), which is missing or of another kind")
      }
    }
  }
}
