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
      ])
      let rows = answers[0]
      return State(
        laneCount: Int(rows.integer(0, 0)), version: rows.integer(0, 1), last: rows.integer(0, 2),
        createdAt: rows.integer(0, 3), transactions: rows.integer(0, 4), entries: rows.integer(0, 5),
        catalogVersion: rows.integer(0, 6), isDistributed: answers[1].count > 0 && answers[1].integer(0, 0) != 0)
    }

    /// Puts other lanes in the place of those that are there; each goes on where the furthest of them was.
    func lay(_ heads: [CustomerNumber], after before: State, isDistributed: Bool) throws(LedgerError) {
      var statements = ["DELETE FROM lanes"]
      for (lane, head) in heads.enumerated() {
        let counts = lane == 0 ? "\(before.transactions), \(before.entries)" : "0, 0"
        statements.append(
          """
          INSERT INTO lanes (customer, lane, layout, last, created_at, transactions, entries, catalog_version)
          VALUES (\(head), \(lane), \(before.version + 1), \(before.last), \(before.createdAt), \(counts),
            \(before.catalogVersion))
          """)
      }
      try run(statements + ["UPDATE project SET is_distributed = \(isDistributed)"])
    }
  }

  // MARK: Citus

  extension LaneChangeSession {
    /// Small, and read everywhere: each node has all of their rows.
    private static let everywhere = [
      "migrations", "project", "catalog", "catalog_versions", "environments", "purchase_terms", "copy_progress",
    ]

    /// Rows of one customer lie together; `accounts` comes first, and the others follow it.
    private static let byCustomer = [
      "accounts", "customers", "added_ids", "merged_customers", "transactions", "entries", "allocations", "keys", "notes",
      "item_entries", "lot_terms", "merges", "purchases", "refunds", "refund_parts", "refund_states", "lots",
      "owned_items", "anchors", "orders", "entitlements", "lanes", "commit_marks",
    ]

    /// What is unique across customers lies by what is unique; the second table of a pair lies with the first.
    private static let byIdentity: [(table: String, column: String, with: String?)] = [
      ("aliases", "id", nil), ("store_transactions", "store_transaction", nil),
      ("refund_evidence", "store_transaction", "store_transactions"), ("purchase_codes", "code", nil),
      ("account_tokens", "high", nil), ("entitlement_holders", "purchase", nil),
    ]

    func hasExtension() throws(LedgerError) -> Bool {
      try ask([PostgresRequest("SELECT count(*) FROM pg_extension WHERE extname = 'citus'")])[0].integer(0, 0) > 0
    }

    /// Spreads every table that is not spread yet.
    func distributeTables(shards: Int) throws(LedgerError) {
      // The triggers that keep the journal go to the shards. One connection to each node: tables of several kinds are
      // made in one transaction.
      try run([
        "SET LOCAL citus.enable_unsafe_triggers = on", "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
      ])
      let done = try distributed()
      for table in Self.everywhere where !done.contains(table) {
        try run(["SELECT create_reference_table('\(name(table))')"])
      }
      for table in Self.byCustomer where !done.contains(table) {
        let place = table == "accounts" ? "shard_count := \(shards), colocate_with := 'none'" : with("accounts")
        try run(["SELECT create_distributed_table('\(name(table))', 'customer', \(place))"])
      }
      for (table, column, other) in Self.byIdentity where !done.contains(table) {
        let place = other.map(with) ?? "shard_count := \(shards), colocate_with := 'none'"
        try run(["SELECT create_distributed_table('\(name(table))', '\(column)', \(place))"])
      }
    }

    private func name(_ table: String) -> String { "\(target.schema).\(table)" }
    private func with(_ table: String) -> String { "colocate_with := '\(name(table))'" }

    private func distributed() throws(LedgerError) -> Set<String> {
      let rows = try ask([
        PostgresRequest(
          """
          SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
          """
        ) { $0.add(target.schema) }
      ])[0]
      return Set((0..<rows.count).map { rows.text($0, 0) })
    }

    func shardCount() throws(LedgerError) -> Int { try shards().count }

    /// The shards of customers in the order of their ranges.
    private func shards() throws(LedgerError) -> [Int64] {
      let rows = try ask([
        PostgresRequest(
          "SELECT shardid FROM pg_dist_shard WHERE logicalrelid = $1::regclass ORDER BY shardminvalue::integer"
        ) { $0.add(name("accounts")) }
      ])[0]
      return (0..<rows.count).map { rows.integer($0, 0) }
    }

    /// The engine must spread customers as ``ShardHash`` does, by which everybody finds a customer's lane.
    func checkHash(_ heads: [CustomerNumber]) throws(LedgerError) {
      let shards = try shards()
      // Numbers of both signs, near and far.
      let numbers = heads + (0..<64).map { CustomerNumber(1) << CustomerNumber($0 % 62) | CustomerNumber($0) }
      let answers = try ask(
        numbers.map { number in
          PostgresRequest("SELECT get_shard_id_for_distribution_column($1::regclass, $2)") {
            $0.add(name("accounts"))
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
