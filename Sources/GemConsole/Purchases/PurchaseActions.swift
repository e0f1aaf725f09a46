#if Server
internal import GemLedger
internal import GemServer
internal import StoreBackend

/// An operator's decisions about purchases: credits of held purchases, refunds, deliveries.
enum PurchaseActions {
  static let all = [credit, refund, reverseRefund, redeliver]

  private static let path = "purchases/{store}/{environment}/{id}"

  private static let credit = Action.booking(
    "Credit a held purchase", "\(path)/credit", .purchases.writing,
    fields: { (visit) throws(LedgerError) in
      let catalog = try visit.project.catalogs.current().catalog
      let products = [(value: "", name: "the product with this id at the store")]
      return [
        Field(
          "customer", "Customer", hint: "Without an id: the customer of the purchase's token, or else its poster.",
          isRequired: false),
        Field(
          "product", "Product", .choice(products + catalog.products.map { (value: $0.code.text, name: $0.code.text) }),
          isRequired: false),
      ]
    },
    command: { (visit) throws(LedgerError) in
      let name = try PurchaseName(visit)
      guard let held = try name.held(in: visit.ledger) else { throw name.notFound }
      let customer = try visit.form["customer"].map { (text) throws(LedgerError) in try CustomerID(text) }
      let product = try visit.form["product"].map { (text) throws(LedgerError) in try ProductCode(text) }
      return try visit.project.backend.creditCommand(held, to: customer, as: product, details: CommandDetails())
    })

  // MARK: Refunds

  private static let refund = Action.booking(
    "Record a refund", "\(path)/refund", .purchases.writing,
    fields: { (_) throws(LedgerError) in
      [
        Field(
          "extent", "Refunded",
          .choice([
            (value: "full", name: "the whole purchase"), (value: "share", name: "a share in percent, in total"),
            (value: "units", name: "units, in addition to earlier refunds"),
          ])),
        Field(
          "amount", "Percent or units", hint: "Such as 12.5 for a share, or 2 for units; nothing for the whole.",
          isRequired: false),
      ]
    },
    command: { (visit) throws(LedgerError) in
      let (purchase, now) = (try purchase(visit), try visit.previewedAt)
      return .refund(
        StoreRefund(
          store: purchase.store, environment: purchase.environment, transactionID: purchase.storeTransactionID,
          revokedAt: now, extent: try extent(visit), signedAt: now))
    }, finish: advanceOrder)

  private static let reverseRefund = Action.booking(
    "Reverse all refunds", "\(path)/reverse-refund", .purchases.writing,
    command: { (visit) throws(LedgerError) in
      let purchase = try purchase(visit)
      return .reverseRefund(
        StoreRefundReversal(
          store: purchase.store, environment: purchase.environment, transactionID: purchase.storeTransactionID,
          signedAt: try visit.previewedAt))
    }, finish: advanceOrder)

  private static func extent(_ visit: Visit) throws(LedgerError) -> StoreRefund.Extent {
    switch visit.form["extent"] {
    case "full": .full
    case "share": .milliPercent(try Decimals.milliPercent(visit.form["amount"] ?? ""))
    case "units": .quantity(try visit.amount("amount"))
    default: throw .invalid("Choose what was refunded.")
    }
  }

  private static func purchase(_ visit: Visit) throws(LedgerError) -> Purchase {
    let name = try PurchaseName(visit)
    guard let purchase = try name.credited(in: visit.ledger) else { throw name.notFound }
    return purchase
  }

  @Sendable private static func advanceOrder(_ visit: Visit) async throws(LedgerError) {
    try await visit.project.backend.advanceOrder(paidBy: purchase(visit))
  }

  // MARK: Deliveries

  private static let redeliver = Action("Deliver now", "orders/{order}/redeliver", .purchases.writing) {
    (visit) throws(LedgerError) in
    let (code, backend) = (try visit.orderCode(), visit.project.backend)
    let warning = HTML.message(
      "warning", .p("This server delivers no orders: it was started without a delivery target. Nothing will change."))
    let preview = HTML.group([
      backend.deliversOrders ? .none : warning, try OrderPages.facts(backend.order(code), visit),
    ])
    return Action.Change(preview: preview) { () async throws(LedgerError) in
      let order = try await backend.retryDelivery(of: code)
      visit.recordChange(
        "A delivery was tried by hand.", ["order": .string(code.text), "status": .string(order.status.rawValue)])
      return .seeOther(ConsolePath("orders", code.text, query: ["note": "tried"]))
    }
  }
}
#endif
