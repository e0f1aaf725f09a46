#if PostgreSQL
package import GemLedger

/// Grants a role only the rights that a service needs: it can append to the journal, but never change it.
package struct SchemaRights {
  private let target: PostgresTarget

  /// - Parameter url: The URL of the ledger, as its owner.
  package init(url: String) throws(LedgerError) { target = try PostgresTarget(url: url) }

  /// - Parameter role: An existing role.
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request` (the role), `storage_unavailable`,
  ///   `storage_foreign` (no ledger there).
  package func grant(to role: String) throws(LedgerError) {
    guard (1...63).contains(role.utf8.count), !role.utf8.contains(0) else {
      throw .invalid("The name of a role has 1 to 63 bytes.")
    }
    let name = "\"\(role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    try PostgresStorage.translating(target) { () throws(PostgresFailure) in
      let connection = try PostgresConnection(target)
      // Without this table, as seen by the role, there is no ledger.
      _ = try connection.ask(PostgresRequest("SELECT count(*) FROM migrations"))
      let grants = try Self.grants(to: name, in: target.schema, connection)
      try connection.execute(["BEGIN"] + grants + ["COMMIT"])
    }
  }

  // MARK: Statements

  /// Returns the rights of a role on every table of the schema, and on the function that writes groups.
  ///
  /// - Parameter role: The role as an identifier, quoted if necessary.
  private static func grants(
    to role: String, in schema: String, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> [String] {
    let tables = try connection.ask(
      PostgresRequest("SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY 1", schema))
    let names = (0..<tables.count).map { tables.text($0, 0) }
    let function = WriteFunction(connection, schema: schema)
    return ["GRANT USAGE ON SCHEMA \(schema) TO \(role)"]
      + names.map { "GRANT \(rights(on: $0)) ON \($0) TO \(role)" }
      + (try function.exists() ? [function.grant(to: role)] : [])
  }

  /// Returns the roles that may append to the journal, without its owner, as identifiers.
  static func writers(_ connection: PostgresConnection) throws(PostgresFailure) -> [String] {
    let roles = try connection.ask(
      PostgresRequest(
        """
        SELECT DISTINCT r.grantee::regrole::text FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) r
        WHERE c.oid = 'entries'::regclass AND r.privilege_type = 'INSERT' AND r.grantee NOT IN (0, c.relowner)
        """))
    return (0..<roles.count).map { roles.text($0, 0) }
  }

  /// Gives new tables of a schema its owner, and the rights of all roles that may append to the journal.
  static func renewing(
    in schema: String, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> [String] {
    let tables = try connection.ask(
      PostgresRequest(
        """
        SELECT t.tablename::text, quote_ident(e.tableowner) FROM pg_tables t JOIN pg_tables e
          ON e.schemaname = t.schemaname AND e.tablename = 'entries' AND e.tableowner <> t.tableowner
        WHERE t.schemaname = $1
        """, schema))
    var statements = (0..<tables.count).map { row in
      "ALTER TABLE \(tables.text(row, 0)) OWNER TO \(tables.text(row, 1))"
    }
    for role in try writers(connection) { statements += try grants(to: role, in: schema, connection) }
    return statements
  }

  private static func rights(on table: String) -> String {
    (SchemaTable.all.first { $0.name == table }?.change ?? .any).rawValue
  }
}
#endif
