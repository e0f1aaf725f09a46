#if Server
internal import GemLedger
internal import LedgerCharts

/// A report: rows of exact values, shown as a table, as CSV, and by some reports as a chart.
struct ReportTable: Sendable {
  enum Cell: Sendable {
    case text(String)
    case customer(CustomerID)
    case transaction(TransactionID)
    case amount(Int64)
    case change(Int64)
    case money(Money)
    case time(Timestamp)
    case nothing
  }

  let caption: String
  /// Headings; those of numbers begin with `#`.
  let columns: [String]
  var rows: [[Cell]] = []
  /// A drawing of the same values; nil for a report without.
  var svg: String?
  /// The cursor of the next page; nil for a whole report.
  var next: String?

  func html(for reader: Reader) -> HTML {
    DataTable(caption, columns, rows.map { $0.map { Self.html($0, reader) } }).html(none: "Nothing in this period.")
  }

  private static func html(_ cell: Cell, _ reader: Reader) -> HTML {
    switch cell {
    case .text(let text): .foreign(text)
    case .customer(let id): HTML.customer(id)
    case .transaction(let id): .link(.code(id.description), to: ConsolePath("transactions", id.description))
    case .amount(let amount): reader.amount(amount)
    case .change(let amount): reader.change(amount)
    case .money(let money): reader.money(money)
    case .time(let time): reader.time(time)
    case .nothing: "–"
    }
  }

  /// The rows as comma-separated values (RFC 4180), with exact amounts and UTC times.
  var csv: [UInt8] {
    let head = columns.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    let lines = [head.map(Self.quoted)] + rows.map { $0.map(Self.text) }
    return Array(lines.map { $0.joined(separator: ",") + "\r\n" }.joined().utf8)
  }

  private static func text(_ cell: Cell) -> String {
    switch cell {
    case .text(let text): quoted(text)
    case .customer(let id): quoted(id.text)
    case .transaction(let id): id.description
    case .amount(let amount), .change(let amount): String(amount)
    case .money(let money): "\(MoneyText.plain(money)) \(money.currency)"
    case .time(let time): time.description
    case .nothing: ""
    }
  }

  private static func quoted(_ text: String) -> String {
    // A spreadsheet would compute a text from outside that looks like a formula. It reads code points: a quote with a
    // combining mark, which is one character here, ends a cell there.
    let marks = text.unicodeScalars
    let safe = (marks.first.map { "=+-@\t\r\n".unicodeScalars.contains($0) } ?? false ? "'" : "") + text
    guard marks.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else { return safe }
    return "\"" + safe.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }
}
#endif
