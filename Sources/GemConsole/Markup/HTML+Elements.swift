#if Server
internal import GemLedger
internal import LedgerCharts

extension HTML {
  static func h1(_ content: HTML...) -> HTML { .element(.h1, [], content) }
  static func h2(_ content: HTML...) -> HTML { .element(.h2, [], content) }
  static func p(_ content: HTML...) -> HTML { .element(.p, [], content) }
  static func div(_ content: HTML...) -> HTML { .element(.div, [], content) }
  static func span(_ content: HTML...) -> HTML { .element(.span, [], content) }
  static func strong(_ content: HTML...) -> HTML { .element(.strong, [], content) }
  static func small(_ content: HTML...) -> HTML { .element(.small, [], content) }
  static func code(_ text: String) -> HTML { .element(.code, [], [.text(SafeText.escaped(text))]) }
  /// A text of several lines, as it is.
  static func lines(_ text: String) -> HTML { .element(.pre, [], [.text(safeLines(text))]) }
  /// A text of ours with texts from outside: its line ends stay, other control characters become visible.
  static func safeLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { SafeText.escaped(String($0)) }
      .joined(separator: "\n")
  }
  static func list(_ items: [HTML]) -> HTML { .element(.ul, [], items.map { .element(.li, [], [$0]) }) }

  /// A part of a page with a heading.
  static func section(_ title: String, _ content: HTML...) -> HTML {
    .element(.section, [], [.h2(.text(title))] + content)
  }

  /// Names with their values; a row whose value is nil is left out.
  static func facts(_ rows: [(name: String, value: HTML?)]) -> HTML {
    .element(
      .dl, [],
      rows.flatMap { row -> [HTML] in
        row.value.map { [.element(.dt, [], [.text(row.name)]), .element(.dd, [], [$0])] } ?? []
      }
    ).classed("facts")
  }

  static func link(_ text: HTML, to path: ConsolePath) -> HTML {
    HTML.element(.a, [], [text]).with(.href, path.description)
  }

  /// A customer's id, with a link to the customer's page.
  static func customer(_ id: CustomerID) -> HTML {
    .link(.foreign(id.text), to: ConsolePath("customers", id.text))
  }

  /// A link that looks like a button.
  static func button(_ text: String, to path: ConsolePath) -> HTML {
    .link(.text(text), to: path).classed("button")
  }

  /// A message of some importance: `note`, `good`, `warning` or `bad`.
  static func message(_ kind: String, _ content: HTML...) -> HTML {
    HTML.element(.div, [], content).classed("message \(kind)").with(.role, kind == "bad" ? "alert" : "status")
  }

  /// A word in a frame, such as a state.
  static func badge(_ text: String, _ kind: String = "note") -> HTML {
    HTML.span(.text(text)).classed("badge \(kind)")
  }

  /// A text from outside: apart from the direction of the text around it, with visible control characters, shortened.
  ///
  /// - Parameter limit: The number of characters before it is shortened; the title has at most 1,500.
  static func foreign(_ text: String, limit: Int = 60) -> HTML {
    let safe = SafeText.escaped(text)
    guard text.count > limit else { return .element(.bdi, [], [.text(safe)]) }
    return HTML.element(.bdi, [], [.text(SafeText.escaped(String(text.prefix(limit))) + "…")])
      .with(.title, String(safe.prefix(1500))).with(.dataExact, safe)
  }
}
#endif
