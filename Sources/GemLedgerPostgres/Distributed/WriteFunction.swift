#if PostgreSQL
internal import GemLedger

/// A function in the ledger's schema that writes the rows of ``CommonWrites`` of a group of one lane.
///
/// A client's statement costs a distributed engine far more than its rows, so a group sends one call instead of six
/// statements. The function contains these statements and no rules. Connected to the node of the lane, it runs them
/// there.
///
/// It is not a distributed function of the engine. The engine runs such a function on a worker without noting that it
/// wrote there. If that session is lost, the commit is reported as done, but the rows are missing.
struct WriteFunction {
  private static let parameters: PostgresParameters = {
    var parameters = PostgresParameters()
    let none = ChangeSet()
    parameters.add(lane: 0)
    parameters.add(none, [], LaneStep(none, []), PostgresGroup.CommitToken(writer: [], number: 0), head: 0)
    return parameters
  }()

  /// The statements, with the lane as the first parameter.
  ///
  /// The row of a command alone is sent after `VALUES`, which the engine sends to the shard unchanged. Parameters have
  /// numbers: a name could also be a column's.
  private static let body: String = {
    var first = 2
    var statements: [String] = []
    for list in CommonWrites.lists {
      if case .insertion(let rows) = LaneStatement(list.sql()).form {
        statements.append(
          """
          IF cardinality($\(first)) = 1 THEN
            \(rows.sqlOfOneRow(ofLane: "$1", from: first));
          ELSIF cardinality($\(first)) > 1 THEN
            \(rows.sql(ofLane: "$1", from: first));
          END IF;
          """)
      }
      first += list.columns.count
    }
    for sql in [CommonWrites.headUpdate(from: first), CommonWrites.markInsert(from: first + 6)] {
      if case .pieces(let pieces) = LaneStatement(sql).form {
        statements.append(LaneStatement.sql(pieces) { _ in "$1" } + ";")
      }
    }
    return "BEGIN\n\(statements.joined(separator: "\n"))\nEND"
  }()

  /// The name contains a hash of the parameters and the statements: no version calls the function of another one.
  static let name: String = {
    var hash = StableHash()
    for text in parameters.typeNames + [body] { hash.combine(text) }
    return "write_group_" + String(hash.value, radix: 16)
  }()

  static let call = "SELECT \(name)(\((1...parameters.count).map { "$\($0)" }.joined(separator: ", ")))"

  /// SQL for whether the function exists and the role may call it.
  static let isUsable = "coalesce(has_function_privilege(to_regproc('\(name)')::oid, 'EXECUTE'), false)"

  // MARK: Creating

  private let connection: PostgresConnection
  private let schema: String

  init(_ connection: PostgresConnection, schema: String) {
    self.connection = connection
    self.schema = schema
  }

  func exists() throws(PostgresFailure) -> Bool {
    try connection.ask(PostgresRequest("SELECT to_regproc($1) IS NOT NULL", "\(schema).\(Self.name)")).integer(0, 0)
      != 0
  }

  /// Creates the function if it is missing, for the owner of the tables and the roles that may use them.
  ///
  /// It is a separate transaction: the engine does not create functions after a transaction has read from several nodes
  /// in parallel.
  ///
  /// - Returns: Whether it was missing.
  func createIfMissing() throws(PostgresFailure) -> Bool {
    if try exists() { return false }
    do throws(PostgresFailure) {
      try connection.execute(["BEGIN", creation] + changeOfOwner())
      for role in try SchemaRights.writers(connection) { try connection.execute([grant(to: role)]) }
      try connection.execute(["COMMIT"])
      return true
    } catch {
      guard connection.isOpen else { throw error }
      _ = try? connection.execute(["ROLLBACK"])
      // Another process may have created it.
      guard try exists() else { throw error }
      return false
    }
  }

  func grant(to role: String) -> String { "GRANT EXECUTE ON FUNCTION \(signature) TO \(role)" }

  private var signature: String { "\(schema).\(Self.name)(\(Self.parameters.typeNames.joined(separator: ", ")))" }

  private var creation: String {
    """
    CREATE FUNCTION \(signature) RETURNS void LANGUAGE plpgsql AS $gemledger$
    \(Self.body)
    $gemledger$
    """
  }

  private func changeOfOwner() throws(PostgresFailure) -> [String] {
    let owners = try connection.ask(
      PostgresRequest(
        """
        SELECT quote_ident(tableowner) FROM pg_tables
        WHERE schemaname = $1 AND tablename = 'entries' AND tableowner <> current_user
        """, schema))
    return (0..<owners.count).map { "ALTER FUNCTION \(signature) OWNER TO \(owners.text($0, 0))" }
  }
}
#endif
