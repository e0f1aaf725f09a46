public import GemLedger

/// The rules for app user ids.
public enum UserID {
  /// Ids that apps send by mistake when they have none: all their users would share one balance.
  package static let blocked: Set<String> = [
    "no_user", "null", "none", "nil", "(null)", "NaN", "unidentified", "undefined", "unknown", "anonymous", "guest",
    "-1", "0", "[]", "{}", "[object Object]",
  ]

  /// Checks that the id can name one customer.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an id of a kind that only the ledger makes (`$erased:`,
  ///   `$stock:`); with `invalid_user_id` for an id that apps send when they have none, such as `null` or `guest`; with
  ///   the same for one of space only, and for one with a slash.
  public static func check(_ id: CustomerID) throws(LedgerError) {
    try id.checkNotReserved()
    guard !blocked.contains(where: { $0.hasBytes(of: id.text) }), !id.text.utf8.contains(UInt8(ascii: "/")),
      id.text.utf8.contains(where: { $0 != 0x20 })
    else {
      throw LedgerError(
        .invalidUserID,
        "\"\(id.text.prefix(100))\" cannot name a customer; use an id of your own that nobody can guess.")
    }
  }

  /// Whether ``check(_:)`` lets the id pass.
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
