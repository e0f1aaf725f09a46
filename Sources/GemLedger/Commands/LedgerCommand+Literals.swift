// Commands with ids, codes and keys as texts, for scripts and tests:
//
//   try ledger.book(.spend(["GEM": 50], customer: "alice", key: "tap-1"))
//
// Each is the command of the same name with checked values. The amounts are checked first, then the customer or the
// item, then the key.

extension LedgerCommand {
  /// Takes currency, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence: `invalid_identifier`, and `amount_out_of_range` for an
  ///   amount below 1.
  public static func spend(
    _ amounts: AmountsByCode, customer: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return try .spend(amounts, customer: CustomerID(customer), key: checked(key), details: details)
  }

  /// Changes balances by signed amounts, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func adjust(
    _ adjustments: AmountsByCode, customer: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let adjustments = try adjustments.checked()
    return .adjust(adjustments, customer: try CustomerID(customer), key: try checked(key), details: details)
  }

  /// Grants currency, with amounts, id and key as texts; makes the customer if need be.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func grant(
    _ amounts: AmountsByCode, customer: String, key: String? = nil, source: LotSource = .admin,
    expiresAt: Timestamp? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return .grant(
      amounts, customer: try CustomerID(customer), key: try checked(key), source: source, expiresAt: expiresAt,
      details: details)
  }

  /// Sets currency aside, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func hold(
    _ amounts: AmountsByCode, customer: String, for duration: Duration = holdDuration, key: String? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return .hold(amounts, customer: try CustomerID(customer), for: duration, key: try checked(key), details: details)
  }

  /// Moves currency from one customer to another, with amounts, ids and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func transfer(
    _ amounts: AmountsByCode, from: String, to: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    let (from, to) = (try CustomerID(from), try CustomerID(to))
    return .transfer(amounts, from: from, to: to, key: try checked(key), details: details)
  }

  /// Sells items at the catalog's price, with ids and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func buyItem(
    _ item: String, quantity: Int64 = 1, customer: String, key: String? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let item = try ItemID(item)
    return .buyItem(
      item, quantity: quantity, customer: try CustomerID(customer), key: try checked(key), details: details)
  }

  /// Makes the customer with this id, or does nothing where the customer exists.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func createCustomer(_ customer: String) throws(LedgerError) -> Self {
    .createCustomer(try CustomerID(customer))
  }

  private static func checked(_ key: String?) throws(LedgerError) -> IdempotencyKey? {
    if let key { try IdempotencyKey(key) } else { nil }
  }
}

extension Ledger {
  /// Returns a customer's balance in one currency, with code and id as texts.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier`, `customer_not_found`,
  ///   `unknown_currency`.
  public func balance(of code: String, customer: String) throws(LedgerError) -> Balance {
    try balance(of: CurrencyCode(code), customer: CustomerID(customer))
  }
}
