#if PostgreSQL
internal import GemLedger

/// Adds the lanes of rows to statements for a distributed engine; each connection has one.
///
/// The engine sends a query, an update or rows after `VALUES` that name one lane to its shard unchanged. It evaluates
/// lists of rows (`INSERT … SELECT`) on the node that received the statement, and copies their rows to the shard.
final class LaneStatements {
  private let cluster: Cluster
  private var known: [String: LaneStatement] = [:]
  /// The lanes that the open transaction locked: a group writes the lane row of each.
  private var held: Set<Int32> = []
  private let columns: QueryColumns

  init(_ cluster: Cluster, _ columns: QueryColumns = QueryColumns()) {
    self.cluster = cluster
    self.columns = columns
  }

  private func statement(_ request: PostgresRequest) -> LaneStatement {
    if let known = known[request.sql] { return known }
    let statement = LaneStatement(request.sql)
    known[request.sql] = statement
    return statement
  }

  /// - Returns: The statements that replace this one, the last of which gives the result; for rows of one lane, it.
  private func named(
    _ request: PostgresRequest, _ statement: LaneStatement
  ) -> (statements: [PostgresRequest], lane: Int32?) {
    if request.sql.hasPrefix("BEGIN") { held = [] }
    switch statement.form {
    case .asItIs: return (BulkInsert.noted(request), nil)
    case .pieces(let pieces):
      let (request, lane) = named(request, pieces, locksLanes: statement.locksLanes)
      return ([request], lane)
    case .insertion(let rows): return (insertion(request, rows), nil)
    }
  }

  private func named(
    _ request: PostgresRequest, _ pieces: [LaneStatement.Piece], locksLanes: Bool
  ) -> (request: PostgresRequest, lane: Int32?) {
    var named: Set<[Int32]> = []
    var parameters = request.parameters
    var conditions: [Int: String] = [:]
    func condition(_ customers: Int) -> String {
      if let known = conditions[customers] { return known }
      let lanes = cluster.keys(of: request.parameters.integers(at: customers - 1))
      if locksLanes { held.formUnion(lanes) }
      named.insert(lanes)
      if lanes.count == 1 { parameters.add(lane: lanes[0]) } else { parameters.add(lanes: lanes) }
      let position = lanes.count == 1 ? "$\(parameters.count)" : "ANY($\(parameters.count))"
      conditions[customers] = position
      return position
    }
    let sql = LaneStatement.sql(pieces, condition)
    let lane = named.count == 1 && named.first?.count == 1 ? named.first?.first : nil
    return (PostgresRequest(sql, parameters, isPrepared: request.isPrepared), lane)
  }

  /// Returns an insertion into the shards of its rows' lanes.
  ///
  /// Rows of a lane that the group holds are inserted as lists, few rows of one lane with `VALUES`.
  ///
  /// The engine may copy lists without noting that the transaction wrote on that node. The group's update of the lane
  /// row uses the same connection and is noted. Other rows are written as ``BulkInsert/noted(_:)`` describes (for
  /// example, a refund is stored with the buyer, who may be merged by now).
  private func insertion(_ request: PostgresRequest, _ rows: LaneStatement.ListInsertion) -> [PostgresRequest] {
    let customers = request.parameters.integers(at: rows.customers - 1)
    let lanes = cluster.keys(of: customers)
    let areFew = lanes.count == 1 && customers.count <= BulkInsert.preparedRowCount
    var parameters = request.parameters
    if lanes.count == 1, !areFew, held.contains(lanes[0]) || !rows.conflict.isEmpty {
      parameters.add(lane: lanes[0])
      return [PostgresRequest(rows.sql(ofLane: "$\(parameters.count)"), parameters)]
    }
    parameters.add(lanes: customers.map(cluster.key))
    let columns = rows.columns.joined(separator: ", ")
    let sql = "INSERT INTO \(rows.table) (\(columns), lane) SELECT \(BulkInsert.lists(parameters.count))"
    let request = PostgresRequest(sql + rows.conflict, parameters)
    return areFew ? BulkInsert.behindValues(request) : BulkInsert.noted(request)
  }
}

// MARK: Round trips

extension LaneStatements {
  /// Returns the statements of a round trip, with a group's queries of a lane that it holds in one statement.
  ///
  /// The rows of such a lane do not change between queries. A query whose columns are not known yet is sent alone, once
  /// for each process.
  func batch(_ requests: [PostgresRequest]) -> LaneBatch {
    var batch = LaneBatch()
    for (index, request) in requests.enumerated() {
      let statement = statement(request)
      let (statements, lane) = named(request, statement)
      guard let last = statements.last else { continue }
      let heldLane = statement.isQuery ? lane.flatMap { held.contains($0) ? $0 : nil } : nil
      let query = LaneBatch.Query(request: index, statement: last, lane: heldLane)
      if let heldLane, columns[last.sql] != nil {
        batch.add(query, ofLane: heldLane)
      } else {
        batch.add(statements, query, isReader: statement.isQuery)
      }
    }
    batch.addWaiting()
    return batch
  }

  /// Returns the result of each request.
  ///
  /// - Parameters:
  ///   - answers: The results of the batch's statements.
  ///   - check: Checks the result of a statement.
  func answers(
    to batch: LaneBatch, _ answers: [PostgresRows], _ check: (PostgresRows, String) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> [PostgresRows] {
    var found: [(request: Int, rows: PostgresRows)] = []
    for (queries, rows) in zip(batch.queries, answers) {
      let parts = queries.count > 1 ? try rows.split(into: queries.compactMap { columns[$0.statement.sql] }) : [rows]
      for (query, rows) in zip(queries, parts) {
        let sql = query.statement.sql
        try check(rows, sql)
        if query.lane != nil { columns.remember(rows, of: sql) }
        found.append((query.request, rows))
      }
    }
    return found.sorted { $0.request < $1.request }.map(\.rows)
  }
}
#endif
