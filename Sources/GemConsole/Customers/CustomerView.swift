#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import StoreBackend

/// All that is known of one customer, on one page.
struct CustomerView {
  let visit: Visit
  let customer: CustomerID
  let summary: CustomerSummary

  private var ledger: Ledger { visit.ledger }
  private var reader: Reader { visit.reader }

  var html: HTML {
    get throws(LedgerError) {
      var parts = [facts, actions]
      if visit.session.allows(.purchases) {
        parts += [
          balances, try holds, try purchases, try history, try RequestView(visit: visit, customer: customer).html,
        ]
      }
      parts += [try owned, try ids, try attributes]
      return .group(parts)
    }
  }

  private var facts: HTML {
    .facts([
      ("Id", .foreign(customer.text, limit: 200)), ("Original id", .foreign(summary.originalID.text, limit: 200)),
      ("Since", reader.time(summary.createdAt)),
      (
        "State",
        summary.isFrozen
          ? .group([
            .badge("frozen", "warning"), " ", summary.frozenReason.map { .foreign($0.text, limit: 200) } ?? .none,
          ]) : .badge("active", "good")
      ),
    ])
  }

  /// Links to the forms that this session may use.
  private var actions: HTML {
    let links = CustomerActions.all.filter {
      $0.scopes.allSatisfy(visit.session.allows) && $0.path.hasPrefix("customers/")
    }
    .filter {
      !($0.path.hasSuffix("/freeze") && summary.isFrozen || $0.path.hasSuffix("/unfreeze") && !summary.isFrozen)
    }
    .map { action in
      HTML.button(
        action.title,
        to: ConsolePath(
          parts: action.path.split(separator: "/").map { part in
            part == "{customer}" ? customer.text : String(part)
          }))
    }
    return links.isEmpty ? .none : HTML.element(.div, [], links).classed("actions")
  }

  private var balances: HTML {
    let table = DataTable(
      "Balances", ["Currency", "#Balance", "#Held", "#Available", "#Debt", "Name"],
      summary.balances.map { balance in
        [
          .link(
            .text(balance.currency.description),
            to: ConsolePath("customers", customer.text, "currencies", balance.currency.description)),
          reader.amount(balance.balance), reader.amount(balance.held), reader.amount(balance.available),
          reader.amount(balance.debt), .text(balance.name),
        ]
      })
    return .section("Balances", table.html(none: "This customer never had any currency."))
  }

  private var holds: HTML {
    get throws(LedgerError) {
      let holds = try ledger.holds(of: customer)
      guard !holds.isEmpty else { return .none }
      let mayAct = visit.session.allows(.purchases.writing)
      let table = DataTable(
        "Open holds", ["Hold", "Amounts", "Since", "Ends", "Do"],
        holds.map { hold in
          let id = hold.id.description
          return [
            .link(.code(id), to: ConsolePath("transactions", id)),
            reader.amounts(hold.amounts.map { ($0.currency, $0.amount) }), reader.time(hold.createdAt),
            reader.time(hold.expiresAt),
            mayAct
              ? .group([
                .button("Capture", to: ConsolePath("holds", id, "capture")), " ",
                .button("Release", to: ConsolePath("holds", id, "release")),
              ]) : .none,
          ]
        })
      return .section("Holds", table.html(none: ""))
    }
  }

  private var purchases: HTML {
    get throws(LedgerError) {
      let page = try ledger.purchases(of: customer, limit: 10)
      let table = PurchaseTable.html(page.purchases, "The newest purchases", reader)
      let more =
        page.next == nil
        ? HTML.none : .p(.link("All purchases", to: ConsolePath("customers", customer.text, "purchases")))
      return .section("Purchases", table, more)
    }
  }

  private var history: HTML {
    get throws(LedgerError) {
      let page = try ledger.history(of: customer, limit: 10)
      return .section(
        "History", HistoryView.table(page.transactions, reader),
        .p(.link("All transactions, with filters", to: ConsolePath("customers", customer.text, "history"))))
    }
  }

  private var owned: HTML {
    get throws(LedgerError) {
      let items = try ledger.view { (view) throws(LedgerError) in
        try view.customers.items(of: view.customers.customer(customer))
      }
      let entitlements = try ledger.view { (view) throws(LedgerError) in
        try view.purchases.entitlements(of: view.customers.customer(customer))
      }
      let itemTable = DataTable(
        "Items", ["Item", "#Owned"], items.map { [.foreign($0.item.text), reader.amount($0.owned)] })
      let rights = DataTable(
        "Entitlements", ["Entitlement", "Product", "Store", "Bought", "Ends"],
        entitlements.map { right in
          [
            .foreign(right.id), .foreign(right.product.text), .text(right.store.description),
            reader.time(right.purchasedAt), right.expiresAt.map(reader.time) ?? "never",
          ]
        })
      return .group([
        items.isEmpty ? .none : .section("Items", itemTable.html(none: "")),
        entitlements.isEmpty ? .none : .section("Entitlements", rights.html(none: "")),
      ])
    }
  }

  private var ids: HTML {
    get throws(LedgerError) {
      let table = DataTable(
        "Ids", ["Id", "Kind"],
        summary.ids.map { id in
          [
            .foreign(id.text, limit: 120),
            .text(
              id == summary.originalID ? "original id" : UserID.isAnonymous(id) ? "anonymous, added" : "added"),
          ]
        })
      return .section("Ids", table.html(none: ""), try merges)
    }
  }

  /// The customers that were merged into this one; after a merge without proof, a refund takes back less.
  private var merges: HTML {
    get throws(LedgerError) {
      let merged = try ledger.view { (view) throws(LedgerError) in
        try view.customers.merged(into: view.customers.customer(customer))
      }
      guard !merged.isEmpty else { return .none }
      return DataTable(
        "Merged customers, newest first", ["Customer", "Merged", "Proof"],
        merged.map { one in
          [
            .foreign(one.id.text, limit: 120),
            .link(reader.time(one.mergedAt), to: ConsolePath("transactions", one.transaction.description)),
            one.isProven ? .badge("proven", "good") : .badge("not proven: a login with a public key", "warning"),
          ]
        }
      ).html(none: "")
    }
  }

  private var attributes: HTML {
    get throws(LedgerError) {
      let attributes = try ledger.attributes.all(of: customer).list
      guard !attributes.isEmpty else { return .none }
      let table = DataTable(
        "Attributes, as the app sent them", ["Name", "Value", "Changed"],
        attributes.map { [.foreign($0.name), .foreign($0.value, limit: 120), reader.time($0.updatedAt)] })
      return .section("Attributes", table.html(none: ""))
    }
  }
}
#endif
