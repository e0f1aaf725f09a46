#if PostgreSQL
internal import CPostgreSQL
internal import GemLedger

/// The bounds of the integers in an answer, found by the names of their columns (see ``RowBounds``).
///
/// Each answer is checked in this one place, so that no reader can leave the bounds out.
struct ColumnBounds {
  private enum Bound {
    /// From 0 to the largest.
    case number(Int64)
    /// Of either sign, up to the largest.
    case within(Int64)
    /// An instant, or the largest number for never.
    case instantOrNever
  }

  private var columns: [(position: Int, bound: Bound)] = []

  /// Reads the columns' names; the bounds are those of every answer to the same statement.
  init(_ rows: PostgresRows) {
    let names = (0..<rows.columnCount).map(rows.name)
    for (position, name) in names.enumerated() where rows.isInteger(position) {
      guard let bound = Self.bound(of: name, beside: names) else { continue }
      columns.append((position, bound))
    }
  }

  /// The first number that no ledger writes.
  func damage(in rows: PostgresRows) -> PostgresFailure? {
    for row in 0..<rows.count {
      for (position, bound) in columns
      where !Self.holds(rows.integer(row, position), bound) && !rows.isNull(row, position) {
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

  @inline(__always)
  private static func holds(_ value: Int64, _ bound: Bound) -> Bool {
    switch bound {
    case .number(let bound): RowBounds.isNumber(value, upTo: bound)
    case .within(let bound): RowBounds.isWithin(value, bound)
    case .instantOrNever: value == .max || RowBounds.isWithin(value, RowBounds.instant)
    }
  }

  // MARK: Names

  private static let numbers: Set = [
    "customer", "from_customer", "merged_into", "merged", "merged_count", "frozen", "erased_by", "holder", "lot",
    "pool_lot", "source_lot", "grant_lot", "original_lot", "purchase", "version", "open_lots", "environment",
    "pool_environment", "catalog_version", "last", "delivery_attempts",
  ]
  private static let amounts: Set = [
    "amount", "balance", "debt", "held", "remaining", "pool_remaining", "price", "quantity", "owned", "held_after",
    "extent", "grant_amount", "freezes",
  ]
  private static let entries: Set = ["entry", "last_entry", "previous"]
  /// Instants that the ledger writes, and the names of query expressions over them.
  private static let instants: Set = [
    "created_at", "updated_at", "applied_at", "deadline", "begun_at", "period", "value", "max", "coalesce",
  ]

  // Hashes, random numbers and bit sets have no bounds, and a store's dates may be any instant. Kinds and shares have
  // none either: their readers accept valid values only.

  /// - Parameter names: Those of the answer's columns.
  private static func bound(of name: String, beside names: [String]) -> Bound? {
    switch name {
    case _ where numbers.contains(name): .number(RowBounds.number)
    case _ where amounts.contains(name): .within(RowBounds.amount)
    case _ where entries.contains(name): .number(RowBounds.entry)
    case "currency", "grant_currency": .number(RowBounds.currency)
    case "transaction_number", "target", "hold", "refund": .number(RowBounds.transaction)
    // Entries name the one before them.
    case "number": .number(names.contains("previous") ? RowBounds.entry : RowBounds.transaction)
    // It stops at the largest number.
    case "granted", "pool_granted": .number(.max)
    // A store's dates of a purchase may be any instant.
    case "expires_at" where names.contains("purchased_at"): nil
    case "expires_at", "next_expiry", "next_scheduled_at", "due_at": .instantOrNever
    case _ where instants.contains(name): .within(RowBounds.instant)
    default: nil
    }
  }
}

extension PostgresFailure {
  /// The server's own code for impossible rows.
  static let damagedRow = "XX001"
}
#endif
