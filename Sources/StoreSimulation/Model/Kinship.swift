internal import GemLedger

/// The identity sets of customers under the rules of sign-in, aliases and restores (union-find).
struct Kinship {
  private var parents: [CustomerID: CustomerID] = [:]

  /// The id that stands for all ids of a customer.
  mutating func root(_ id: CustomerID) -> CustomerID {
    var root = id
    while let parent = parents[root] { root = parent }
    var next = id
    while let parent = parents[next], parent != root {
      parents[next] = root
      next = parent
    }
    return root
  }

  /// Merges the two customers.
  ///
  /// - Returns: The merged and the surviving representative; nil where they were one customer before.
  mutating func unite(_ one: CustomerID, _ other: CustomerID) -> (from: CustomerID, into: CustomerID)? {
    let (from, into) = (root(one), root(other))
    guard from != into else { return nil }
    parents[from] = into
    return (from, into)
  }
}
