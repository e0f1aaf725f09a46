#if Server

/// Finds the operation of a request, and checks the request before its work.
///
/// The order of the checks is: operation, method, caller, rate limit, parameters, body.
package struct Router: Sendable {
  /// The operations of one path, and the paths below it.
  private final class Node: Sendable {
    let routes: [Route]
    let children: [String: Node]
    /// The child for a name in braces.
    let named: (name: String, node: Node)?

    init(_ routes: [(rest: ArraySlice<String>, route: Route)]) {
      self.routes = routes.filter(\.rest.isEmpty).map(\.route)
      let longer = Dictionary(grouping: routes.filter { !$0.rest.isEmpty }) { $0.rest.first ?? "" }
      var (children, named): ([String: Node], (String, Node)?) = ([:], nil)
      for (part, list) in longer {
        let node = Node(list.map { ($0.rest.dropFirst(), $0.route) })
        if part.hasPrefix("{") { named = (String(part.dropFirst().dropLast()), node) } else { children[part] = node }
      }
      self.children = children
      self.named = named
    }
  }

  package let routes: [Route]
  private let root: Node

  package init(_ routes: [Route]) {
    self.routes = routes
    root = Node(routes.map { (Self.parts(of: $0.path), $0) })
  }

  private static func parts(of path: String) -> ArraySlice<String> {
    path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)[...]
  }

  /// An operation with the values of the names in its path.
  package struct Match: Sendable {
    package let route: Route
    package let names: [String: String]
  }

  package enum Outcome: Sendable {
    case found(Match)
    case noSuchPath
    /// The path exists with other methods.
    case otherMethods([String])
  }

  package func find(_ method: String, _ path: [String]) -> Outcome {
    var names: [String: String] = [:]
    guard let node = Self.node(behind: root, path[...], &names) else { return .noSuchPath }
    let wanted = method == "HEAD" ? "GET" : method
    if let route = node.routes.first(where: { $0.method == wanted }) {
      return .found(Match(route: route, names: names))
    }
    return .otherMethods(node.routes.map(\.method).sorted())
  }

  /// Returns the node of a path; a fixed part has precedence over a name, if it leads to an operation.
  private static func node(
    behind node: Node, _ path: ArraySlice<String>, _ names: inout [String: String]
  ) -> Node? {
    guard let part = path.first else { return node.routes.isEmpty ? nil : node }
    let rest = path.dropFirst()
    if let child = node.children[part], let found = self.node(behind: child, rest, &names) { return found }
    guard let named = node.named, let found = self.node(behind: named.node, rest, &names) else { return nil }
    names[named.name] = part
    return found
  }
}
#endif
