#if PostgreSQL
  /// Many rows into a table, from a list a column.
  ///
  /// The lists stand among what is selected, where the server takes them apart value by value; behind `FROM` it would
  /// write down each list by itself first, which took four times as long.
  struct BulkInsert: Sendable {
    let table: String
    let columns: [String]
    /// What to do with a row that is there.
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

    /// A row of what the parameters list, from the first one on.
    static func lists(_ count: Int, from first: Int = 1) -> String {
      (first..<first + count).map { "unnest($\($0))" }.joined(separator: ", ")
    }
  }
#endif
