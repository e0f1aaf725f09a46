/// The checks of a basket that need no rows; pure.
enum BasketRules {
  /// All participants, in the order of appearance.
  static func customers(of legs: [BasketLeg]) -> [CustomerID] {
    var seen: Set<CustomerID> = []
    return legs.flatMap(\.customers).filter { seen.insert($0).inserted }
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `same_customer`, `amount_out_of_range`.
  static func check(_ legs: [BasketLeg], payer: CustomerID, conditions: [Condition]) throws(LedgerError) {
    guard !legs.isEmpty else { throw .invalid("The basket is empty: name at least one step.") }
    guard customers(of: legs).contains(payer) else {
      throw .invalid("\"\(payer)\", the owner of the key, is not part of the basket.")
    }
    guard legs.count <= Limits.legsPerBasket else {
      throw LedgerError(
        .limitExceeded, "A basket of \(legs.count) steps; the most is \(Limits.legsPerBasket).",
        details: [.integer("count", Int64(legs.count)), .integer("limit", Int64(Limits.legsPerBasket))])
    }
    for leg in legs {
      switch leg {
      case .transfer(let amounts, let from, let to):
        try refuseSame(from, to)
        try RequestRules.check(amounts: amounts, conditions: [], of: "transfer")
      case .item(let item, let quantity, let from, let to):
        try refuseSame(from, to)
        try RequestRules.check(quantity: quantity, of: item.text)
      case .spend(let amounts, _): try RequestRules.check(amounts: amounts, conditions: [], of: "spend")
      case .grant(let amounts, _, let source):
        guard source != .paid else { throw .invalid("Only a purchase makes paid currency; choose another source.") }
        try RequestRules.check(amounts: amounts, conditions: [], of: "grant")
      }
    }
    let own = legs.flatMap { $0.changes(of: payer) }
    try RequestRules.check(conditions, cover: own)
  }

  static func refuseSame(_ from: CustomerID, _ to: CustomerID) throws(LedgerError) {
    guard from == to else { return }
    throw LedgerError(.sameCustomer, "\"\(from)\" cannot transfer to \"\(to)\": both are the same customer. Name two.")
  }
}

extension BasketLeg {
  var customers: [CustomerID] {
    switch self {
    case .transfer(_, let from, let to), .item(_, _, let from, let to): [from, to]
    case .spend(_, let customer), .grant(_, let customer, _): [customer]
    }
  }

  fileprivate func changes(of customer: CustomerID) -> [Adjustment] {
    switch self {
    case .transfer(let amounts, let from, let to): customer == from || customer == to ? amounts : []
    case .spend(let amounts, let own), .grant(let amounts, let own, _): own == customer ? amounts : []
    case .item: []
    }
  }
}
