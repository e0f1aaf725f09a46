/// Orders, account tokens and entitlements of a ledger that lives in memory.
struct MemoryOrders {
  /// By number, from 1.
  var rows: [OrderRow] = []
  var tokens: [TokenNumber: CustomerNumber] = [:]
  private(set) var holders: [Int64: CustomerNumber] = [:]
  /// The purchases that gave each customer's entitlements, ascending.
  private(set) var held: [CustomerNumber: [Int64]] = [:]

  private var byCode: [PurchaseCode: Int] = [:]
  private var byPurchase: [Int64: Int] = [:]
  private var byKey: [KeyID: Int] = [:]
  private var byCustomer: [CustomerNumber: [Int]] = [:]
  /// The unfinished orders, in the order of their due instants.
  private var open: [OrderRow.State: [OrderPosition]] = [:]

  private struct KeyID: Hashable {
    let customer: CustomerNumber
    let key: IdempotencyKey
  }

  subscript(code: PurchaseCode) -> OrderRow? { byCode[code].map { rows[$0] } }
  subscript(purchase number: Int64) -> OrderRow? { byPurchase[number].map { rows[$0] } }

  subscript(key: IdempotencyKey, customer: CustomerNumber) -> OrderRow? {
    byKey[KeyID(customer: customer, key: key)].map { rows[$0] }
  }

  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) -> [OrderRow] {
    let own = byCustomer[customer] ?? []
    return own.reversed().lazy.filter { rows[$0].number < below }.prefix(limit).map { rows[$0] }
  }

  func orders(_ state: OrderRow.State, after place: IndexPlace, limit: Int) -> [OrderRow] {
    let positions = open[state] ?? []
    let start = Self.index(of: OrderPosition(dueAt: place.first, number: place.second), in: positions, isAfter: true)
    return positions[start...].prefix(limit).map { rows[Int($0.number) - 1] }
  }

  func entitlements(of customer: CustomerNumber, below purchase: Int64, limit: Int) -> [Int64] {
    Array((held[customer] ?? []).reversed().lazy.drop { $0 >= purchase }.prefix(limit))
  }

  mutating func write(_ changes: OrderChanges) {
    for row in changes.new { add(row) }
    for row in changes.changed { replace(row) }
    for row in changes.accountTokens { tokens[row.token] = row.customer }
    for row in changes.entitlements { hold(row) }
  }

  /// Erases the customers' announcements and their keys.
  mutating func erase(_ customers: Set<CustomerNumber>) {
    for index in customers.flatMap({ byCustomer[$0] ?? [] }) {
      if let key = rows[index].key { byKey[KeyID(customer: rows[index].customer, key: key)] = nil }
      rows[index].key = nil
      rows[index].request = OrderRow.erasedRequest
    }
  }

  private mutating func hold(_ row: EntitlementRow) {
    if let before = holders[row.purchase] { held[before]?.removeAll { $0 == row.purchase } }
    holders[row.purchase] = row.holder
    var purchases = held.removeValue(forKey: row.holder) ?? []
    purchases.insert(row.purchase, at: purchases.firstIndex { $0 > row.purchase } ?? purchases.count)
    held[row.holder] = purchases
  }

  private mutating func add(_ row: OrderRow) {
    let index = rows.count
    rows.append(row)
    byCode[row.code] = index
    if let key = row.key { byKey[KeyID(customer: row.customer, key: key)] = index }
    if let purchase = row.purchase { byPurchase[purchase] = index }
    byCustomer[row.customer, default: []].append(index)
    insert(row)
  }

  private mutating func replace(_ row: OrderRow) {
    let index = Int(row.number) - 1
    remove(rows[index])
    rows[index] = row
    if let purchase = row.purchase { byPurchase[purchase] = index }
    insert(row)
  }

  private mutating func insert(_ row: OrderRow) {
    guard row.state != .success else { return }
    let position = OrderPosition(of: row)
    var positions = open.removeValue(forKey: row.state) ?? []
    positions.insert(position, at: Self.index(of: position, in: positions, isAfter: false))
    open[row.state] = positions
  }

  private mutating func remove(_ row: OrderRow) {
    guard row.state != .success, var positions = open.removeValue(forKey: row.state) else { return }
    let index = Self.index(of: OrderPosition(of: row), in: positions, isAfter: false)
    positions.remove(at: index)
    open[row.state] = positions
  }

  /// Finds the first index with a position not below this position, or above it if `isAfter`.
  private static func index(of position: OrderPosition, in positions: [OrderPosition], isAfter: Bool) -> Int {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      let goesRight = isAfter ? positions[middle] <= position : positions[middle] < position
      if goesRight { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
