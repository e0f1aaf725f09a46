#if PostgreSQL
internal import GemLedger

/// Creates the schema, migrates it and reads its state; any number of processes may do so at the same time.
struct SchemaMigrator {
  struct State {
    var migrationCount: Int
    var layout: LaneLayout
    var project: ProjectRow
    var isIncompleteCopy: Bool
    /// Whether it is distributed as in an earlier version, which does not fit the statements for lanes.
    var isSpreadByCustomer: Bool
  }

  private let connection: PostgresConnection
  private let target: PostgresTarget
  private let steps: [PostgresMigration]

  /// - Parameter steps: All schema steps, including those that the schema has.
  init(
    _ connection: PostgresConnection, _ target: PostgresTarget, steps: [PostgresMigration] = PostgresMigration.all
  ) {
    self.connection = connection
    self.target = target
    self.steps = steps
  }

  /// Migrates the schema and returns its state; nil if there is no ledger.
  func bringUpToDate() throws(PostgresFailure) -> State? {
    // Nearly always it is up to date, which takes one round trip.
    if let state = try known(), state.migrationCount >= steps.count || state.isSpreadByCustomer { return state }
    guard try migrationCount() != nil else { return nil }
    try migrate(project: nil) { () throws(PostgresFailure) in () }
    return try known()
  }

  /// Creates a new ledger, completely or not at all; returns nil if there is one already.
  func create(_ project: ProjectRow) throws(PostgresFailure) -> State? {
    // Its state is read before the commit, so nothing can fail after it.
    try migrate(project: project) { () throws(PostgresFailure) in try known() } ?? nil
  }

  /// Returns the state of the ledger that an earlier call created for the project; nil if there is none or another.
  func find(_ project: ProjectRow) throws(PostgresFailure) -> State? {
    // The server may still process an old connection's commit, which holds the lock.
    try connection.execute(["BEGIN", takingTurns])
    let state = try known()
    try connection.execute(["ROLLBACK"])
    return state?.project == project ? state : nil
  }

  // MARK: Parts

