#if PostgreSQL
internal import GemLedger

/// The statements of a change of lanes, in one transaction that holds all lanes.
struct LaneChangeSession {
  /// The state of the lanes before the change.
  struct State {
    let laneCount: Int
    let version: Int64
    let last: Int64
    let createdAt: Int64
    let transactions: Int64
    let entries: Int64
    let catalogVersion: Int64
    let isDistributed: Bool
    /// Whether customers' rows have the distribution column.
    let hasLaneColumns: Bool
    /// The sums of all rows' digests; nil if they are not counted yet.
    let sums: [Int64]?
  }

  private let connection: PostgresConnection
  private let target: PostgresTarget

  init(_ connection: PostgresConnection, _ target: PostgresTarget) {
    self.connection = connection
    self.target = target
  }

  func run(_ statements: [String]) throws(LedgerError) {
    try PostgresStorage.translating(target) { () throws(PostgresFailure) in try connection.execute(statements) }
  }

  func ask(_ requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
    try PostgresStorage.translating(target) { () throws(PostgresFailure) in try connection.ask(requests) }
  }

  /// Waits for active groups and blocks all others.
  func begin() throws(LedgerError) {
    try run([
      "BEGIN", "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
      "LOCK TABLE lanes IN EXCLUSIVE MODE",
    ])
  }

  func state() throws(LedgerError) -> State {
    let answers = try ask([
      PostgresRequest(
        """
        SELECT count(*), max(layout), max(last), max(created_at), sum(transactions)::bigint, sum(entries)::bigint,
          max(catalog_version) FROM lanes
        """), PostgresRequest("SELECT is_distributed FROM project"),
      PostgresRequest("SELECT sums FROM lanes"), SchemaMigrator.distribution,
    ])
    let rows = answers[0]
    return State(
      laneCount: Int(rows.integer(0, 0)), version: rows.integer(0, 1), last: rows.integer(0, 2),
      createdAt: rows.integer(0, 3), transactions: rows.integer(0, 4), entries: rows.integer(0, 5),
      catalogVersion: rows.integer(0, 6), isDistributed: answers[1].count > 0 && answers[1].integer(0, 0) != 0,
      hasLaneColumns: answers[3].integer(0, 0) > 0,
      sums: LaneSums.total((0..<answers[2].count).map { answers[2].integers($0, 0) }))
  }

  /// Replaces the lanes; each new lane continues after the highest number of the old ones.
  ///
  /// - Parameter lanes: The values of the column `lane`, in ascending order.
  func lay(_ lanes: [Int32], after before: State, isDistributed: Bool) throws(LedgerError) {
    var statements = ["DELETE FROM lanes"]
    for (lane, key) in lanes.enumerated() {
      let counts = lane == 0 ? "\(before.transactions), \(before.entries)" : "0, 0"
      let sums = before.sums.map { "'\(LaneSums.text(lane == 0 ? $0 : RecordSums().values))'" } ?? "NULL"
      statements.append(
        """
        INSERT INTO lanes (customer, lane, layout, last, created_at, transactions, entries, catalog_version, sums)
        VALUES (\(-1 - lane), \(key), \(before.version + 1), \(before.last), \(before.createdAt), \(counts),
          \(before.catalogVersion), \(sums))
        """)
    }
    try run(statements + ["UPDATE project SET is_distributed = \(isDistributed)"])
  }
}

// MARK: Citus

extension LaneChangeSession {
  func hasExtension() throws(LedgerError) -> Bool {
    try ask([PostgresRequest("SELECT count(*) FROM pg_extension WHERE extname = 'citus'")])[0].integer(0, 0) > 0
  }

  /// Returns the number of nodes that take shards; 1 if none is registered: the engine then registers its only node.
  func nodesWithShards() throws(LedgerError) -> Int {
    let rows = try ask([
      PostgresRequest(
        "SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards")
    ])
    return max(1, Int(rows[0].integer(0, 0)))
  }

  /// - Returns: The lanes, as values of the column `lane`.
  func distributeTables(shards: Int) throws(LedgerError) -> [Int32] {
    let tables = ShardedTables(connection, schema: target.schema)
    let lanes = try PostgresStorage.translating(target) { () throws(PostgresFailure) -> [Int32]? in
      try tables.begin()
      // The lanes are known once their table is distributed, and are then written again.
      try connection.execute(["DELETE FROM lanes"])
      try tables.spreadLanes(shards: shards)
      let lanes = try tables.lanesOfShards()
      if let lanes { try tables.spread(over: lanes) }
      return lanes
    }
    guard let lanes else {
      throw .defect("\(target.description): the engine has shards without a lane; nothing was changed")
    }
    return lanes
  }
}
#endif
