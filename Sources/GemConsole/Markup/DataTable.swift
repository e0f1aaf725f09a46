#if Server
/// A table of data with a caption and headings.
struct DataTable: Sendable {
  struct Column: Sendable {
    let title: String
    let isNumber: Bool
  }

  let caption: String
  let columns: [Column]
  let rows: [[HTML]]

  /// - Parameters:
  ///   - columns: The headings; those of numbers begin with `#` and are aligned to the right.
  ///   - rows: The cells of each row; the first is the heading of its row.
  init(_ caption: String, _ columns: [String], _ rows: [[HTML]]) {
    self.caption = caption
    self.columns = columns.map { title in
      let isNumber = title.hasPrefix("#")
      return Column(title: isNumber ? String(title.dropFirst()) : title, isNumber: isNumber)
    }
    self.rows = rows
  }

  /// The table; a sentence if it has no rows.
  ///
  /// - Parameter none: The sentence.
  func html(none: String) -> HTML {
    guard !rows.isEmpty else { return .p(.text(none)).classed("empty") }
    let head = columns.map { column in
      HTML.element(.th, [], [.text(column.title)]).with(.scope, "col").classed(column.isNumber ? "number" : "text")
    }
    let body = rows.map { row in
      HTML.element(
        .tr, [],
        zip(columns, row).enumerated().map { index, cell in
          let name = cell.0.isNumber ? "number" : "text"
          let html = HTML.element(index == 0 ? .th : .td, [], [cell.1]).classed(name)
          return index == 0 ? html.with(.scope, "row") : html
        })
    }
    let table = HTML.element(
      .table, [],
      [
        .element(.caption, [], [.text(caption)]), .element(.thead, [], [.element(.tr, [], head)]),
        .element(.tbody, [], body),
      ])
    // A wide table scrolls by itself, also by the keyboard.
    return HTML.element(.div, [], [table]).classed("scroll").with(.tabindex, "0").with(.role, "region")
      .with(.ariaLabel, caption)
  }
}
#endif
