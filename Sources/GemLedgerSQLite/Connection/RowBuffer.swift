internal import GemLedger

/// Rows of a small table that are moved to a large one together with their neighbours.
///
/// A row that is stored by customer costs a page of the file and of the log, at a random place. So such rows are first
/// written to a small table, whose few pages nearly every commit writes. Later they move to the large table in the
/// order of its key, many rows per page. A read queries both tables.
package final class RowBuffer {
  /// The sizes of the buffers of one storage.
  package struct Sizes: Sendable {
    /// The number of rows in a small table from which rows are moved to the large one.
    package var limit = 4096
    /// The number of rows moved at once; more if they have one key.
    package var step = 512
    /// The number of customers from which accounts are buffered: fewer have few pages, which every group writes.
    package var customers: Int64 = 8192

    package init() {}
  }

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

  let sizes: Sizes
  private let statements: StatementRunner
  private let text: Text
  /// The greatest number of rows in the small table, without changes by other processes.
  ///
  /// Nil before they are counted.
  private var count: Int?
  /// The last key of the previous move.
  private var last: Int64 = .min

  init(_ statements: StatementRunner, _ text: Text, sizes: Sizes) {
    self.statements = statements
    self.text = text
    self.sizes = sizes
  }

  /// Adds to the count; some of the rows may replace others.
  func add(_ rows: Int) { count? += rows }

  /// Forces a new count: a commit that changed the count was rolled back.
  func forgetCount() { count = nil }

  /// Moves the rows of the next keys to the large table, if the small one is full.
  func flush() throws(LedgerError) {
    if let count, count <= sizes.limit { return }
    var count = try countRows()
    while count > sizes.limit {
      let end = try statements.first(
        text.end,
        {
          $0.bind(1, self.last)
          $0.bind(2, Int64(self.sizes.step) - 1)
        }, { $0.integer(0) })
      let moved = try move(after: last, through: end ?? .max)
      // No key of a ledger is outside of all ranges.
      if moved == 0, last == .min { break }
      count -= moved
      last = end ?? .min
    }
    self.count = count
  }

  private func move(after first: Int64, through last: Int64) throws(LedgerError) -> Int {
    for sql in [text.move, text.remove] {
      try statements.run(sql, [(first, last)]) {
        $0.bind(1, $1.0)
        $0.bind(2, $1.1)
      }
    }
    return statements.connection.changeCount
  }

  private func countRows() throws(LedgerError) -> Int { Int(try statements.first(text.count) { $0.integer(0) } ?? 0) }
}
