#if PostgreSQL
internal import GemLedger

/// The statements of a change of lanes, in the one transaction that holds all of them.
struct LaneChangeSession {
  /// How the lanes stood.
  struct State {
    let laneCount: Int
    let version: Int64
    let last: Int64
    let createdAt: Int64
    let transactions: Int64
    let entries: Int64
    let catalogVersion: Int64
    let isDistributed: Bool
    /// The sums of all rows' digests; nil where they are not counted yet.
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

  /// Waits for the groups under way and holds up all others.
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
      PostgresRequest("SELECT sums FROM lanes"),
    ])
    let rows = answers[0]
    return State(
      laneCount: Int(rows.integer(0, 0)), version: rows.integer(0, 1), last: rows.integer(0, 2),
      createdAt: rows.integer(0, 3), transactions: rows.integer(0, 4), entries: rows.integer(0, 5),
      catalogVersion: rows.integer(0, 6), isDistributed: answers[1].count > 0 && answers[1].integer(0, 0) != 0,
      sums: LaneSums.total((0..<answers[2].count).map { answers[2].integers($0, 0) }))
  }

  /// Replaces the lanes; each new one continues from the furthest of the old ones.
  func lay(_ heads: [CustomerNumber], after before: State, isDistributed: Bool) throws(LedgerError) {
    var statements = ["DELETE FROM lanes"]
    for (lane, head) in heads.enumerated() {
      let counts = lane == 0 ? "\(before.transactions), \(before.entries)" : "0, 0"
      let sums = before.sums.map { "'\(LaneSums.text(lane == 0 ? $0 : RecordSums().values))'" } ?? "NULL"
      statements.append(
        """
        INSERT INTO lanes (customer, lane, layout, last, created_at, transactions, entries, catalog_version, sums)
        VALUES (\(head), \(lane), \(before.version + 1), \(before.last), \(before.createdAt), \(counts),
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

  func distributeTables(shards: Int) throws(LedgerError) {
    let tables = ShardedTables(connection, schema: target.schema)
    try PostgresStorage.translating(target) { () throws(PostgresFailure) in
      try tables.begin()
      try tables.spread(shards: shards)
    }
  }

  private func name(_ table: String) -> String { "\(target.schema).\(table)" }

  func shardCount() throws(LedgerError) -> Int { try shards().count }

  /// The shards of customers in the order of their ranges.
  private func shards() throws(LedgerError) -> [Int64] {
    let rows = try ask([
      PostgresRequest(
        "SELECT shardid FROM pg_dist_shard WHERE logicalrelid = $1::regclass ORDER BY shardminvalue::integer"
      ) { $0.add(name(SchemaTable.placingCustomers)) }
    ])[0]
    return (0..<rows.count).map { rows.integer($0, 0) }
  }

  /// Checks that the engine spreads customers as ``ShardHash`` does, by which every process finds a customer's lane.
  func checkHash(_ heads: [CustomerNumber]) throws(LedgerError) {
    let shards = try shards()
    // Numbers of both signs, near and far.
    let numbers = heads + (0..<64).map { CustomerNumber(1) << CustomerNumber($0 % 62) | CustomerNumber($0) }
    let answers = try ask(
      numbers.map { number in
        PostgresRequest("SELECT get_shard_id_for_distribution_column($1::regclass, $2)") {
          $0.add(name(SchemaTable.placingCustomers))
          $0.add(number)
        }
      })
    for (number, rows) in zip(numbers, answers) {
      let shard = ShardHash.shard(of: number, count: shards.count)
      guard rows.count == 1, rows.integer(0, 0) == shards[shard] else {
        throw .defect(
          "\(target.description): the engine keeps customer \(number) elsewhere than in shard \(shard) of "
            + "\(shards.count); nothing was changed")
      }
    }
  }
}
#endif
