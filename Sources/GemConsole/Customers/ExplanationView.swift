#if Server
internal import GemLedger
internal import GemLedgerAudit

/// A customer's balance in one currency, explained: its lots, and each entry down to the lots and their purchases.
struct ExplanationView {
  let visit: Visit
  private let customer: CustomerID
  private let explanation: Explanation

  private var reader: Reader { visit.reader }

  init(_ visit: Visit) throws(LedgerError) {
    self.visit = visit
    customer = try visit.customer()
    explanation = try visit.ledger.explain(
      CurrencyCode(visit.name("currency")), customer: customer, limit: 50, after: visit.cursor)
  }

  var page: ConsolePage {
    let balance = explanation.balance
    return ConsolePage(
      "\(balance.name) explained",
      .facts([
        ("Customer", HTML.customer(customer)), ("Balance", reader.amount(balance.balance)),
        ("Held", reader.amount(balance.held)), ("Available", reader.amount(balance.available)),
        ("Debt", reader.amount(balance.debt)), ("Version of the account", reader.amount(balance.version)),
      ]), visit.cursor == nil ? .section("Lots", lots) : .none, .section("Entries", entries),
      visit.nextPage(explanation.next?.description))
  }

  private var lots: HTML {
    let table = DataTable(
      "What the balance consists of, in the order of spending",
      ["Lot", "Source", "#Granted", "#Left", "#Held", "Price", "Expires", "Purchase"],
      explanation.lots.map { lot in
        [
          .text("\(lot.origin.lot)"), source(lot.origin), reader.amount(lot.granted), reader.amount(lot.remaining),
          reader.amount(lot.held), lot.origin.price.map(reader.money) ?? "–",
          lot.origin.expiresAt.map(reader.time) ?? "never", purchase(lot.origin),
        ]
      })
    return .group([
      table.html(none: "The balance is empty."),
      explanation.hasMoreLots ? .p("There are more lots, which are spent later.") : .none,
    ])
  }

  private var entries: HTML {
    DataTable(
      "Entries, newest first", ["Time", "Kind", "#Change", "#Balance afterwards", "From or into lots", "Reason"],
      explanation.entries.map { entry in
        let parts = entry.parts.map { part in
          HTML.group([
            reader.change(part.amount), " lot \(part.lot.lot), ", source(part.lot), " ", purchase(part.lot),
          ])
        }
        return [
          .link(reader.time(entry.createdAt), to: ConsolePath("transactions", entry.transactionID.description)),
          .text(entry.kind.name), reader.change(entry.amount), reader.amount(entry.balance), .list(parts),
          entry.reason.map { .foreign($0.text) } ?? .none,
        ]
      }
    ).html(none: "No entries.")
  }

  private func source(_ lot: LotOrigin) -> HTML {
    let sandbox = lot.environment == .production ? "" : ", \(lot.environment)"
    return .text("\(lot.source)\(sandbox)")
  }

  private func purchase(_ lot: LotOrigin) -> HTML {
    lot.purchase.map { .link(.foreign($0.storeTransactionID.text, limit: 24), to: PurchaseTable.path(of: $0)) } ?? .none
  }
}
#endif
