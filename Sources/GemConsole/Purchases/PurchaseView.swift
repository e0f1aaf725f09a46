#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import StoreBackend

/// One purchase at a store: credited, held, or both.
struct PurchaseView {
  private let visit: Visit
  private let name: PurchaseName
  private let purchase: Purchase?
  private let held: HeldPurchase?

  private var reader: Reader { visit.reader }

  init(_ visit: Visit) throws(LedgerError) {
    self.visit = visit
    name = try PurchaseName(visit)
    purchase = try name.credited(in: visit.ledger)
    held = try name.held(in: visit.ledger)
    guard purchase != nil || held != nil else { throw name.notFound }
  }

  var page: ConsolePage {
    get throws(LedgerError) {
      var parts: [HTML] = [
        .facts([
          ("Store", .text(name.store.description)), ("Environment", .text(name.environment.description)),
          ("Test session", name.environment.session.map { .foreign($0) }),
          ("Store transaction", .foreign(name.id.text, limit: 300)),
        ])
      ]
      parts.append(actions)
      if let held { parts.append(self.held(held)) }
      if let purchase { parts += try [credited(purchase), consumption] }
      parts.append(try statements)
      var page = ConsolePage("Purchase")
      page.body = parts
      return page
    }
  }

  private var actions: HTML {
    guard visit.session.allows(.purchases.writing) else { return .none }
    func button(_ text: String, _ part: String) -> HTML {
      .button(text, to: PurchaseTable.path(name.store, name.environment, name.id, part))
    }
    var buttons: [HTML] = []
    if purchase == nil { buttons.append(button("Credit", "credit")) }
    if let purchase, !purchase.isRefunded { buttons.append(button("Record a refund", "refund")) }
    if let purchase, purchase.refundedMilliPercent > 0 {
      buttons.append(button("Reverse the refunds", "reverse-refund"))
    }
    return HTML.element(.div, [], buttons).classed("actions")
  }

  // MARK: Held

  private func held(_ held: HeldPurchase) -> HTML {
    let transaction = held.transaction
    return .section(
      "Held",
      .facts([
        ("Reason", .badge(held.reason.name, held.reason.isOpen ? "warning" : "note")),
        ("Remedy", .text(held.reason.remedy)), ("Since", reader.time(held.since)),
        ("Next decision", held.dueAt.map(reader.time)), ("Posted by", held.customer.map(HTML.customer)),
        ("Waits for", held.subject.map { .foreign($0, limit: 200) }),
        ("Store product", transaction.map { .foreign($0.storeProductID, limit: 200) }),
        ("Quantity", transaction.map { reader.amount($0.quantity) }),
        ("Bought", transaction.map { reader.time($0.purchasedAt) }),
      ]))
  }

  // MARK: Credited

  private func credited(_ purchase: Purchase) throws(LedgerError) -> HTML {
    let order = try visit.ledger.view { (view) throws(LedgerError) in try view.orders.order(paidBy: purchase)?.code }
    let share = Decimals.percent(purchase.refundedMilliPercent)
    let history = ConsolePath("customers", purchase.customer.text, "history", query: ["kind": "refund"])
    return .section(
      "Credited",
      .facts([
        ("Customer", HTML.customer(purchase.customer)), ("Product", .foreign(purchase.product.text)),
        ("Store product", purchase.storeProductID.map { .foreign($0, limit: 200) }),
        ("Quantity", reader.amount(purchase.quantity)), ("Price", purchase.price.map(reader.money)),
        ("Bought", reader.time(purchase.purchasedAt)), ("Paid until", purchase.expiresAt.map(reader.time)),
        ("Entitlement", purchase.entitlement.map { .foreign($0) }),
        (
          "First transaction",
          purchase.originalTransactionID == purchase.storeTransactionID
            ? nil : .foreign(purchase.originalTransactionID.text, limit: 100)
        ),
        (
          "Granted by",
          .link(
            .code(purchase.transactionID.description),
            to: ConsolePath("transactions", purchase.transactionID.description))
        ), ("Order", order.map(OrderPages.link)),
        ("Refunded", purchase.refundedMilliPercent == 0 ? "nothing" : .link(.text(share), to: history)),
        ("Newest evidence of a refund", purchase.refundEvidenceAt.map(reader.time)),
      ]))
  }

  private var consumption: HTML {
    get throws(LedgerError) {
      let found = try visit.ledger.consumption(of: name.id, store: name.store, environment: name.environment)
      let table = DataTable(
        "Use of the granted currency", ["Currency", "#Granted", "#Consumed", "#Remaining", "#Held", "#Refunded"],
        found.flatMap(\.currencies).map { one in
          [
            .text(one.currency.description), reader.amount(one.granted), reader.amount(one.consumed),
            reader.amount(one.remaining), reader.amount(one.held), reader.amount(one.refunded),
          ]
        })
      return .section(
        "Consumption",
        .facts([
          ("Consumed", found.first?.consumedMilliPercent.map { .text(Decimals.percent($0)) }),
          ("Delivery", found.first.map { .text($0.delivery.rawValue) }),
        ]), table.html(none: "It granted no currency."))
    }
  }

  // MARK: Evidence

  /// All that the store stated, newest first.
  private var statements: HTML {
    get throws(LedgerError) {
      var statements = held?.statements ?? []
      if let purchase {
        statements = try visit.ledger.view { (view) throws(LedgerError) in
          try view.evidence.statements(about: [purchase])[name.id] ?? []
        }
      }
      let parts = statements.map { statement -> HTML in
        let first = statement.firstStatedAt
        let since = first == statement.statedAt ? HTML.none : .group([", first at ", reader.time(first)])
        return .group([
          .p(.badge(statement.kind.name), " ", reader.time(statement.statedAt), since),
          statement.content.isEmpty ? .none : .lines(Self.pretty(statement.content)),
        ])
      }
      return .section(
        "Statements of the store", parts.isEmpty ? .p("None is stored.").classed("empty") : .group(parts))
    }
  }

  /// JSON with a line per member; any other text as it is.
  private static func pretty(_ text: String) -> String { (try? JSONValue.parse(text))?.text(.pretty) ?? text }
}
#endif
