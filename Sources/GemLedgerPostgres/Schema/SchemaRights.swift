#if PostgreSQL
  package import GemLedger

  /// Gives a role what a service needs, and no more: it can append to the journal, and never change it.
  package struct SchemaRights {
    private let target: PostgresTarget

    /// - Parameter url: The ledger, as its owner.
    package init(url: String) throws(LedgerError) { target = try PostgresTarget(url: url) }

    /// - Parameter role: One that is there.
    /// - Throws: `LedgerError` with, in order of precedence, `invalid_request` (the role), `storage_unavailable`,
    ///   `storage_foreign` (no ledger there).
    package func grant(to role: String) throws(LedgerError) {
      guard (1...63).contains(role.utf8.count), !role.utf8.contains(0) else {
        throw .invalid("The name of a role has 1 to 63 bytes.")
      }
      let name = "\"\(role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
      try PostgresStorage.translating(target) { () throws(PostgresFailure) in
        let connection = try PostgresConnection(target)
        // Who finds no table of that name finds no ledger either.
        _ = try connection.ask(PostgresRequest("SELECT count(*) FROM migrations"))
        let tables = try connection.ask(
          PostgresRequest("SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY 1") {
            $0.add(target.schema)
          })
        var statements = ["BEGIN", "GRANT USAGE ON SCHEMA \(target.schema) TO \(name)"]
        for row in 0..<tables.count {
          let table = tables.text(row, 0)
          statements.append("GRANT \(Self.rights(on: table)) ON \(table) TO \(name)")
        }
        try connection.execute(statements + ["COMMIT"])
      }
    }

    private static func rights(on table: String) -> String {
      if table == "migrations" { return "SELECT" }
      // Keys never change, and go with who is erased.
      if table == "keys" { return "SELECT, INSERT, DELETE" }
      return PostgresMigration.journalTables.contains(table) ? "SELECT, INSERT" : "SELECT, INSERT, UPDATE, DELETE"
    }
  }
#endif
