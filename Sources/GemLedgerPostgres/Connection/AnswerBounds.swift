#if PostgreSQL
internal import CPostgreSQL
internal import GemLedger

/// The bounds of the integers in an answer, found by the names of their columns (see ``ColumnBounds``).
///
/// Each answer is checked in this one place, so that no reader can leave the bounds out.
struct AnswerBounds {
  private var columns: [(position: Int, bound: ColumnBound)] = []

  /// Reads the columns' names; the bounds are those of every answer to the same statement.
  init(_ rows: PostgresRows) {
    let names = (0..<rows.columnCount).map(rows.name)
    for (position, name) in names.enumerated() where rows.isInteger(position) {
      guard let bound = Self.bound(of: name, beside: names), bound != .any else { continue }
      columns.append((position, bound))
    }
  }

  /// The first number that no ledger writes.
  func damage(in rows: PostgresRows) -> PostgresFailure? {
    for row in 0..<rows.count {
      for (position, bound) in columns
      where !bound.holds(rows.integer(row, position)) && !rows.isNull(row, position) {
        // The first column of a row identifies it.
        let first = rows.isInteger(0) ? "\(rows.integer(row, 0))" : rows.text(row, 0)
        return PostgresFailure(
          state: PostgresFailure.damagedRow,
          message: "the row with \(rows.name(0)) \(first) has \(rows.name(position)) \(rows.integer(row, position)), "
            + "which no ledger writes")
      }
    }
    return nil
  }

  /// - Parameter names: Those of the answer's columns.
  private static func bound(of name: String, beside names: [String]) -> ColumnBound? {
    switch name {
    // Entries name the one before them.
    case "number": names.contains("previous") ? .entry : .transaction
    // A store's dates of a purchase may be any instant.
    case "expires_at": names.contains("purchased_at") ? nil : .instantOrNever
    // Columns that no row of the core has.
    case "last", "catalog_version", "erased_by": .number
    // Expressions over instants.
    case "max", "coalesce": .value
    default: ColumnBounds.all[name]
    }
  }
}

extension PostgresFailure {
  /// The server's own code for impossible rows.
  static let damagedRow = "XX001"
}
#endif
