internal import GemLedger

/// Checks that every entitlement has an owner, and a purchase that gives it.
struct EntitlementCheck {
  private let context: VerifyContext
  private let products: FrozenProducts

  init(_ context: VerifyContext, _ products: FrozenProducts) {
    self.context = context
    self.products = products
  }

  func run() throws(LedgerError) {
    try context.pages(after: .blank) { (page: [PurchaseRow]) throws(LedgerError) in
      let holders = try context.snapshot.entitlementHolders(of: page.map { RowAddress($0.number, of: $0.customer) })
      let customers = try context.snapshot.customers(holders.values.distinct())
      for row in page {
        let holder = holders[row.number]
        let gives = products.product(row.frozenProduct)?.entitlement != nil
        guard gives == (holder != nil) else {
          context.report(
            "entitlements_have_holders",
            gives
              ? "purchase \(row.number) gives an entitlement without an owner"
              : "a customer has an entitlement of purchase \(row.number), which gives none")
          continue
        }
        guard let holder, customers[holder] == nil else { continue }
        context.report(
          "entitlements_have_holders",
          "the owner of the entitlement of purchase \(row.number), customer number \(holder), has no row")
      }
    }
  }
}
