public import GemLedger

/// A customer's balances in all currencies.
public struct VirtualCurrencies: Hashable, Sendable, Codable {
  /// The currencies by their codes, zeros included.
  public let all: [String: VirtualCurrency]
  /// The owner of the balances.
  public let customer: CustomerID
  /// The instant of the balances.
  public let asOf: Timestamp
  /// Whether a balance may have changed since: the value is old, was invalidated, or the backend was unreachable.
  public internal(set) var isStale: Bool

  /// Creates balances for a preview or an app's backend; of two with one code, the first counts.
  public init(
    _ currencies: [VirtualCurrency], customer: CustomerID, asOf: Timestamp = Timestamp(milliseconds: 0),
    isStale: Bool = false
  ) {
    all = Dictionary(currencies.map { ($0.code, $0) }) { first, _ in first }
    self.customer = customer
    self.asOf = asOf
    self.isStale = isStale
  }

  /// The currency with this code.
  public subscript(code: String) -> VirtualCurrency? { all[code] }
}

/// A customer's balance in one currency.
public struct VirtualCurrency: Hashable, Sendable, Codable {
  /// The amount that can be spent.
  public let balance: Int
  /// The currency's name, such as `Gems`.
  public let name: String
  /// The currency's code, such as `GEM`.
  public let code: String
  /// The operators' description of it.
  public let serverDescription: String?
  /// The grants of paid purchases that wait too long for their credit, minus the provisional spends; not in the
  /// balance.
  ///
  /// A grant is shown only with a balance from before the purchase, so that it is never counted twice; the credit
  /// replaces it. The value is negative if provisional spends exceed the grants.
  public internal(set) var provisional = 0

  /// Creates a balance for a preview or an app's backend.
  public init(code: String, name: String, balance: Int, serverDescription: String? = nil) {
    self.balance = balance
    self.name = name
    self.code = code
    self.serverDescription = serverDescription
  }

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

  /// Returns the balances with the provisional amounts added.
  func adding(_ provisional: [CurrencyCode: Int64]) -> Self {
    guard !provisional.isEmpty else { return self }
    var all = all
    for (code, amount) in provisional { all[code.description]?.provisional = Int(clamping: amount) }
    return Self(Array(all.values), customer: customer, asOf: asOf, isStale: isStale)
  }
}

extension VirtualCurrencies {
  /// Returns whether both have equal balances of one customer, ignoring the instants.
  public static func == (left: Self, right: Self) -> Bool {
    left.all == right.all && left.customer == right.customer
  }

  /// Hashes the compared values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(all)
    hasher.combine(customer)
  }

  private enum CodingKeys: String, CodingKey {
    case all
    case customer
    case asOf
    case isStale
  }

  /// Reads the output of ``encode(to:)``.
  ///
  /// - Throws: The decoder's errors, and `LedgerError` with `invalid_identifier`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    all = try fields.decode([String: VirtualCurrency].self, forKey: .all)
    customer = try CustomerID(fields.decode(String.self, forKey: .customer))
    asOf = Timestamp(milliseconds: try fields.decode(Int64.self, forKey: .asOf))
    isStale = try fields.decode(Bool.self, forKey: .isStale)
  }

  /// Writes the balances, their owner, and their instant in milliseconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(all, forKey: .all)
    try fields.encode(customer.text, forKey: .customer)
    try fields.encode(asOf.milliseconds, forKey: .asOf)
    try fields.encode(isStale, forKey: .isStale)
  }
}

extension VirtualCurrencies: CustomStringConvertible {
  /// The balances in the order of their codes, such as `GEM 1200`; the owner stays out of logs.
  public var description: String {
    let balances = all.values.sorted { $0.code < $1.code }.map(\.description)
    return (balances.isEmpty ? "no currencies" : balances.joined(separator: ", ")) + (isStale ? " (stale)" : "")
  }

  /// Balances for a preview: 1,200 gems.
  public static let preview = VirtualCurrencies(
    [VirtualCurrency(code: "GEM", name: "Gems", balance: 1200)], customer: CustomerID(unchecked: "preview"))
}

extension VirtualCurrency: CustomStringConvertible {
  /// For example `GEM 1200`, with the amount that waits for its credit.
  public var description: String { "\(code) \(balance)" + (provisional == 0 ? "" : " (\(provisional) on their way)") }
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
