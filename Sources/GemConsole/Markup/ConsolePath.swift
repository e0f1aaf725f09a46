#if Server
internal import SystemHTTP

/// A path of the console, with its query.
struct ConsolePath: Hashable, Sendable, CustomStringConvertible {
  private let text: String

  /// - Parameters:
  ///   - parts: The parts behind `/console`, not encoded.
  ///   - query: Names and values; a nil value is left out.
  init(_ parts: String..., query: KeyValuePairs<String, String?> = [:]) {
    self.init(parts: parts, query: query.map { ($0.key, $0.value) })
  }

  init(parts: [String], query: [(name: String, value: String?)] = []) {
    let path = ([Self.root] + parts).map { "/" + Percent.encoded(Self.isDots($0) ? "~" + $0 : $0) }.joined()
    let values = query.compactMap { name, value in
      value.map { "\(Percent.encoded(name))=\(Percent.encoded($0))" }
    }
    text = values.isEmpty ? path : path + "?" + values.joined(separator: "&")
  }

  /// The path that a form carried, with its query; the first page if it is not of the console.
  init(carried text: String?) {
    let isPath =
      text?.wholeMatch(of: /\/console(\/[A-Za-z0-9%._~\-]*)*(\?[A-Za-z0-9%._~&=\-]*)?/) != nil
      && !(text ?? "").split(separator: "/").contains { $0 == "." || $0 == ".." }
    self.text = isPath ? text ?? "" : Self().text
  }

  /// Returns the part of a path that a decoded part of an address names.
  static func part(_ text: String) -> String {
    isDots(text) ? String(text.dropFirst(text.hasPrefix("~") ? 1 : 0)) : text
  }

  /// Whether it is one or two dots, which browsers would resolve, or such a part with the marks that keep it.
  private static func isDots(_ part: String) -> Bool { [".", ".."].contains(part.drop { $0 == "~" }) }

  var description: String { text }

  /// The first part of all paths.
  static let root = "console"
}
#endif
