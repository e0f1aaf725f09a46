#if Server

/// Finds the operation of a request, and checks the request before its work.
///
/// The order of the checks is: operation, method, caller, rate limit, parameters, body.
package struct Router: Sendable {
  /// The operations of one path, and the paths below it.
  private struct Node: Sendable {
    var operations: [Operation] = []
    /// The places of the nodes below, by the next part of the path.
    var children: [String: Int] = [:]
    /// The child for a name in braces.
    var named: (name: String, place: Int)?
  }

  /// Keeps a route in one place, since a copy of a route counts references to all its parts.
  fileprivate final class Operation: Sendable {
    let route: Route
    let hasRequiredQuery: Bool

    init(_ route: Route) {
      self.route = route
      hasRequiredQuery = route.query.contains(where: \.isRequired)
    }
  }

  package let routes: [Route]
  /// All nodes; the root is the first.
  ///
  /// Nodes are found by place, since the threads of the server would compete for the reference counts of objects.
  private let nodes: [Node]

  package init(_ routes: [Route]) {
    self.routes = routes
    var nodes = [Node()]
    for route in routes {
      var place = 0
      for part in route.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
        place = Self.place(of: String(part), below: place, in: &nodes)
      }
      nodes[place].operations.append(Operation(route))
    }
    self.nodes = nodes
  }

  /// Returns the place of a part's node, which it adds if it is missing.
  private static func place(of part: String, below parent: Int, in nodes: inout [Node]) -> Int {
    let isName = part.hasPrefix("{")
    if let known = isName ? nodes[parent].named?.place : nodes[parent].children[part] { return known }
    let place = nodes.count
    nodes.append(Node())
    if isName {
      nodes[parent].named = (String(part.dropFirst().dropLast()), place)
    } else {
      nodes[parent].children[part] = place
    }
    return place
  }

  /// An operation with the values of the names in its path.
  package struct Match: Sendable {
    fileprivate let operation: Operation
    package let names: PathNames

    package var route: Route { operation.route }
    /// Whether the route's query has a required parameter.
    var hasRequiredQuery: Bool { operation.hasRequiredQuery }

    fileprivate init(_ operation: Operation, _ names: PathNames) {
      self.operation = operation
      self.names = names
    }
  }

  package enum Outcome: Sendable {
    case found(Match)
    case noSuchPath
    /// The path exists with other methods.
    case otherMethods([String])
  }

  package func find(_ method: String, _ path: [String]) -> Outcome {
    var names = PathNames()
    guard let place = place(of: path, from: 0, below: 0, &names) else { return .noSuchPath }
    let wanted = method == "HEAD" ? "GET" : method
    if let operation = nodes[place].operations.first(where: { $0.route.method == wanted }) {
      return .found(Match(operation, names))
    }
    return .otherMethods(nodes[place].operations.map(\.route.method).sorted())
  }

  /// Returns the place of a path's node; a fixed part has precedence over a name, if it leads to an operation.
  ///
  /// - Parameter index: The index of the first part below the node.
  private func place(
    of path: [String], from index: Int, below place: Int, _ names: inout PathNames
  ) -> Int? {
    guard index < path.count else { return nodes[place].operations.isEmpty ? nil : place }
    if let child = nodes[place].children[path[index]],
      let found = self.place(of: path, from: index + 1, below: child, &names)
    {
      return found
    }
    guard let named = nodes[place].named,
      let found = self.place(of: path, from: index + 1, below: named.place, &names)
    else { return nil }
    names.add(named.name, path[index])
    return found
  }
}
#endif
