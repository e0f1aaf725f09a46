public import GemLedger

/// The rules for app user ids.
public enum UserID {
  /// Checks that the id can name one customer.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id of a kind that only the ledger makes (`$erased:`,
  ///   `$stock:`); with `invalid_user_id` for the text of a variable without a value, such as `null` or `NaN`, for an
  ///   id that apps share by mistake, such as `guest`, for a blank id, and for an id with a slash.
  public static func check(_ id: CustomerID) throws(LedgerError) {
    try id.checkClientUsable()
  }

  /// Returns whether ``check(_:)`` accepts the id.
  public static func isAllowed(_ id: CustomerID) -> Bool {
    do throws(LedgerError) {
      try check(id)
      return true
    } catch {
      return false
    }
  }

  /// Returns whether the id was made for an anonymous customer: `$RCAnonymousID:` and 32 lower-case hex digits.
  public static func isAnonymous(_ id: CustomerID) -> Bool { id.isAnonymous }
}
