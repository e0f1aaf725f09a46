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
      return try statements.scanned(
        "SELECT high, low, customer FROM account_tokens ORDER BY high, low LIMIT ?1", after: nil, Self.precedes,
        { $0.bind(1, Int64(limit)) }, Self.accountToken)
    }
    return try statements.scanned(
      "SELECT high, low, customer FROM account_tokens WHERE (high, low) > (?1, ?2) ORDER BY high, low LIMIT ?3",
      after: after, Self.precedes,
      {
        $0.bind(1, after.token.high)
        $0.bind(2, after.token.low)
        $0.bind(3, Int64(limit))
      }, Self.accountToken)
  }

  private static func precedes(_ one: AccountTokenRow, _ other: AccountTokenRow) -> Bool {
    (one.token.high, one.token.low) < (other.token.high, other.token.low)
  }

  private static func accountToken(_ row: SQLiteStatement) throws(SQLiteFailure) -> AccountTokenRow {
    AccountTokenRow(token: TokenNumber(high: row.integer(0), low: row.integer(1)), customer: try row.number(2))
  }

  func add(_ tokens: [AccountTokenRow]) throws(LedgerError) {
    try statements.run("INSERT INTO account_tokens VALUES (?1, ?2, ?3)", tokens) {
      $0.bind(1, $1.token.high)
      $0.bind(2, $1.token.low)
      $0.bind(3, $1.customer)
    }
  }
}
