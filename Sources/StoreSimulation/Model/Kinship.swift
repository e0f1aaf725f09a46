internal import GemLedger

/// Which ids name one customer, as the rules of signing in, aliases and restores have it (union-find).
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

  /// Makes the two one.
  ///
  /// - Returns: Which root went into which; nil where they were one.
  mutating func unite(_ one: CustomerID, _ other: CustomerID) -> (from: CustomerID, into: CustomerID)? {
    let (from, into) = (root(one), root(other))
    guard from != into else { return nil }
    parents[from] = into
    return (from, into)
  }
}
