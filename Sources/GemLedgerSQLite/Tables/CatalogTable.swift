internal import GemLedger

/// The project, and the writes of the catalog with its versions.
struct CatalogTable {
  let statements: StatementRunner

  // MARK: Reading

  func project() throws(LedgerError) -> ProjectRow {
    guard let row: ProjectRow = try statements.row("", { _ in }) else {
      throw LedgerError(.storageDamaged, "\(statements.path) has no project row. Restore it from a backup.")
    }
    return row
  }

  func catalogVersion() throws(LedgerError) -> Int64 {
    try statements.translating { () throws(SQLiteFailure) in
      let statement = try statements.hot(.catalogVersion)
      defer { statement.reset() }
      return try statement.step() ? try statement.number(0) : 0
    }
  }

  // MARK: Writing

  /// - Parameter instant: The time from which the new version is valid; nil if the versions are written separately.
  func replaceCatalog(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) {
    let version = try catalogVersion() + 1
    try statements.run("DELETE FROM catalog", [0]) { _, _ in }
    try statements.insert(rows)
    guard let instant else { return }
    try statements.insert([CatalogVersionRow(version: version, appliedAt: instant)])
  }
}
