internal import GemLedger

/// The customers that tokens on purchases name.
struct AccountTokenTable {
  let statements: StatementRunner

  func add(_ tokens: [AccountTokenRow]) throws(LedgerError) { try statements.insert(tokens) }
}
