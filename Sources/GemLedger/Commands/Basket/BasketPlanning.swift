/// One customer's part of a basket.
struct BasketSide {
  let customer: FoundCustomer
  let id: CustomerID
  /// Indices into the plans.
  var plans: [Int] = []
  var items: [(ItemID, Int64)] = []
  var kinds: Set<EntryKind> = []
  var booked: TransactionNumber = 0
  var booking: Booking?
  var extras = BookingExtras()
}

/// A basket before it is booked.
struct BasketPlan {
  var sides: [BasketSide]
  let positions: [CustomerID: Int]
  /// The amounts that move from one plan to another, in the order of the steps.
  var moves: [Move] = []
  var grants: [(plan: Int, credit: LotCredit)] = []

  struct Move {
    let from: Int
    let to: Int
    let amount: Int64
  }

  init(sides: [BasketSide], positions: [CustomerID: Int]) {
    self.sides = sides
    self.positions = positions
  }

  func index(of id: CustomerID) throws(LedgerError) -> Int {
    guard let index = positions[id] else { throw .customerNotFound(id) }
    return index
  }
}

/// Plans the steps of a basket.
enum BasketPlanning {
  static func plan(_ decider: inout Decider, _ leg: BasketLeg, _ basket: inout BasketPlan) throws(LedgerError) {
    switch leg {
    case .transfer(let amounts, let from, let to):
      let (payer, payee) = try ends(from, to, basket)
      for amount in amounts {
        let out = try plan(&decider, .transfer, amount.currency, -amount.amount, payer, &basket)
        let into = try plan(&decider, .transfer, amount.currency, amount.amount, payee, &basket)
        basket.moves.append(.init(from: out, to: into, amount: amount.amount))
      }
    case .item(let item, let quantity, let from, let to):
      let (giver, taker) = try ends(from, to, basket)
      _ = try decider.catalog.item(item, in: decider.session, definitions: decider.books.definitions)
      try add(item, -quantity, giver, &basket)
      try add(item, quantity, taker, &basket)
    case .spend(let amounts, let customer):
      let side = try basket.index(of: customer)
      for amount in amounts {
        _ = try plan(&decider, .spend, amount.currency, -amount.amount, side, &basket)
      }
    case .grant(let amounts, let customer, let source):
      let side = try basket.index(of: customer)
      let production = StoreEnvironment.production.kind.rawValue
      for amount in amounts {
        let index = try plan(&decider, .grant, amount.currency, amount.amount, side, &basket)
        basket.grants.append((index, LotCredit(amount: amount.amount, source: source, environment: production)))
      }
    }
  }

  private static func ends(
    _ from: CustomerID, _ to: CustomerID, _ basket: BasketPlan
  ) throws(LedgerError) -> (from: Int, to: Int) {
    let (one, other) = (try basket.index(of: from), try basket.index(of: to))
    guard one != other else {
      throw LedgerError(.sameCustomer, "\"\(from)\" and \"\(to)\" are ids of the same customer. Name two customers.")
    }
    return (one, other)
  }

  private static func add(
    _ item: ItemID, _ quantity: Int64, _ side: Int, _ basket: inout BasketPlan
  ) throws(LedgerError) {
    let isBoth = basket.sides[side].items.contains { $0.0 == item && ($0.1 > 0) != (quantity > 0) }
    guard !isBoth else { throw .givesAndGets("\"\(item)\"", basket.sides[side].id) }
    basket.sides[side].items.append((item, quantity))
    basket.sides[side].kinds.insert(.transfer)
  }

  /// Adds to the plan of one customer's one currency, opened if there is none.
  private static func plan(
    _ decider: inout Decider, _ kind: EntryKind, _ code: CurrencyCode, _ amount: Int64, _ side: Int,
    _ basket: inout BasketPlan
  ) throws(LedgerError) -> Int {
    let customer = basket.sides[side].customer
    basket.sides[side].kinds.insert(kind)
    guard let known = basket.sides[side].plans.first(where: { decider.books.plans[$0].currency.code == code }) else {
      try decider.books.plan(kind, code, amount, customer: customer)
      basket.sides[side].plans.append(decider.books.plans.count - 1)
      return decider.books.plans.count - 1
    }
    guard (decider.books.plans[known].amount > 0) == (amount > 0), decider.books.plans[known].kind == kind else {
      throw .givesAndGets(code.description, basket.sides[side].id)
    }
    let sum = decider.books.plans[known].amount + amount
    guard abs(sum) <= Limits.amount else {
      throw RequestRules.outOfRange("The steps of \(code) together are more than \(Limits.amount).", sum)
    }
    decider.books.plans[known].amount = sum
    return known
  }

  // MARK: Lots

  /// Finds the lots that are taken, and the lots that the others get for them.
  static func planLots(_ books: inout Bookkeeper, of basket: BasketPlan) throws(LedgerError) {
    for index in books.plans.indices where books.plans[index].amount < 0 {
      try books.plans[index].burn(in: &books.work.accounts)
      books.plans[index].namePool(in: books.work.accounts)
    }
    var given: [Int: Int64] = [:]
    for move in basket.moves {
      let start = given[move.from] ?? 0
      given[move.from] = start + move.amount
      books.plans[move.to].credits += try LotLineage.credits(
        books.work, of: move.amount, behind: start, in: books.plans[move.from])
    }
    for (index, credit) in basket.grants { books.plans[index].credits.append(credit) }
  }
}

extension LedgerError {
  fileprivate static func givesAndGets(_ what: String, _ id: CustomerID) -> Self {
    .invalid("\"\(id)\" both gives and gets \(what), or spends and transfers it, in one basket: sum it up first.")
  }
}
