internal import GemLedger

/// The identity sets of customers under the rules of sign-in, aliases and restores (union-find).
struct IdentitySets {
  private var parents: [CustomerID: CustomerID] = [:]

  /// Returns the representative of all ids of a customer.
  mutating func survivingCustomer(_ id: CustomerID) -> CustomerID {
    var survivingCustomer = id
    while let parent = parents[survivingCustomer] { survivingCustomer = parent }
    var next = id
    while let parent = parents[next], parent != survivingCustomer {
      parents[next] = survivingCustomer
      next = parent
    }
    return survivingCustomer
  }

  /// Merges the two customers.
  ///
  /// - Returns: The merged and the surviving representative; nil if they were one customer before.
  mutating func unite(_ one: CustomerID, _ other: CustomerID) -> (from: CustomerID, into: CustomerID)? {
    let (from, into) = (survivingCustomer(one), survivingCustomer(other))
    guard from != into else { return nil }
    parents[from] = into
    return (from, into)
  }
}
