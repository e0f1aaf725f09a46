public import GemLedger

/// What a customer has of every currency.
public struct VirtualCurrencies: Hashable, Sendable {
  /// The currencies by their codes, zeros included.
  public let all: [String: VirtualCurrency]
  /// Whose they are.
  public let customer: CustomerID
  /// When this was true.
  public let asOf: Timestamp
  /// Whether something may have changed since: the value is old, was invalidated, or nobody could be asked.
  public internal(set) var isStale: Bool

  /// The currency with this code.
  public subscript(code: String) -> VirtualCurrency? { all[code] }
}

/// What a customer has of one currency.
public struct VirtualCurrency: Hashable, Sendable {
  /// What can be spent.
  public let balance: Int
  /// The currency's name, such as `Gems`.
  public let name: String
  /// The currency's code, such as `GEM`.
  public let code: String
  /// What those who run the shop say about it.
  public let serverDescription: String?
  /// What was paid for, waits for its credit longer than it should, and is not in the balance.
  ///
  /// It is shown only beside a balance from before the purchase, so that nothing is ever counted twice; the credit
  /// takes its place.
  public internal(set) var provisional = 0

  init(_ row: StoredBalances.Row) {
    balance = Int(clamping: row.balance)
    name = row.name
    code = row.code
    serverDescription = row.description
  }
}

extension VirtualCurrencies {
  init(_ stored: StoredBalances, isStale: Bool) {
    all = Dictionary(stored.rows.map { ($0.code, VirtualCurrency($0)) }) { first, _ in first }
    customer = stored.customer
    asOf = stored.asOf
    self.isStale = isStale
  }

  /// The same, with what is provisional beside it.
  func adding(_ provisional: [CurrencyCode: Int64]) -> Self {
    guard !provisional.isEmpty else { return self }
    var all = all
    for (code, amount) in provisional { all[code.description]?.provisional = Int(clamping: amount) }
    return Self(all: all, customer: customer, asOf: asOf, isStale: isStale)
  }
}

extension StoredBalances {
  init(_ balances: [Balance], customer: CustomerID, asOf: Timestamp) {
    self.customer = customer
    self.asOf = asOf
    rows = balances.map {
      Row(code: $0.currency.description, name: $0.name, description: $0.description, balance: $0.available)
    }
  }
}
