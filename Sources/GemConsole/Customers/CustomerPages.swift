#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import StoreBackend

/// Search, and the page of one customer.
enum CustomerPages {
  static var routes: [ConsoleRoute] {
    [
      .get("customers", .customers) { (visit) throws(LedgerError) in .page(try search(visit)) },
      .get("customers/{customer}", .customers) { (visit) throws(LedgerError) in .page(try customer(visit)) },
      .get("customers/{customer}/history", .purchases) { (visit) throws(LedgerError) in
        .page(try HistoryView(visit).page)
      },
      .get("customers/{customer}/currencies/{currency}", .purchases) { (visit) throws(LedgerError) in
        .page(try ExplanationView(visit).page)
      },
      .get("transactions/{transaction}", .purchases) { (visit) throws(LedgerError) in
        .page(try TransactionView(visit).page)
      },
    ]
  }

  // MARK: Search

  private static func search(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let text = visit.query["q"]
    let form = visit.search(
      to: ConsolePath("customers"),
      [
        Field(
          "q", "Find a customer", value: text ?? "",
          hint:
            "Any id of the customer, an e-mail address, the id of a purchase, an order or a transaction.",
          isRequired: false
        ).html(), .element(.button, [], ["Find"]).with(.type, "submit"),
      ])
    guard let text else { return try list(visit, form) }
    let result = try visit.ledger.customerSearch.find(text)
    let mayReadPurchases = visit.session.allows(.purchases)
    let table = DataTable(
      "Found", ["Customer", "Found by", "Match"],
      result.matches.filter { mayReadPurchases || $0.kind.isOfCustomers }.map { match in
        let (kind, path) = description(of: match)
        let found = HTML.foreign(match.found)
        return [.customer(match.customer), .text(kind), path.map { .link(found, to: $0) } ?? found]
      })
    return ConsolePage(
      "Customers", form,
      result.hasAllAttributes
        ? .none
        : .message(
          "note", .p("The index of e-mail addresses, names and numbers is being built; some are not found yet.")),
      result.hasMoreIDs ? .message("note", .p("More ids begin with this text. Type more of the id.")) : .none,
      table.html(none: "No customer, purchase, order or transaction has this id."))
  }

  private static func description(of match: CustomerSearch.Match) -> (kind: String, path: ConsolePath?) {
    switch match.kind {
    case .id: ("id", nil)
    case .idPrefix: ("beginning of an id", nil)
    case .attribute(let name): ("attribute \(name)", nil)
    case .purchase(let store, let environment):
      (
        "purchase at \(store)",
        (try? StoreTransactionID(match.found)).map { PurchaseTable.path(store, environment, $0) }
      )
    case .order: ("order", ConsolePath("orders", match.found))
    case .transaction: ("transaction", ConsolePath("transactions", match.found))
    case .hold: ("hold", ConsolePath("transactions", match.found))
    }
  }

  private static func list(_ visit: Visit, _ form: HTML) throws(LedgerError) -> ConsolePage {
    let page = try visit.ledger.customers(limit: 50, after: visit.cursor)
    let table = DataTable(
      "Customers, oldest first", ["Customer", "Since", "Balances", "State"],
      page.customers.map { customer in
        [
          .customer(customer.id), visit.reader.time(customer.createdAt),
          visit.session.allows(.purchases)
            ? visit.reader.amounts(customer.balances.map { ($0.currency, $0.balance) }) : "–",
          customer.isFrozen ? .badge("frozen", "warning") : .none,
        ]
      })
    return ConsolePage(
      "Customers", form, table.html(none: "There are no customers yet."), visit.nextPage(page.next?.description))
  }

  // MARK: One customer

  private static func customer(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let customer = try visit.customer()
    let summary = try visit.ledger.customer(customer)
    let view = CustomerView(visit: visit, customer: customer, summary: summary)
    var page = ConsolePage("Customer", try view.html)
    if visit.query["note"] != nil { page.body.insert(.message("good", .p("Done.")), at: 0) }
    return page
  }
}

extension CustomerSearch.Kind {
  /// Whether the scope of customers shows it; all others are of purchases and bookings.
  fileprivate var isOfCustomers: Bool {
    switch self {
    case .id, .idPrefix, .attribute: true
    case .purchase, .order, .transaction, .hold: false
    }
  }
}

extension Visit {
  /// Returns the customer in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  func customer() throws(LedgerError) -> CustomerID { try CustomerID(name("customer")) }
}
#endif
