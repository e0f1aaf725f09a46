#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import StoreBackend

/// The purchases at stores: those that need attention, the look-up, and a customer's list.
enum PurchasePages {
  static let routes: [ConsoleRoute] = [
    .get("purchases", .purchases) { (visit) throws(LedgerError) in .page(try front(visit)) },
    .get("purchases/held/{reason}", .purchases) { (visit) throws(LedgerError) in
      .page(try HeldReceiptList(visit: visit).page)
    },
    .get("purchases/{store}/{environment}/{id}", .purchases) { (visit) throws(LedgerError) in
      .page(try PurchaseView(visit).page)
    },
    .get("customers/{customer}/purchases", .purchases) { (visit) throws(LedgerError) in .page(try list(visit)) },
    .get("deliveries/{state}", .purchases) { (visit) throws(LedgerError) in .page(try OrderPages.deliveries(visit)) },
    .get("orders/{order}", .purchases) { (visit) throws(LedgerError) in .page(try OrderPages.order(visit)) },
  ]

  private static func front(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let search = visit.search(
      to: ConsolePath("purchases"),
      [
        Field("id", "Store transaction id", value: visit.query["id"] ?? "", isRequired: false).html(),
        .element(.button, [], ["Find"]).with(.type, "submit"),
      ])
    if let text = visit.query["id"] { return ConsolePage("Purchases", search, try found(text, visit)) }
    let waiting = Int64(visit.project.quarantine.count)
    return ConsolePage(
      "Purchases", search, try HeldReceiptList(visit: visit).overview,
      .section(
        "Not verified yet",
        .p(
          visit.reader.amount(waiting),
          " posts and notifications cannot be verified yet. The server tries them again by itself.")),
      try OrderPages.overview(visit), shortfalls(visit))
  }

  private static func shortfalls(_ visit: Visit) -> HTML {
    guard visit.session.allows(.books) else { return .none }
    return .section(
      "Refunds", .p(.link("Refunds that could not be taken back in full", to: ConsolePath("reports", "shortfalls"))))
  }

  /// The credited and the held purchases with an id, at any store.
  private static func found(_ text: String, _ visit: Visit) throws(LedgerError) -> HTML {
    let id = try StoreTransactionID(text)
    var credited: [Purchase] = []
    do throws(LedgerError) { credited = try visit.ledger.consumption(of: id).map(\.purchase) } catch {
      guard error.code == .purchaseNotFound else { throw error }
    }
    let held = try visit.project.backend.heldPurchases(with: id)
    guard !credited.isEmpty || !held.isEmpty else { return .p("No purchase has this id.").classed("empty") }
    return .group([
      credited.isEmpty ? .none : PurchaseTable.html(credited, "Credited", visit.reader),
      held.isEmpty ? .none : HeldReceiptList.table(held, "Held", visit),
    ])
  }

  private static func list(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let customer = try visit.customer()
    let page = try visit.ledger.purchases(of: customer, before: visit.cursor, limit: 50)
    return ConsolePage(
      "Purchases of a customer", .p("Customer ", HTML.customer(customer)),
      PurchaseTable.html(page.purchases, "Credited purchases, newest credit first", visit.reader),
      visit.nextPage(page.next?.description))
  }
}
#endif
