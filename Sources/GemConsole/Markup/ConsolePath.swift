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
    let path = ([Self.root] + parts).map { "/" + Percent.encoded($0) }.joined()
    let values = query.compactMap { name, value in
      value.map { "\(Percent.encoded(name))=\(Percent.encoded($0))" }
    }
    text = values.isEmpty ? path : path + "?" + values.joined(separator: "&")
  }

  var description: String { text }

  /// The first part of all paths.
  static let root = "console"
}
#endif
