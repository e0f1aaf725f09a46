#if Server
internal import GemLedger
internal import GemServer
internal import StoreBackend

/// The orders of two-step purchases, and their deliveries.
enum OrderPages {
  private static let lists = [
    (state: "exhausted", title: "Orders without a try left"),
    (state: "pending", title: "Deliveries that are still tried"),
  ]

  /// The first orders of each list.
  static func overview(_ visit: Visit) throws(LedgerError) -> HTML {
    var parts: [HTML] = []
    for list in lists {
      let page = try page(list.state, visit, limit: 10, after: nil)
      let more = page.next == nil ? HTML.none : .p(.link("All of them", to: ConsolePath("deliveries", list.state)))
      parts.append(.group([table(page.orders, list.title, visit), more]))
    }
    return .section("Deliveries to the game server", .group(parts))
  }

  static func deliveries(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    guard let list = lists.first(where: { $0.state == visit.name("state") }) else {
      throw .invalid("There is no such list of deliveries.")
    }
    let cursor = try visit.query["after"].map { (text) throws(LedgerError) in
      guard let cursor = OrdersPage.Cursor(text) else {
        throw .invalid("This is no place in the list. Begin with its first page.")
      }
      return cursor
    }
    let page = try page(list.state, visit, limit: 50, after: cursor)
    return ConsolePage(list.title, table(page.orders, list.title, visit), visit.nextPage(page.next?.description))
  }

  private static func page(
    _ state: String, _ visit: Visit, limit: Int, after cursor: OrdersPage.Cursor?
  ) throws(LedgerError) -> OrdersPage {
    let backend = visit.project.backend
    return state == "pending"
      ? try backend.pendingDeliveries(limit: limit, after: cursor)
      : try backend.undelivered(limit: limit, after: cursor)
  }

  private static func table(_ orders: [Order], _ caption: String, _ visit: Visit) -> HTML {
    let mayRetry = visit.session.allows(.purchases.writing)
    return DataTable(
      caption, ["Order", "Announced", "Customer", "Product", "#Price", "#Tries", "Next", "Do"],
      orders.map { order in
        [
          link(to: order.code), visit.reader.time(order.createdAt), HTML.customer(order.request.customer),
          .foreign(order.request.product.text), price(order, visit.reader), visit.reader.amount(order.deliveryAttempts),
          order.nextDeliveryAt.map(visit.reader.time) ?? "never",
          mayRetry ? .button("Deliver now", to: ConsolePath("orders", order.code.text, "redeliver")) : .none,
        ]
      }
    ).html(none: "\(caption): none.")
  }

  static func link(to code: PurchaseCode) -> HTML {
    .link(.foreign(code.text, limit: 40), to: ConsolePath("orders", code.text))
  }

  private static func price(_ order: Order, _ reader: Reader) -> HTML {
    (order.paidPrice ?? order.request.price).map(reader.money) ?? "–"
  }

  // MARK: One order

  static func order(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let order = try visit.project.backend.order(visit.orderCode())
    let note = HTML.message("good", .p("The delivery was tried. The state shows the result."))
    let mayRetry = order.status == .deliveryPending && visit.session.allows(.purchases.writing)
    let retry = HTML.div(.button("Deliver now", to: ConsolePath("orders", order.code.text, "redeliver")))
    return ConsolePage(
      "Order", visit.query["note"] == "tried" ? note : .none, try facts(order, visit),
      mayRetry ? retry.classed("actions") : .none)
  }

  static func facts(_ order: Order, _ visit: Visit) throws(LedgerError) -> HTML {
    let (reader, request) = (visit.reader, order.request)
    let payment = try visit.ledger.view { (view) throws(LedgerError) in
      try view.purchases.purchase(payingFor: view.orders.order(order.code))
    }
    func context(_ name: String, _ text: String?) -> (name: String, value: HTML?) {
      (name, text.map { .foreign($0, limit: 200) })
    }
    return .facts([
      ("Code", .foreign(order.code.text, limit: 100)),
      ("State", .badge(order.status.rawValue, order.status == .success ? "good" : "warning")),
      ("Customer", HTML.customer(request.customer)), ("Product", .foreign(request.product.text)),
      ("Quantity", reader.amount(request.quantity)), ("Price", price(order, reader)),
      (
        "Price in virtual currency",
        order.costs.isEmpty ? nil : reader.amounts(order.costs.map { ($0.currency, $0.amount) })
      ), ("Store", .text(request.store.description)), ("App", .foreign(request.bundleID)),
      (
        "Paid by",
        payment.map { .link(.foreign($0.storeTransactionID.text, limit: 40), to: PurchaseTable.path(of: $0)) }
      ),
      ("Announced", reader.time(order.createdAt)), ("Changed", reader.time(order.updatedAt)),
      ("To be paid until", reader.time(order.deadline)), ("Delivery tries", reader.amount(order.deliveryAttempts)),
      (
        "Next try or refund",
        order.nextDeliveryAt.map(reader.time) ?? (order.isDeliveryExhausted ? "never: a person has to decide" : nil)
      ), context("Game", request.context.gameID), context("Character", request.context.roleID),
      context("Name of the character", request.context.roleName), context("Server", request.context.serverID),
      context("Kind of recharge", request.context.rechargeType), context("Other data", request.context.extraData),
    ])
  }
}

extension Visit {
  /// Returns the order's code in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  func orderCode() throws(LedgerError) -> PurchaseCode { try PurchaseCode(name("order")) }
}
#endif
