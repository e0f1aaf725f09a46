public import GemLedger

/// A customer's balances in all currencies.
public struct VirtualCurrencies: Hashable, Sendable {
  /// The currencies by their codes, zeros included.
  public let all: [String: VirtualCurrency]
  /// The owner of the balances.
  public let customer: CustomerID
  /// When this was true.
  public let asOf: Timestamp
  /// Whether something may have changed since: the value is old, was invalidated, or the backend was unreachable.
  public internal(set) var isStale: Bool

  /// The currency with this code.
  public subscript(code: String) -> VirtualCurrency? { all[code] }
}

/// A customer's balance in one currency.
public struct VirtualCurrency: Hashable, Sendable {
  /// The amount that can be spent.
  public let balance: Int
  /// The currency's name, such as `Gems`.
  public let name: String
  /// The currency's code, such as `GEM`.
  public let code: String
  /// The operators' description of it.
  public let serverDescription: String?
  /// The grants of paid purchases that wait for their credit longer than they should, less the provisional spends; not
  /// in the balance.
  ///
  /// A grant is shown only beside a balance from before the purchase, so that nothing is ever counted twice; the credit
  /// replaces it. It is negative where provisional spends go beyond the grants.
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

  /// Returns the same balances with the provisional amounts beside them.
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
