internal import CSQLite
internal import GemLedger

/// Rows of a small table that are moved to a large one together with their neighbours.
///
/// A row that is stored by customer costs a page of the file and of the log, at a random place. So such rows are first
/// written to a small table, whose few pages nearly every commit writes. Later they move to the large table in the
/// order of its key, many rows per page. A read queries both tables.
package final class RowBuffer {
  /// The statements on the tables; a range is after its first key, up to its last one.
  package struct Text {
    /// The number of rows in the small table.
    package let count: StaticString
    /// The key that is a number of rows after a key, if there are so many.
    package let end: StaticString
    /// Writes the rows of a range to the large table.
    package let move: StaticString
    /// Removes the rows of a range from the small table.
    package let remove: StaticString
  }

  let sizes: TableSizes
  private let statements: StatementRunner
  private let text: Text
  /// The greatest number of rows in the small table, without changes by other processes.
  ///
  /// Nil before they are counted.
  private var count: Int?
  /// The last key of the previous move.
  private var last: Int64 = .min

  init(_ statements: StatementRunner, _ text: Text, sizes: TableSizes) {
    self.statements = statements
    self.text = text
    self.sizes = sizes
  }

  /// Adds to the count; some of the rows may replace others.
  func add(_ rows: Int) { count? += rows }

  /// Forces a new count: a commit that changed the count was rolled back.
  func forgetCount() { count = nil }

  /// Moves the rows of the next keys to the large table, if the small one is full.
  ///
  /// A damaged row or page stays where it is, and only its range: it must not stop the bookings of others.
  func flush() throws(LedgerError) {
    if let count, count <= sizes.limit { return }
    var count = try countRows()
    defer { self.count = count }
    while count > sizes.limit {
      let first = last
      // A range that fails is not tried again at once.
      last = .min
      do throws(SQLiteFailure) {
        let end = try end(of: first)
        last = end ?? .min
        let moved = try move(after: first, through: end ?? .max)
        // No key of a ledger is outside of all ranges.
        if moved == 0, first == .min { return }
        count -= moved
      } catch {
        guard error.code == SQLITE_CONSTRAINT || error.code == SQLITE_CORRUPT else {
          throw error.ledgerError(path: statements.path)
        }
        return
      }
    }
  }

  private func end(of first: Int64) throws(SQLiteFailure) -> Int64? {
    let statement = try statements.cache(text.end)
    statement.bind(1, first)
    statement.bind(2, Int64(sizes.step) - 1)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  private func move(after first: Int64, through last: Int64) throws(SQLiteFailure) -> Int {
    for sql in [text.move, text.remove] {
      let statement = try statements.cache(sql)
      statement.bind(1, first)
      statement.bind(2, last)
      try statement.run()
    }
    return statements.connection.changeCount
  }

  private func countRows() throws(LedgerError) -> Int { Int(try statements.first(text.count) { $0.integer(0) } ?? 0) }
}
