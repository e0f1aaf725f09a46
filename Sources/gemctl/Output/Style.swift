/// Emphasis: escape sequences where they are welcome, nothing elsewhere.
struct Style: Hashable, Sendable {
  let isOn: Bool
  /// Columns of the terminal; nil where a program reads, to which nothing is shortened.
  var width: Int?

  static let plain = Style(isOn: false)

  func bold(_ text: String) -> String { wrapped(text, "1") }
  func dim(_ text: String) -> String { wrapped(text, "2") }
  func red(_ text: String) -> String { wrapped(text, "31") }
  func green(_ text: String) -> String { wrapped(text, "32") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
