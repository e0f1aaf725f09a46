import GemLedger

/// Rows that people read as a table and programs as comma-separated values (RFC 4180).
struct Report: Sendable {
  struct Column: Sendable {
    /// In capitals, as the table shows it; the file has it in small letters, with `_` for a space.
    let title: String
    var isNumber = false
    var shortening = Shortening.never
  }

  /// A cell: the text for tables and the value for programs.
  struct Cell: Sendable {
    let text: String
    let plain: String

    static let none = Cell(text: "", plain: "")
    static func text(_ text: String?) -> Self { Self(text: text ?? "", plain: text ?? "") }
    static func amount(_ amount: Int64) -> Self { Self(text: AmountText.grouped(amount), plain: String(amount)) }
    static func change(_ amount: Int64) -> Self { Self(text: AmountText.signed(amount), plain: String(amount)) }
    static func time(_ time: Timestamp?) -> Self { .text(time?.description) }
    /// Real money in major units; its currency has a separate column.
    static func money(_ money: Money?) -> Self { .text(money.map(MoneyText.plain)) }
    /// Thousandths of a percent.
    static func share(_ milliPercent: Int64?) -> Self {
      guard let milliPercent else { return .none }
      let text = "\(milliPercent / 1000)." + String(String(milliPercent % 1000 + 1000).dropFirst())
      return Self(text: text + " %", plain: text)
    }
  }

  let columns: [Column]
  private(set) var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func add(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "a row has \(cells.count) cells for \(columns.count) columns")
    rows.append(cells)
  }

  func text(style: Style) -> String {
    var table = Table(
      columns.map { Table.Column(title: $0.title, alignment: $0.isNumber ? .right : .left, shortening: $0.shortening) })
    for row in rows { table.add(row.map(\.text)) }
    return table.text(style: style)
  }

  /// A header and a record a row, each ended by a carriage return and a line feed.
  var csv: String {
    let names = columns.map { $0.title.lowercased().replacing(" ", with: "_") }
    return ([names] + rows.map { $0.map(\.plain) }).map(Self.record).joined()
  }

  private static func record(_ fields: [String]) -> String { fields.map(quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { [UInt8](",\"\r\n".utf8).contains($0) }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}

extension Report.Column {
  static func text(_ title: String) -> Self { Self(title: title) }
  static func time(_ title: String) -> Self { Self(title: title, shortening: .time) }
  static func id(_ title: String) -> Self { Self(title: title, shortening: .middle) }
  static func prose(_ title: String) -> Self { Self(title: title, shortening: .end) }
  static func number(_ title: String) -> Self { Self(title: title, isNumber: true) }
}

extension Invocation {
  var isCSV: Bool { parsed.flags.contains("--csv") }

  /// Prints one JSON document, the report as comma-separated values, or text for people.
  func print(
    _ json: @autoclosure () -> JSONValue, csv report: @autoclosure () -> Report, _ text: (Style) -> String
  ) throws {
    try checkForm()
    guard isCSV else { return try print(json(), text) }
    try terminal.output(report().csv)
  }

  /// To be called before the work, which may take long.
  func checkForm() throws(UsageError) {
    if isCSV, isJSON { throw UsageError("--csv and --json exclude each other", verb: parsed.verb) }
  }
}
