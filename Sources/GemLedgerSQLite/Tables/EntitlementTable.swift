internal import GemLedger

/// The current owners of the entitlements that purchases gave.
struct EntitlementTable {
  let statements: StatementRunner

  func write(_ entitlements: [EntitlementRow]) throws(LedgerError) {
    try statements.replace(entitlements)
  }
}
