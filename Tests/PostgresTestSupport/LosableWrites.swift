#if PostgreSQL
extension AskedStatement {
  /// Returns the statements with rows that a distributed engine may lose while it reports their commit as done.
  ///
  /// Those are `INSERT … SELECT` of lists without `ON CONFLICT`, in a transaction that read something before. The
  /// engine then does not note that the transaction wrote on that machine, and the death of a session there goes
  /// unnoticed.
  ///
  /// - Parameter statements: In the order in which they were asked, of any number of sessions.
  package static func losableWrites(in statements: [AskedStatement]) -> [AskedStatement] {
    var readers: Set<String> = []
    return statements.filter { statement in
      let (sql, session) = (statement.sql, statement.session)
      if ["BEGIN", "COMMIT", "ROLLBACK"].contains(where: sql.hasPrefix) { readers.remove(session) }
      if ["SELECT", "WITH"].contains(where: sql.hasPrefix) { readers.insert(session) }
      return sql.hasPrefix("INSERT INTO ") && sql.contains("unnest(") && !sql.contains("ON CONFLICT")
        && readers.contains(session)
    }
  }
}
#endif
