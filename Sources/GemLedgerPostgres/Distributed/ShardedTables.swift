#if PostgreSQL
internal import GemLedger

/// The distribution of the tables over the nodes of a Citus cluster.
struct ShardedTables {
  private let connection: PostgresConnection
  private let schema: String

  init(_ connection: PostgresConnection, schema: String) {
    self.connection = connection
    self.schema = schema
  }

  /// Applies the settings for a transaction that creates or changes tables; must be the first call in it.
  ///
  /// The triggers that protect the journal are copied to the shards. Each node gets one connection: tables of several
  /// kinds are created in one transaction.
  func begin() throws(PostgresFailure) {
    try connection.execute([
      "SET LOCAL citus.enable_unsafe_triggers = on", "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
    ])
  }

  /// Distributes the lanes table, which must be empty, and so determines the shards of all tables of customers.
  func spreadLanes(shards: Int) throws(PostgresFailure) {
    let lanes = SchemaTable.placingCustomers
    let column = try LaneColumn(connection, schema: schema)
    try connection.execute(
      column.widening(lanes) + ["SELECT \(distributing(lanes, by: "lane", with: nil, shards))"])
  }

  /// Returns a lane for each shard, in ascending order; nil if a shard has no lane.
  func lanesOfShards() throws(PostgresFailure) -> [Int32]? {
    let lanes = name(SchemaTable.placingCustomers)
    let answers = try connection.ask([
      PostgresRequest(
        """
        SELECT n AS lane, get_shard_id_for_distribution_column($1::regclass, n) AS shard
        FROM generate_series(0, \(Self.lanesTried - 1)) n ORDER BY n
        """, lanes),
      PostgresRequest("SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = $1::regclass", lanes),
    ])
    var shards: Set<Int64> = []
    let first = (0..<answers[0].count).filter { shards.insert(answers[0].integer($0, 1)).inserted }
    return Int64(shards.count) == answers[1].integer(0, 0) ? first.map { Int32(answers[0].integer($0, 0)) } : nil
  }

  /// Enough lanes to hit each of 64 shards.
  private static let lanesTried = 4096

  /// Distributes every table that is not distributed yet.
  ///
  /// - Parameter keys: The lanes, as values of the column `lane`.
  func spread(over keys: [Int32]) throws(PostgresFailure) {
    let done = try spreadTables()
    let column = try LaneColumn(connection, schema: schema)
    var statements: [String] = []
    for table in SchemaTable.all where !done.contains(table.name) {
      let call: String
      switch table.distribution {
      case .everyNode: call = "create_reference_table('\(name(table.name))')"
      case .byCustomer:
        statements += column.adding(to: table.name, of: keys)
        call = distributing(table.name, by: "lane", with: SchemaTable.placingCustomers, keys.count)
      case .byValue(let column, let other): call = distributing(table.name, by: column, with: other, keys.count)
      }
      statements.append("SELECT \(call)")
    }
    try connection.execute(statements)
  }

  private func distributing(_ table: String, by column: String, with other: String?, _ shards: Int) -> String {
    let neighbours = other.map { "colocate_with := '\(name($0))'" }
    return "create_distributed_table('\(name(table))', '\(column)', "
      + "\(neighbours ?? "shard_count := \(shards), colocate_with := 'none'"))"
  }

  private func name(_ table: String) -> String { "\(schema).\(table)" }

  private func spreadTables() throws(PostgresFailure) -> Set<String> {
    let rows = try connection.ask(
      PostgresRequest(
        """
        SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
        """, schema))
    return Set((0..<rows.count).map { rows.text($0, 0) })
  }
}
#endif
