internal import GemLedger

/// Checks that every paid order has its purchase, as announced.
struct OrderCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  func run() throws(LedgerError) {
    try context.pages(after: .blank) { (page: [OrderRow]) throws(LedgerError) in
      let customers = try context.snapshot.customers(page.map(\.customer).distinct())
      // The buyer may differ from the customer of the order.
      let purchases = try context.snapshot.purchases(page.compactMap(\.purchase).map { RowAddress($0, of: nil) })
      for row in page {
        check(row, customer: customers[row.customer], purchase: row.purchase.flatMap { purchases[$0] })
      }
    }
  }

  private func check(_ row: OrderRow, customer: CustomerRow?, purchase: PurchaseRow?) {
    if customer == nil {
      context.report("orders_have_customers", "the customer of order \(row.code), number \(row.customer), has no row")
    }
    let isPaid = row.state == .success || row.state == .deliveryPending
    guard isPaid == (row.purchase != nil) else {
      let purchase = row.purchase.map { "purchase \($0)" } ?? "no purchase"
      context.report("orders_have_purchases", "order \(row.code) is in state \(row.state) and names \(purchase)")
      return
    }
    guard let number = row.purchase else { return }
    guard let purchase, row.fits(purchase) else {
      context.report(
        "orders_have_purchases",
        "order \(row.code) names purchase \(number), which is missing or does not match the announcement")
      return
    }
  }
}
