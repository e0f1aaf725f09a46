/// The orders that a group of commands has loaded or made, with the group's changes so far.
struct OrderBook: ~Copyable {
  private struct PendingOrder {
    var row: OrderRow
    var isNew: Bool
    var isChanged = false
  }

  private let scope: GroupScope
  private var orders: [PendingOrder] = []
  private var positions: [PurchaseCode: Int] = [:]
  private var tokens: [AccountTokenRow] = []
  private var entitlements: [EntitlementRow] = []

  private var hasChanges = false
  private var lastNumber: Int64?

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    guard !orders.isEmpty || !tokens.isEmpty || !entitlements.isEmpty || lastNumber != nil else { return }
    self = Self(scope)
  }

  func collect(into changes: inout ChangeSet) {
    guard hasChanges else { return }
    for order in orders {
      if order.isNew {
        changes.orders.new.append(order.row)
      } else if order.isChanged {
        changes.orders.changed.append(order.row)
      }
    }
    (changes.orders.accountTokens, changes.orders.entitlements) = (tokens, entitlements)
  }

  /// Draws the number of a new order.
  mutating func nextNumber() throws(LedgerError) -> Int64 { try scope.next(.order, after: &lastNumber) }

  // MARK: Orders

  mutating func find(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    if let index = positions[code] { return orders[index].row }
    return try scope.session.order(code).map { load($0) }
  }

  mutating func find(purchase: Int64) throws(LedgerError) -> OrderRow? {
    if let own = orders.first(where: { $0.row.purchase == purchase }) { return own.row }
    return try scope.session.order(purchase: purchase).map { load($0) }
  }

  mutating func find(
    key: IdempotencyKey, customer: FoundCustomer
  ) throws(LedgerError) -> OrderRow? {
    for number in [customer.original, customer.number] {
      if let own = orders.first(where: { $0.row.customer == number && $0.row.key == key }) { return own.row }
    }
    return try scope.session.order(key: key, customer: customer).map { load($0) }
  }

  mutating func add(_ row: OrderRow) {
    hasChanges = true
    positions[row.code] = orders.count
    orders.append(PendingOrder(row: row, isNew: true))
  }

  /// Replaces an order that was found or added before.
  mutating func replace(_ row: OrderRow) {
    guard let index = positions[row.code] else { return }
    hasChanges = true
    orders[index].row = row
    orders[index].isChanged = true
  }

  /// The row as the group sees it: as it was loaded, or as an earlier command left it.
  private mutating func load(_ row: OrderRow) -> OrderRow {
    if let index = positions[row.code] { return orders[index].row }
    positions[row.code] = orders.count
    orders.append(PendingOrder(row: row, isNew: false))
    return row
  }

  // MARK: Tokens and entitlements

  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    if let own = tokens.first(where: { $0.token == token }) { return own.customer }
    return try scope.session.customer(token: token)
  }

  mutating func add(_ row: AccountTokenRow) {
    hasChanges = true
    tokens.append(row)
  }

  func holder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    if let own = entitlements.last(where: { $0.purchase == purchase }) { return own.holder }
    return try scope.session.entitlementHolder(purchase: purchase)
  }

  /// Finds the purchases with entitlements that the customer owns, at most a thousand.
  func entitlements(of customer: CustomerNumber) throws(LedgerError) -> [Int64] {
    let known = try scope.session.page(EntitlementRow.ofHolder, IndexKey(customer), after: nil, limit: 1000)
    var found: [Int64] = []
    for purchase in Set((known + entitlements).map(\.purchase)).sorted()
    where try holder(purchase: purchase) == customer {
      found.append(purchase)
    }
    return found
  }

  mutating func set(_ row: EntitlementRow) {
    hasChanges = true
    entitlements.append(row)
  }
}
