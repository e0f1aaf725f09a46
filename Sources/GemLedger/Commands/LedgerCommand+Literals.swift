// Commands with ids, codes and keys as texts, for scripts and tests:
//
//   try ledger.book(.spend(["GEM": 50], customer: "alice", key: "tap-1"))
//
// Each is the command of the same name with checked values. The amounts are checked first, then the customer or the
// item, then the key.

extension LedgerCommand {
  static func checked(_ key: String?) throws(LedgerError) -> IdempotencyKey? {
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
