import LedgerCharts

/// Rows in columns: aligned text for people, comma-separated values (RFC 4180) for programs.
struct Table: Sendable {
  enum Alignment: Sendable {
    case left
    case right
  }

  struct Column: Sendable {
    /// In capitals, as the text shows it; the values have it in small letters, with `_` for a space.
    let title: String
    var alignment = Alignment.left
    var shortening = Shortening.never

    /// Words can lose their ends; numbers stay whole.
    fileprivate var effectiveShortening: Shortening {
      shortening == .never && alignment == .left ? .lastResort : shortening
    }
  }

  let columns: [Column]
  private var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  var isEmpty: Bool { rows.isEmpty }

  /// Adds a row; missing cells are empty, surplus cells a programming error.
  mutating func add(_ cells: [Cell]) {
    precondition(cells.count <= columns.count, "a row has \(cells.count) cells for \(columns.count) columns")
    let padding = Array(repeating: Cell.none, count: columns.count - cells.count)
    rows.append(cells.map { Cell(text: SafeText.escaped($0.text), plain: $0.plain) } + padding)
  }

  mutating func add(_ texts: [String]) { add(texts.map { Cell.text($0) }) }

  /// Returns the table, or the sentence if it has no rows.
  func text(style: Style, none: String) -> String { isEmpty ? none + "\n" : text(style: style) }

  /// Returns the table with its header, one line per row, each line ended.
  ///
  /// On a narrow terminal ids and texts are shortened, and a last line notes that. If that is not enough, each row is a
  /// block of lines, one for each non-empty cell.
  func text(style: Style) -> String {
    let natural = columns.indices.map(width)
    guard let limit = style.width else { return text(style: style, widths: natural) }
    let gaps = Self.gap.count * (columns.count - 1)
    let widths = Shortening.widths(natural, columns.map(\.effectiveShortening), limit: limit - gaps)
    if widths.reduce(gaps, +) > limit, !rows.isEmpty { return blocks(style: style, limit: limit) }
    let note = widths == natural ? "" : style.dim("Shortened to fit the terminal; --json has everything.") + "\n"
    return text(style: style, widths: widths) + note
  }

  private static let gap = "  "

  private func text(style: Style, widths: [Int]) -> String {
    // The whole line is made bold, not each title: the escape sequences must not count as columns.
    let titles = zip(columns, widths).map { Shortening.end.applied(to: $0.title, width: $1) }
    var text = style.bold(line(titles, widths: widths)) + "\n"
    for row in rows { text += line(row.map(\.text), widths: widths) + "\n" }
    return text
  }

  /// Returns a block of lines for each row, with the titles in front; numbers stay whole.
  private func blocks(style: Style, limit: Int) -> String {
    let titleWidth = columns.map { DisplayWidth.of($0.title) }.max() ?? 0
    let width = max(1, limit - titleWidth - Self.gap.count)
    let blocks = rows.map { row in
      var lines = ""
      for (column, whole) in zip(columns, row.map(\.text)) where !whole.isEmpty {
        let padding = String(repeating: " ", count: titleWidth - DisplayWidth.of(column.title))
        let cell = column.effectiveShortening.applied(to: whole, width: width)
        lines += style.bold(column.title) + padding + Self.gap + cell + "\n"
      }
      return lines
    }
    return blocks.joined(separator: "\n")
  }

  private func width(ofColumn index: Int) -> Int {
    rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, DisplayWidth.of($1[index].text)) }
  }

  private func line(_ cells: [String], widths: [Int]) -> String {
    var line = ""
    for (index, whole) in cells.enumerated() {
      let cell = columns[index].effectiveShortening.applied(to: whole, width: widths[index])
      let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(cell)))
      if index > 0 { line += Self.gap }
      line += columns[index].alignment == .left ? cell + padding : padding + cell
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

// MARK: For programs

extension Table {
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

extension Table.Column {
  static func left(_ title: String) -> Self { Self(title: title) }
  static func right(_ title: String) -> Self { Self(title: title, alignment: .right) }
  static func id(_ title: String) -> Self { Self(title: title, shortening: .middle) }
  static func time(_ title: String) -> Self { Self(title: title, shortening: .time) }
  static func text(_ title: String) -> Self { Self(title: title, shortening: .end) }
}
