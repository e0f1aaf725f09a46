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
  func finish() throws(LedgerError) {
    var count: Int64 = 0
    try context.pages(after: .blank) { (page: [LotAttributesRow]) in count += Int64(page.count) }
    if count != lotCount {
      context.report("lots_have_terms", "the journal has the terms of \(count) lots; there are \(lotCount)")
    }
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
