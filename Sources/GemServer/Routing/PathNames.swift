#if Server
/// The values of the names in braces in a route's path.
///
/// A path has few names, and a search through them is faster than a dictionary.
package struct PathNames: Sendable {
  private var values: [(name: String, value: String)] = []

  mutating func add(_ name: String, _ value: String) { values.append((name, value)) }

  package subscript(name: String) -> String? { values.first { $0.name == name }?.value }

  package var isEmpty: Bool { values.isEmpty }
}
#endif
