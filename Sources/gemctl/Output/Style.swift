/// Emphasis: escape sequences on terminals, nothing elsewhere.
struct Style: Hashable, Sendable {
  let isOn: Bool
  /// The columns of the terminal; nil for output to a program, which is not shortened.
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
