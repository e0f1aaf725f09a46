internal import GemLedger

extension Verifier {
  /// Checks that every paid order has its purchase, as announced, and that every entitlement has a purchase that gives
  /// it.
  mutating func checkOrders() throws(LedgerError) {
    var last: OrderNumber = 0
    while true {
      let page = try snapshot.orders(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      let customers = try snapshot.customers(Self.distinct(page.map(\.customer)))
      // The buyer may be another customer than the one with the order.
      let purchases = try snapshot.purchases(page.compactMap(\.purchase).map { RowAddress($0, of: nil) })
      for row in page {
        check(row, customer: customers[row.customer], purchase: row.purchase.flatMap { purchases[$0] })
      }
      last = end
    }
    try checkEntitlements()
  }

  private mutating func check(_ row: OrderRow, customer: CustomerRow?, purchase: PurchaseRow?) {
    if customer == nil {
      report("orders_have_customers", "order \(row.code) is of customer number \(row.customer), who has no row")
    }
    let isPaid = row.state == .success || row.state == .deliveryPending
    guard isPaid == (row.purchase != nil) else {
      let purchase = row.purchase.map { "purchase \($0)" } ?? "no purchase"
      report("orders_have_purchases", "order \(row.code) is in state \(row.state) and names \(purchase)")
      return
    }
    guard let number = row.purchase else { return }
    guard let purchase, row.fits(purchase) else {
      report(
        "orders_have_purchases",
        "order \(row.code) names purchase \(number), which is missing or of something else than announced")
      return
    }
  }

  private mutating func checkEntitlements() throws(LedgerError) {
    var last: Int64 = 0
    while true {
      let page = try scan.purchases(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return }
      let holders = try snapshot.entitlementHolders(of: page.map { RowAddress($0.number, of: $0.customer) })
      let customers = try snapshot.customers(Self.distinct(holders.values))
      for row in page {
        let holder = holders[row.number]
        let gives = product(row.frozenProduct)?.entitlement != nil
        guard gives == (holder != nil) else {
          report(
            "entitlements_have_holders",
            gives
              ? "purchase \(row.number) gives an entitlement that nobody has"
              : "somebody has an entitlement of purchase \(row.number), which gives none")
          continue
        }
        guard let holder, customers[holder] == nil else { continue }
        report(
          "entitlements_have_holders",
          "the entitlement of purchase \(row.number) is customer number \(holder)'s, who has no row")
      }
      last = end
    }
  }
}
