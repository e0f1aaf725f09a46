#if Server
internal import GemLedger
internal import GemServer

/// One transaction of the journal.
struct TransactionView {
  let visit: Visit
  private let id: TransactionID
  private let record: HistoryRecord

  init(_ visit: Visit) throws(LedgerError) {
    self.visit = visit
    id = try visit.transactionID()
    record = try visit.ledger.transaction(id)
  }

  var page: ConsolePage {
    let booking = record.booking
    let purchase = record.purchase.map { purchase in
      HTML.link(
        .group([.foreign(purchase.product.text), " at \(purchase.store), ", .foreign(purchase.storeTransactionID.text)]
        ),
        to: PurchaseTable.path(purchase.store, purchase.environment, purchase.storeTransactionID))
    }
    return ConsolePage(
      "Transaction", note,
      .facts([
        ("Id", .code(id.description)), ("Time", visit.reader.time(booking.createdAt)),
        ("Reason", record.reason.map { .foreign($0.text, limit: 500) }),
        ("Reference", record.reference.map { .foreign($0.text, limit: 500) }),
        ("Actor", record.actor.map { .foreign($0.text, limit: 200) }), ("Purchase", purchase),
      ]), BookingView(booking, visit.reader).html, lots, actions)
  }

  private var note: HTML {
    switch visit.query["note"] {
    case "booked": .message("good", .p("Booked."))
    case "repeated":
      .message(
        "note", .p("This form was sent before. The transaction of the first time is shown; nothing was booked twice."))
    default: .none
    }
  }

  private var lots: HTML {
    let rows = record.booking.entries.flatMap { entry in
      entry.allocations.map { part -> [HTML] in
        [
          .text(entry.currency.description), .text("\(part.lot)"), .text("\(part.source)"),
          visit.reader.change(part.amount),
        ]
      }
    }
    let links = Set(record.booking.entries.map(\.currency)).sorted().map { code in
      HTML.link(
        .text("Explain \(code)"),
        to: ConsolePath("customers", record.booking.customer.text, "currencies", code.description))
    }
    return .section(
      "Lots",
      DataTable("Changes of lots", ["Currency", "Lot", "Source", "#Change"], rows).html(none: "No lot changes."),
      .list(links))
  }

  private var actions: HTML {
    guard visit.session.allows(.purchases.writing) else { return .none }
    let isReversible = [.spend, .capture].contains(record.booking.kind)
    return isReversible
      ? .p(.button("Reverse this spend", to: ConsolePath("transactions", id.description, "reverse"))) : .none
  }
}

extension Visit {
  /// Returns the transaction in the path.
  ///
  /// - Throws: `LedgerError` with `transaction_not_found`.
  func transactionID() throws(LedgerError) -> TransactionID { try transactionID(name("transaction")) }

  /// Returns the transaction id in a text.
  ///
  /// - Throws: `LedgerError` with `transaction_not_found`.
  func transactionID(_ text: String) throws(LedgerError) -> TransactionID {
    do throws(LedgerError) { return try TransactionID(text) } catch {
      throw LedgerError(.transactionNotFound, "There is no transaction \"\(text.prefix(60))\".")
    }
  }
}
#endif
