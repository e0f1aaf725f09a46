#if PostgreSQL
internal import GemLedger

extension CommonWrites {
  /// Returns a call of the function that writes the rows of one lane, if all of them are of that lane.
  func callOfWriteFunction(
    _ changes: borrowing ChangeSet, _ accounts: [AccountRow], _ step: LaneStep, _ heads: [LaneHead],
    _ group: PostgresGroup
  ) -> PostgresRequest? {
    guard let cluster = layout.cluster, cluster.hasWriteFunction, heads.count == 1, let lane = heads.first?.lane else {
      return nil
    }
    func areOfLane<Row>(_ rows: [Row], _ customer: (Row) -> CustomerNumber) -> Bool {
      rows.allSatisfy { cluster.lane(of: customer($0)) == lane }
    }
    guard areOfLane(changes.keys, \.customer), areOfLane(changes.transactions, \.customer),
      areOfLane(changes.entries, \.account.customer), areOfLane(accounts, \.number.customer)
    else { return nil }
    return PostgresRequest(WriteFunction.call) {
      $0.add(lane: cluster.keys[lane])
      $0.add(changes, accounts, step, group.token, head: layout.heads[lane])
    }
  }

  /// Returns a statement for each table: a distributed engine does not write several in one.
  func requestsOfEachTable(
    _ changes: borrowing ChangeSet, _ accounts: [AccountRow], _ step: LaneStep, _ heads: [LaneHead],
    _ group: PostgresGroup
  ) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if !changes.keys.isEmpty { requests.append(PostgresRequest(Self.keyRows.sql()) { $0.add(keys: changes.keys) }) }
    if !changes.transactions.isEmpty {
      requests.append(
        PostgresRequest(Self.transactionRows.sql()) {
          $0.add(transactions: changes.transactions, without: changes.transactionsWithoutEntries)
        })
    }
    if !changes.entries.isEmpty {
      requests.append(PostgresRequest(Self.entryRows.sql()) { $0.add(entries: changes.entries) })
    }
    if !accounts.isEmpty { requests.append(PostgresRequest(Self.accountRows.sql()) { $0.add(accounts: accounts) }) }
    for (index, head) in heads.enumerated() {
      requests.append(
        PostgresRequest(Self.headUpdate(from: 1)) {
          $0.add(step, customer: layout.heads[head.lane], isFirst: index == 0)
        })
    }
    requests.append(
      PostgresRequest(Self.markInsert(from: 1)) {
        $0.add(group.token, customer: layout.heads[heads.first?.lane ?? 0])
      })
    return requests
  }
}

extension BulkInsert {
  /// The maximum number of rows of one statement, which keeps its parameters far below the server's limit.
  private static let rowsPerStatement = 512
  /// The maximum number of rows for preparing a statement: longer statements rarely have the same length again.
  static let preparedRowCount = 4

  /// Returns requests for the same rows in a form that no single node can lose.
  ///
  /// A distributed engine copies the rows of `INSERT … SELECT` without `ON CONFLICT` to a node without noting that the
  /// transaction wrote there. If it also read there earlier, the loss of that session goes unnoticed: the commit is
  /// reported as done, but these rows are missing. The engine notes rows after `VALUES`, and refuses existing rows as
  /// before, in the same round trip.
  static func noted(_ request: PostgresRequest) -> [PostgresRequest] {
    request.sql.hasPrefix("INSERT INTO ") && !request.sql.contains("ON CONFLICT") ? behindValues(request) : [request]
  }

  /// Returns requests for the same rows after `VALUES`; the request itself if it has no lists or no rows.
  static func behindValues(_ request: PostgresRequest) -> [PostgresRequest] {
    let lists = "SELECT \(lists(request.parameters.count))"
    guard let position = request.sql.firstRange(of: lists) else { return [request] }
    let (head, end) = (request.sql[..<position.lowerBound], request.sql[position.upperBound...])
    let rows = request.parameters.rows()
    guard !rows.isEmpty else { return [request] }
    return stride(from: 0, to: rows.count, by: rowsPerStatement).map { first in
      let part = rows[first..<min(rows.count, first + rowsPerStatement)]
      let sql = head + values(rows: part.count, columns: request.parameters.count) + end
      var values = PostgresRequest(String(sql), PostgresParameters(), isPrepared: part.count <= preparedRowCount)
      for row in part { values.parameters.append(row) }
      return values
    }
  }

  private static func values(rows: Int, columns: Int) -> String {
    let positions = (0..<rows).map { row in
      "(" + (1...columns).map { "$\(row * columns + $0)" }.joined(separator: ", ") + ")"
    }
    return "VALUES " + positions.joined(separator: ", ")
  }
}
#endif
