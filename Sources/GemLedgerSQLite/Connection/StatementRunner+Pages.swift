internal import GemLedger

/// Reads of scan pages, and of batches of rows by number.
extension StatementRunner {
  // MARK: Pages

  /// Reads a page of rows in ascending order of their numbers.
  ///
  /// It checks the order: pages of a damaged file could form a cycle, and would be read endlessly.
  ///
  /// - Parameter column: The column of the number.
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

  /// Reads a page of rows that are ordered by several columns.
  ///
  /// - Parameter precedes: Must be false for a row and itself: otherwise a page that ends with its start row is read
  ///   endlessly.
  func scanned<Row>(
    _ statement: SQLiteStatement, after: Row?, _ precedes: (Row, Row) -> Bool, _ bind: (SQLiteStatement) -> Void,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(statement, bind) { (statement) throws(SQLiteFailure) in
      let row = try read(statement)
      if let last, !precedes(last, row) { throw .notAscending }
      last = row
      return row
    }
  }

  /// Passes on a range of rows, in ascending order of a number.
  ///
  /// - Parameter column: The column of the number.
  func range(
    _ sql: StaticString, _ range: ClosedRange<Int64>, column: Int32,
    _ take: (SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    let statement = try cache(sql)
    defer { statement.reset() }
    statement.bind(1, range.lowerBound)
    statement.bind(2, range.upperBound)
    var last = range.lowerBound - 1
    while try statement.step() {
      let number = statement.integer(column)
      guard number > last else { throw .notAscending }
      last = number
      try take(statement)
    }
  }

  // MARK: Batches

  /// Passes on the rows with these numbers; the statement starts at a given number, and its first column is the number.
  func batch(
    _ wanted: [Int64], _ sql: StaticString, _ take: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(LedgerError) {
    try batch(wanted, try statement(sql), take)
  }

  func batch(
    _ wanted: [Int64], _ statement: SQLiteStatement, _ take: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(LedgerError) {
    // No row has a negative number.
    let wanted = wanted.filter { $0 >= 0 }.sorted()
    try translating { () throws(SQLiteFailure) in
      defer { statement.reset() }
      var position = 0
      while position < wanted.count {
        statement.bind(1, wanted[position])
        var (isFar, last) = (false, wanted[position])
        while try statement.step() {
          let number = statement.integer(0)
          // Rows in descending order would be searched endlessly.
          guard number >= last else { throw .notAscending }
          last = number
          while position < wanted.count, wanted[position] < number { position += 1 }
          isFar = position == wanted.count || UInt64(bitPattern: wanted[position] &- number) > Self.batchDistance
          if isFar { break }
          if wanted[position] == number { try take(number, statement) }
        }
        // There are no rows after the last row.
        guard isFar else { return }
        statement.reset()
      }
    }
  }

  /// The maximum number of rows to step over before a new look-up is faster.
  private static let batchDistance: UInt64 = 16
}

/// The order in which SQLite compares texts: by their bytes.
enum ByteOrder {
  static func precedes(_ one: (text: String, number: Int64), _ other: (text: String, number: Int64)) -> Bool {
    if one.text.utf8.elementsEqual(other.text.utf8) { return one.number < other.number }
    return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
