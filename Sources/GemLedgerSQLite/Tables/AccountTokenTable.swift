internal import GemLedger

/// The customers that tokens on purchases name.
struct AccountTokenTable {
  let statements: StatementRunner

  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    try statements.first(
      "SELECT customer FROM account_tokens WHERE high = ?1 AND low = ?2",
      {
        $0.bind(1, token.high)
        $0.bind(2, token.low)
      }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
    // Nothing sorts before the lowest token, which a customer may have.
    guard let after else {
      return try statements.page("ORDER BY high, low LIMIT ?1", after: nil, Self.precedes) {
        $0.bind(1, Int64(limit))
      }
    }
    return try statements.page("WHERE (high, low) > (?1, ?2) ORDER BY high, low LIMIT ?3", after: after, Self.precedes)
    {
      $0.bind(1, after.token.high)
      $0.bind(2, after.token.low)
      $0.bind(3, Int64(limit))
    }
  }

  private static func precedes(_ one: AccountTokenRow, _ other: AccountTokenRow) -> Bool {
    (one.token.high, one.token.low) < (other.token.high, other.token.low)
  }

  func add(_ tokens: [AccountTokenRow]) throws(LedgerError) { try statements.insert(tokens) }
}
