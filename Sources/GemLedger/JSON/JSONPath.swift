/// A position in a JSON document, written as `$.products[2].prices.USA`.
package indirect enum JSONPath: Hashable, Sendable, CustomStringConvertible {
  case root
  case member(JSONPath, name: String)
  case element(JSONPath, index: Int)

  package static func / (path: JSONPath, name: String) -> JSONPath { .member(path, name: name) }

  package subscript(index: Int) -> JSONPath { .element(self, index: index) }

  /// The path's text; names other than `[A-Za-z0-9_]+` are put in brackets and quotes.
  package var description: String {
    switch self {
    case .root: "$"
    case .member(let parent, let name): parent.description + Self.step(name)
    case .element(let parent, let index): "\(parent)[\(index)]"
    }
  }

  /// The path without its root, as an answer names a part of a request: `products[2].prices.USA`.
  package var parameter: String {
    let steps = description.dropFirst()
    return String(steps.hasPrefix(".") ? steps.dropFirst() : steps)
  }

  private static func step(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { ASCII.isWord($0) }
    guard !isPlain else { return "." + name }
    let escaped = name.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    return "['\(escaped)']"
  }
}
