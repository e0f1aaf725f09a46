internal import GemLedger

/// Pages of a scan, and batches of rows by their numbers.
extension StatementRunner {
  // MARK: Pages

  /// A page of rows by their numbers, which ascend: pages of a damaged file could lead back, and be read without end.
  ///
  /// - Parameter column: Where the number stands.
  func page<Row>(
    _ sql: StaticString, after: Int64, _ limit: Int, column: Int32 = 0,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(
      sql,
      {
        $0.bind(1, after)
        $0.bind(2, Int64(limit))
      },
      { (statement) throws(SQLiteFailure) in
        let number = statement.integer(column)
        guard number > last else { throw .notAscending }
        last = number
        return try read(statement)
      })
  }

  /// A page of rows that several columns name, in their order.
  ///
  /// - Parameter precedes: Must be false for a row and itself: otherwise a page that ends where it began is read
  ///   without end.
  func scanned<Row>(
    _ sql: StaticString, after: Row?, _ precedes: (Row, Row) -> Bool, _ bind: (SQLiteStatement) -> Void,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(sql, bind) { (statement) throws(SQLiteFailure) in
      let row = try read(statement)
      if let last, !precedes(last, row) { throw .notAscending }
      last = row
      return row
    }
  }

  // MARK: Batches

  /// Passes on the rows of the numbers; the statement's first column is the number, and it starts at a given number.
  func batch(
    _ wanted: [Int64], _ sql: StaticString, _ take: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(LedgerError) {
    try batch(wanted, try statement(sql), take)
  }

  func batch(
    _ wanted: [Int64], _ statement: SQLiteStatement, _ take: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(LedgerError) {
    // Negative numbers name no row.
    let wanted = wanted.filter { $0 >= 0 }.sorted()
    try translating { () throws(SQLiteFailure) in
      defer { statement.reset() }
      var position = 0
      while position < wanted.count {
        statement.bind(1, wanted[position])
        var (isFar, last) = (false, wanted[position])
        while try statement.step() {
          let number = statement.integer(0)
          // Rows that go back would be looked for again without end.
          guard number >= last else { throw .notAscending }
          last = number
          while position < wanted.count, wanted[position] < number { position += 1 }
          isFar = position == wanted.count || UInt64(bitPattern: wanted[position] &- number) > Self.batchDistance
          if isFar { break }
          if wanted[position] == number { try take(number, statement) }
        }
        // Behind the last row there is nothing to find.
        guard isFar else { return }
        statement.reset()
      }
    }
  }

  /// How many rows are passed over rather than looking up the next one that is wanted.
  private static let batchDistance: UInt64 = 16
}

/// The order in which SQLite compares texts: by their bytes.
enum ByteOrder {
  static func precedes(_ one: (text: String, number: Int64), _ other: (text: String, number: Int64)) -> Bool {
    if one.text.utf8.elementsEqual(other.text.utf8) { return one.number < other.number }
    return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
