#if PostgreSQL
internal import CPostgreSQL
internal import GemLedger

/// The bounds of the integers in a result, determined by column names (see ``ColumnBounds``).
///
/// All results are checked here, so no reader can omit the check.
struct AnswerBounds {
  private var columns: [(position: Int, bound: ColumnBound)] = []

  /// Reads the column names; the bounds apply to every result of the same statement.
  init(_ rows: PostgresRows) {
    let names = (0..<rows.columnCount).map(rows.name)
    for (position, name) in names.enumerated() where rows.isInteger(position) {
      guard let bound = Self.bound(of: name, beside: names), bound != .any else { continue }
      columns.append((position, bound))
    }
  }

  /// Returns a failure for the first number that is out of bounds; nil if there is none.
  func damage(in rows: PostgresRows) -> PostgresFailure? {
    for row in 0..<rows.count {
      for (position, bound) in columns
      where !bound.holds(rows.integer(row, position)) && !rows.isNull(row, position) {
        // The first column of a row identifies it.
        let first = rows.isInteger(0) ? "\(rows.integer(row, 0))" : rows.text(row, 0)
        return PostgresFailure(
          state: PostgresFailure.damagedRow,
          message: "the row with \(rows.name(0)) \(first) has \(rows.name(position)) \(rows.integer(row, position)), "
            + "which is out of range")
      }
    }
    return nil
  }

  /// - Parameter names: The names of the result's columns.
  private static func bound(of name: String, beside names: [String]) -> ColumnBound? {
    switch name {
    // Only entries have the column of their previous entry.
    case "number": names.contains("previous") ? .entry : .transaction
    // A store may state any instant for a purchase.
    case "expires_at": names.contains("purchased_at") ? nil : .instantOrNever
    // Columns that are not in rows of the core.
    case "last", "catalog_version", "erased_by": .number
    // Expressions over instants.
    case "max", "coalesce": .value
    default: ColumnBounds.all[name]
    }
  }
}

extension PostgresFailure {
  /// The server's code for impossible rows.
  static let damagedRow = "XX001"
}
#endif
