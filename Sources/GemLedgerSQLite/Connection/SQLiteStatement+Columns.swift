internal import CSQLite
internal import GemLedger

/// Typed columns; a number out of the bounds of any ledger is damage (see ``RowBounds``).
extension SQLiteStatement {
  /// Returns the number of a customer, a lot, a purchase or an order, a version, or a count.
  @inline(__always)
  func number(_ column: Int32) throws(SQLiteFailure) -> Int64 {
    let value = integer(column)
    guard RowBounds.isNumber(value, upTo: RowBounds.number) else { throw outOfBounds(column) }
    return value
  }

  @inline(__always)
  func currency(_ column: Int32) throws(SQLiteFailure) -> Int64 {
    let value = integer(column)
    guard RowBounds.isNumber(value, upTo: RowBounds.currency) else { throw outOfBounds(column) }
    return value
  }

  @inline(__always)
  func transaction(_ column: Int32) throws(SQLiteFailure) -> TransactionNumber {
    let value = integer(column)
    guard RowBounds.isNumber(value, upTo: RowBounds.transaction) else { throw outOfBounds(column) }
    return value
  }

  @inline(__always)
  func entry(_ column: Int32) throws(SQLiteFailure) -> EntryNumber {
    let value = integer(column)
    guard RowBounds.isNumber(value, upTo: RowBounds.entry) else { throw outOfBounds(column) }
    return value
  }

  /// Returns an account's number; every number that is not negative is valid.
  @inline(__always)
  func account(_ column: Int32) throws(SQLiteFailure) -> AccountNumber {
    let value = integer(column)
    guard value >= 0 else { throw outOfBounds(column) }
    return AccountNumber(rawValue: value)
  }

  /// Returns the total amount ever granted to a lot, capped at the largest number.
  @inline(__always)
  func granted(_ column: Int32) throws(SQLiteFailure) -> Int64 {
    let value = integer(column)
    guard value >= 0 else { throw outOfBounds(column) }
    return value
  }

  @inline(__always)
  func amount(_ column: Int32) throws(SQLiteFailure) -> Int64 {
    let value = integer(column)
    guard RowBounds.isWithin(value, RowBounds.amount) else { throw outOfBounds(column) }
    return value
  }

  /// Returns an amount, a number or an instant; another column of the row determines its meaning.
  @inline(__always)
  func value(_ column: Int32) throws(SQLiteFailure) -> Int64 {
    let value = integer(column)
    guard RowBounds.isWithin(value, RowBounds.instant) else { throw outOfBounds(column) }
    return value
  }

  @inline(__always)
  func instant(_ column: Int32) throws(SQLiteFailure) -> Timestamp { Timestamp(milliseconds: try value(column)) }

  // MARK: Columns that may be null

  func optionalNumber(_ column: Int32) throws(SQLiteFailure) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : try number(column)
  }

  func optionalAmount(_ column: Int32) throws(SQLiteFailure) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : try amount(column)
  }

  func optionalTransaction(_ column: Int32) throws(SQLiteFailure) -> TransactionNumber? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : try transaction(column)
  }

  func optionalValue(_ column: Int32) throws(SQLiteFailure) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : try value(column)
  }

  func optionalInstant(_ column: Int32) throws(SQLiteFailure) -> Timestamp? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : try instant(column)
  }

  /// Returns an amount of money from this column and its currency from the next column.
  func money(_ column: Int32) throws(SQLiteFailure) -> Money? {
    guard let minorUnits = try optionalAmount(column) else { return nil }
    return Money(minorUnits: minorUnits, currency: text(column + 1))
  }

  /// Returns a failure that names the column and the row; the first column of a row identifies it.
  func outOfBounds(_ column: Int32, of table: StaticString? = nil) -> SQLiteFailure {
    let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "column \(column)"
    let first = sqlite3_column_name(handle, 0).map { String(cString: $0) } ?? "column 0"
    return SQLiteFailure(
      extendedCode: SQLITE_CORRUPT,
      message: "the row\(table.map { " of \($0)" } ?? "") with \(first) \(integer(0)) has \(name) "
        + "\(integer(column)), which is out of range")
  }
}