  private func migrationCount() throws(PostgresFailure) -> Int? {
    do throws(PostgresFailure) {
      return Int(try connection.ask(PostgresRequest("SELECT count(*) FROM migrations")).integer(0, 0))
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Returns the state of the schema; nil if tables of this version are missing.
  private func known() throws(PostgresFailure) -> State? {
    let rows: [PostgresRows]
    do throws(PostgresFailure) {
      rows = try connection.ask([
        PostgresRequest("SELECT count(*) FROM migrations"),
        PostgresRequest("SELECT lane, layout FROM lanes ORDER BY lane"),
        PostgresRequest("SELECT is_distributed, salt, created_at FROM project"),
        PostgresRequest("SELECT count(*) FROM copy_progress"), Self.distribution,
      ])
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    let (count, lanes, project) = (Int(rows[0].integer(0, 0)), rows[1], rows[2])
    guard lanes.count > 0, project.count > 0 else { return nil }
    let isDistributed = project.integer(0, 0) != 0
    return State(
      migrationCount: count,
      layout: LaneLayout(
        count: lanes.count, version: lanes.integer(0, 1),
        cluster: isDistributed
          ? Cluster(keys: Self.keys(lanes), hasWriteFunction: rows[4].integer(0, 1) != 0) : nil),
      project: ProjectRow(
        salt: UInt64(bitPattern: project.integer(0, 1)), createdAt: Timestamp(milliseconds: project.integer(0, 2))),
      isIncompleteCopy: rows[3].integer(0, 0) > 0,
      isSpreadByCustomer: isDistributed && rows[4].integer(0, 0) == 0)
  }

  /// Counts the distribution columns of customers' rows, and finds the function that writes groups.
  static let distribution = PostgresRequest(
    """
    SELECT count(*), \(WriteFunction.isUsable) FROM pg_attribute
    WHERE attrelid = to_regclass('accounts') AND attname = 'lane'
    """)

  /// The lock is specific to the schema, so that other ledgers in the database do not wait.
  private var takingTurns: String { "SELECT pg_advisory_xact_lock(hashtext('gemledger ' || '\(target.schema)'))" }

  /// Applies the missing migrations; only one process does so at a time.
  ///
  /// - Parameters:
  ///   - project: The row of a new ledger's project; nil for a ledger that must exist.
  ///   - complete: Runs at the end of the transaction.
  /// - Returns: Nil if a new ledger was requested and one exists.
  @discardableResult
  private func migrate<R>(
    project: ProjectRow?, _ complete: () throws(PostgresFailure) -> R
  ) throws(PostgresFailure) -> R? {
    try connection.execute(["BEGIN", takingTurns, "CREATE SCHEMA IF NOT EXISTS \(target.schema)"])
    do throws(PostgresFailure) {
      let isThere =
        try connection.ask(
          PostgresRequest("SELECT to_regclass('migrations') IS NOT NULL")
        ).integer(0, 0) != 0
      guard project == nil || !isThere else {
        try connection.execute(["ROLLBACK"])
        return nil
      }
      if !isThere {
        try connection.execute([
          "CREATE TABLE migrations (name text COLLATE \"C\" PRIMARY KEY, applied_at bigint NOT NULL)"
        ])
      }
      try applyMissing(isOld: isThere, isSpread: isThere ? isSpread() : false)
      if let project { try connection.execute(birth(project)) }
      let answer = try complete()
      try connection.execute(["COMMIT"])
      return answer
    } catch {
      // The server rolls back the transaction of a lost connection; otherwise this does.
      if connection.isOpen { _ = try? connection.execute(["ROLLBACK"]) }
      throw error
    }
  }

  /// - Parameters:
  ///   - isOld: Whether the schema has earlier steps, an owner, and roles with rights, which new tables get too.
  ///   - isSpread: Whether the tables are distributed over a cluster, so that new tables must be too.
  private func applyMissing(isOld: Bool, isSpread: Bool) throws(PostgresFailure) {
    let missing = steps.dropFirst(try migrationCount() ?? 0)
    guard !missing.isEmpty else { return }
    let tables = ShardedTables(connection, schema: target.schema)
    if isSpread { try tables.begin() }
    for migration in missing { try connection.execute(migration.statements) }
    if isSpread { try tables.spread(over: keys()) }
    if isOld { try connection.execute(SchemaRights.renewing(in: target.schema, connection)) }
  }

  private static func keys(_ lanes: PostgresRows) -> [Int32] {
    (0..<lanes.count).map { Int32(truncatingIfNeeded: lanes.integer($0, 0)) }
  }

  private func keys() throws(PostgresFailure) -> [Int32] {
    let rows = try connection.ask(PostgresRequest("SELECT lane FROM lanes ORDER BY lane"))
    return Self.keys(rows)
  }

  private func isSpread() throws(PostgresFailure) -> Bool {
    let rows = try connection.ask(PostgresRequest("SELECT is_distributed FROM project"))
    return rows.count > 0 && rows.integer(0, 0) != 0
  }

  private func birth(_ project: ProjectRow) -> [String] {
    let (salt, created) = (Int64(bitPattern: project.salt), project.createdAt.milliseconds)
    let lanes = (0..<(target.lanes ?? PostgresTarget.lanesByDefault)).map { lane in
      """
      INSERT INTO lanes (customer, lane, layout, last, created_at, transactions, entries, catalog_version, sums)
      VALUES (\(-1 - lane), \(lane), 1, 0, 0, 0, 0, 0, '\(LaneSums.text(RecordSums().values))')
      """
    }
    return ["INSERT INTO project (project, salt, created_at) VALUES (1, \(salt), \(created))"] + lanes
  }
}

extension PostgresMigration {
  var statements: [String] { sql + ["INSERT INTO migrations VALUES ('\(name)', extract(epoch FROM now()) * 1000)"] }
}
#endif
