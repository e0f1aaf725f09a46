extension Verifier {
  /// A lot is what the journal says it was when it was made.
  mutating func checkTerms(of row: LotRow) throws(LedgerError) {
    try checkTerms(LotTermsRow(of: row), of: row.account)
  }

  /// So is the one in an account's own row.
  mutating func checkTerms(ofPoolIn row: AccountRow) throws(LedgerError) {
    guard row.poolLot != 0 else { return }
    let source = LotSource(rawValue: row.poolSource)
    if source == nil { report("lot_terms_replay", "lot \(row.poolLot) has an unknown source, \(row.poolSource)") }
    try checkTerms(
      LotTermsRow(
        lot: row.poolLot, source: source ?? .admin, environment: row.poolEnvironment, price: nil, purchase: nil,
        expiresAt: .max), of: row.number)
  }

  private mutating func checkTerms(_ found: LotTermsRow, of account: AccountNumber) throws(LedgerError) {
    lotCount += 1
    guard let terms = try snapshot.lotTerms(found.lot) else {
      report(
        "lots_have_terms", currency: account.currency,
        "the journal lacks the terms of lot \(found.lot) of \(name(of: account))")
      return
    }
    guard terms != found else { return }
    report(
      "lot_terms_replay", currency: account.currency,
      "lot \(found.lot) of \(name(of: account)) says \(Self.text(found)); the journal says \(Self.text(terms))")
  }

  private static func text(_ terms: LotTermsRow) -> String {
    let price = terms.price.map { ", price \($0.minorUnits) \($0.currency)" } ?? ""
    let purchase = terms.purchase.map { ", purchase \($0)" } ?? ""
    let expiry = terms.expiresAt == .max ? "" : ", expiry \(terms.expiresAt)"
    return "\(terms.source.name), environment \(terms.environment)\(price)\(purchase)\(expiry)"
  }

  /// No terms are of a lot that is nowhere.
  mutating func checkLotTerms() throws(LedgerError) {
    var count: Int64 = 0
    var last: LotNumber = 0
    while true {
      let page = try scan.lotTerms(after: last, limit: Self.pageSize)
      guard let end = page.last?.lot else { break }
      count += Int64(page.count)
      last = end
    }
    if count != lotCount {
      report("lots_have_terms", "the journal has the terms of \(count) lots; there are \(lotCount)")
    }
  }
}
