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

  init(_ cluster: Cluster) { self.cluster = cluster }

  /// Returns the statements that replace this one; the last statement gives the result.
  func naming(_ request: PostgresRequest) -> [PostgresRequest] {
    let statement = known[request.sql] ?? LaneStatement(request.sql)
    known[request.sql] = statement
    if request.sql == "BEGIN" { held = [] }
    switch statement.form {
    case .asItIs: return BulkInsert.noted(request)
    case .pieces(let pieces): return [named(request, pieces, locksLanes: statement.locksLanes)]
    case .insertion(let rows): return insertion(request, rows)
    }
  }

  private func named(
    _ request: PostgresRequest, _ pieces: [LaneStatement.Piece], locksLanes: Bool
  ) -> PostgresRequest {
    var parameters = request.parameters
    var conditions: [Int: String] = [:]
    func condition(_ customers: Int) -> String {
      if let known = conditions[customers] { return known }
      let lanes = cluster.keys(of: request.parameters.integers(at: customers - 1))
      if locksLanes { held.formUnion(lanes) }
      if lanes.count == 1 { parameters.add(lane: lanes[0]) } else { parameters.add(lanes: lanes) }
      let position = lanes.count == 1 ? "$\(parameters.count)" : "ANY($\(parameters.count))"
      conditions[customers] = position
      return position
    }
    let sql = LaneStatement.sql(pieces, condition)
    return PostgresRequest(sql, parameters, isPrepared: request.isPrepared)
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
#endif
