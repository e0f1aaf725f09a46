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
