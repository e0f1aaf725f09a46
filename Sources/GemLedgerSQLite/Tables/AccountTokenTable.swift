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

  func add(_ tokens: [AccountTokenRow]) throws(LedgerError) { try statements.insert(tokens) }
}
