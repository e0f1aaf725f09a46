#if PostgreSQL
/// An insert of many rows into a table, from one list for each column.
///
/// The lists are in the `SELECT` clause, where the server unnests them value by value. In the `FROM` clause it would
/// first write each list to a temporary store, which took four times as long.
struct BulkInsert: Sendable {
  let table: String
  let columns: [String]
  /// The clause for existing rows.
  let conflict: String

  init(_ table: String, _ columns: String, conflict: String = "") {
    self.table = table
    self.columns = columns.split { $0 == "," || $0.isWhitespace }.map(String.init)
    self.conflict = conflict
  }

  /// - Parameter first: The number of the first list's parameter.
  func sql(from first: Int = 1) -> String {
    let lists = Self.lists(columns.count, from: first)
    return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(lists) \(conflict)"
  }

  // MARK: On several machines

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
      var values = PostgresRequest(String(sql), isPrepared: part.count <= preparedRowCount)
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

  /// Returns the last row of each key.
  static func last<Row, Key: Hashable>(_ rows: [Row], of key: (Row) -> Key) -> [Row] {
    Array(Dictionary(rows.map { (key($0), $0) }) { _, last in last }.values)
  }

  // MARK: Lists

  /// Returns the select list for the lists in the parameters, starting at the first parameter.
  static func lists(_ count: Int, from first: Int = 1) -> String {
    (first..<first + count).map { "unnest($\($0))" }.joined(separator: ", ")
  }
}
#endif
