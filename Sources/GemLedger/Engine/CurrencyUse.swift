/// Finds out whether anything was ever booked in a currency.
struct CurrencyUse {
  private static let pageSize = 1000

  private let snapshot: any StorageSnapshot

  init(in snapshot: any StorageSnapshot) { self.snapshot = snapshot }

  /// Every entry, lot and hold belongs to an account, and accounts stay; so it reads the accounts.
  ///
  /// - Throws: `unknown_currency`, `not_available` if an account has the currency.
  /// - Complexity: O(accounts).
  func checkIsUnused(_ code: CurrencyCode) throws(LedgerError) {
    guard let row = try snapshot.catalogRow(.currency, code: code.description) else { throw .unknownCurrency(code) }
    let scan = try snapshot.scan()
    var last: AccountRow?
    while true {
      let page: [AccountRow] = try scan.page(after: last, limit: Self.pageSize)
      guard !page.contains(where: { $0.number.currency == row.position }) else {
        throw LedgerError(
          .notAvailable, "The currency \(code) was used: customers' history names it. Make it inactive instead.",
          details: [.text("currency", code.description)])
      }
      guard page.count == Self.pageSize else { return }
      last = page.last
    }
  }
}
