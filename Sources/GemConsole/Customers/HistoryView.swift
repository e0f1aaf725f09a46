#if Server
internal import GemLedger

/// A customer's transactions, with filters.
struct HistoryView {
  let visit: Visit
  private let customer: CustomerID

  init(_ visit: Visit) throws(LedgerError) {
    self.visit = visit
    customer = try visit.customer()
  }

  private static let pageSize = 50
  /// The number of transactions that one page reads to find those that match.
  private static let readMax = 2000

  var page: ConsolePage {
    get throws(LedgerError) {
      let (found, next) = try matches
      return ConsolePage(
        "History", .p("Customer ", HTML.customer(customer)), filters, Self.table(found, visit.reader),
        found.isEmpty && next != nil ? .p("None of the transactions that were read matches.") : .none,
        visit.nextPage(next))
    }
  }

  private var filters: HTML {
    let kinds = [("", "all kinds")] + EntryKind.allCases.map { ($0.name, $0.name) }
    return visit.search(
      to: visit.path,
      [
        Field(
          "kind", "Kind", .choice(kinds.map { (value: $0.0, name: $0.1) }), value: visit.query["kind"] ?? "",
          isRequired: false
        ).html(),
        Field("currency", "Currency", value: visit.query["currency"] ?? "", isRequired: false).html(),
        Field("text", "Reference, reason or actor", value: visit.query["text"] ?? "", isRequired: false).html(),
        .element(.button, [], ["Filter"]).with(.type, "submit"),
      ])
  }

  private var matches: ([HistoryRecord], String?) {
    get throws(LedgerError) {
      var found: [HistoryRecord] = []
      var cursor = visit.cursor
      var readCount = 0
      while true {
        // A page of the wanted size, so that its cursor follows the last match.
        let page = try visit.ledger.history(of: customer, limit: Self.pageSize - found.count, after: cursor)
        found += page.transactions.filter(matches)
        readCount += page.transactions.count
        cursor = page.next
        guard let cursor, found.count < Self.pageSize, readCount < Self.readMax else {
          return (found, page.next?.description)
        }
        _ = cursor
      }
    }
  }

  private func matches(_ record: HistoryRecord) -> Bool {
    let booking = record.booking
    if let kind = visit.query["kind"], booking.kind.name != kind,
      !booking.entries.contains(where: { $0.kind.name == kind })
    {
      return false
    }
    if let code = visit.query["currency"], !booking.entries.contains(where: { $0.currency.description == code }) {
      return false
    }
    guard let text = visit.query["text"] else { return true }
    return [record.reference?.text, record.reason?.text, record.actor?.text].contains { $0?.contains(text) ?? false }
  }

  static func table(_ records: [HistoryRecord], _ reader: Reader) -> HTML {
    DataTable(
      "Transactions, newest first", ["Time", "Kind", "Change", "Balance afterwards", "Reason", "Actor"],
      records.map { record in
        let booking = record.booking
        return [
          booking.transactionID.map {
            .link(reader.time(booking.createdAt), to: ConsolePath("transactions", $0.description))
          } ?? reader.time(booking.createdAt), .text(booking.kind.name),
          reader.amounts(booking.entries.map { ($0.currency, $0.amount) }, signed: true),
          reader.amounts(booking.entries.map { ($0.currency, $0.balance) }),
          record.reason.map { .foreign($0.text) } ?? .none, record.actor.map { .foreign($0.text) } ?? .none,
        ]
      }
    ).html(none: "No transactions.")
  }
}
#endif
