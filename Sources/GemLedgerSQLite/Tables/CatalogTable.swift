internal import CSQLite
internal import GemLedger

/// The project, the catalog with its versions, and the environments.
struct CatalogTable {
  let statements: StatementRunner

  // MARK: Reading

  func project() throws(LedgerError) -> ProjectRow {
    let row = try statements.first("SELECT salt, created_at FROM project") { (row) throws(SQLiteFailure) in
      ProjectRow(salt: UInt64(bitPattern: row.integer(0)), createdAt: try row.instant(1))
    }
    guard let row else {
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

  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try statements.all(
      "SELECT code, position, document FROM catalog WHERE kind = ?1 ORDER BY position",
      { $0.bind(1, kind.rawValue) },
      { (row) throws(SQLiteFailure) in try Self.catalogRow(kind, row) })
  }

  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try statements.first(
      "SELECT code, position, document FROM catalog WHERE kind = ?1 AND code = ?2",
      {
        $0.bind(1, kind.rawValue)
        $0.bind(2, code)
      }, { (row) throws(SQLiteFailure) in try Self.catalogRow(kind, row) })
  }

  private static func catalogRow(
    _ kind: CatalogRow.Kind, _ row: SQLiteStatement
  ) throws(SQLiteFailure) -> CatalogRow {
    let code = row.text(0)
    guard kind != .currency || CatalogRow.currencyNumbers.contains(row.integer(1)) else {
      throw SQLiteFailure(
        extendedCode: SQLITE_CORRUPT,
        message: "the catalog's currency \"\(code)\" has number \(row.integer(1)), which no currency can have")
    }
    return CatalogRow(kind: kind, code: code, position: try row.number(1), document: row.text(2))
  }

  func environments() throws(LedgerError) -> [EnvironmentRow] {
    try statements.all("SELECT environment, kind, session FROM environments ORDER BY environment") {
      (row) throws(SQLiteFailure) in
      EnvironmentRow(
        number: try row.number(0),
        environment: StoreEnvironment(
          kind: StoreEnvironment.Kind(rawValue: row.integer(1)) ?? .localTesting, session: row.optionalText(2)))
    }
  }

  // MARK: Writing

  func add(_ environments: [EnvironmentRow]) throws(LedgerError) {
    try statements.run("INSERT INTO environments VALUES (?1, ?2, ?3)", environments) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.environment.kind.rawValue)
      $0.bind(3, $1.environment.session)
    }
  }

  /// - Parameter instant: When the new version comes into force; nil where the versions are written apart.
  func replaceCatalog(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) {
    let version = try catalogVersion() + 1
    try statements.run("DELETE FROM catalog", [0]) { _, _ in }
    try statements.run("INSERT INTO catalog VALUES (?1, ?2, ?3, ?4)", rows) {
      $0.bind(1, $1.kind.rawValue)
      $0.bind(2, $1.code)
      $0.bind(3, $1.position)
      $0.bind(4, $1.document)
    }
    guard let instant else { return }
    try add([CatalogVersionRow(version: version, appliedAt: instant)])
  }

  func add(_ versions: [CatalogVersionRow]) throws(LedgerError) {
    try statements.run("INSERT INTO catalog_versions VALUES (?1, ?2)", versions) {
      $0.bind(1, $1.version)
      $0.bind(2, $1.appliedAt.milliseconds)
    }
  }
}
