/// The progress of a copy; a storage that has one is not a ledger yet.
package struct CopyProgress: Hashable, Sendable {
  /// The current step, and the number of its pages already written.
  package var step: Int64
  package var pages: Int64
  /// The newest transaction of the source, so that a copy does not resume from a ledger that has changed.
  package var source: TransactionNumber

  package init(step: Int64 = 0, pages: Int64 = 0, source: TransactionNumber) {
    self.step = step
    self.pages = pages
    self.source = source
  }
}

/// The progress of a copy; at most one row.
extension CopyProgress: StoredRow {
  package static let table: StaticString = "copy_progress"
  package static var blank: Self { Self(source: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("step", &step, .local)
    columns.number("pages", &pages, .local)
    // The source's value in an import is not the number of a row.
    columns.integer("source", .any, &source, .local)
  }
}
