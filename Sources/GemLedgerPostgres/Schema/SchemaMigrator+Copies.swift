#if PostgreSQL
package import GemLedger

extension SchemaMigrator {
  /// Removes the schema of an incomplete copy or import; returns false if it contains anything else.
  ///
  /// - Parameter schema: The schema of the connection. `public` is kept, since others may have tables there.
  func removeCopy(_ connection: PostgresConnection, schema: String) throws(PostgresFailure) -> Bool {
    guard schema != "public" else { return false }
    try connection.execute([
      "BEGIN", "SELECT pg_advisory_xact_lock(hashtext('gemledger ' || '\(schema)'))",
    ])
    do throws(PostgresFailure) {
      let isCopy = try connection.ask(PostgresRequest("SELECT count(*) FROM copy_progress")).integer(0, 0) > 0
      try connection.execute(isCopy ? ["DROP SCHEMA \(schema) CASCADE", "COMMIT"] : ["ROLLBACK"])
      return isCopy
    } catch {
      if connection.isOpen { _ = try? connection.execute(["ROLLBACK"]) }
      if error.isMissing { return false }
      throw error
    }
  }
}

extension PostgresStorage {
  /// Removes the rest of a refused import: an unfinished copy with its schema.
  ///
  /// - Returns: False if the schema contains anything else, or is `public`.
  package static func removeCopy(url: String) throws(LedgerError) -> Bool {
    let target = try PostgresTarget(url: url)
    return try translating(target) { () throws(PostgresFailure) in
      let connection = try PostgresConnection(target)
      return try SchemaMigrator(connection, target).removeCopy(connection, schema: target.schema)
    }
  }
}
#endif
