internal import GemLedger
internal import StoreBackend

/// The checks of an app's user id: refused ids, and risky ids.
enum AppUserID {
  /// Returns the customer with this id; white space around it does not count.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
  static func checked(_ text: String) throws(LedgerError) -> CustomerID {
    let trimmed = trimmed(text)
    let customer: CustomerID
    do throws(LedgerError) { customer = try CustomerID(trimmed) } catch {
      throw LedgerError(
        .invalidUserID, "This cannot be an app user id. \(error.message)",
        details: [.text("app_user_id", String(trimmed.prefix(100)))])
    }
    try UserID.check(customer)
    return customer
  }

  /// Returns a new anonymous id: `$RCAnonymousID:` and 32 lower-case hexadecimal digits.
  static func anonymous(_ randomness: () -> UInt64) -> CustomerID {
    let digits = HexForm.hex(randomness(), digits: 16) + HexForm.hex(randomness(), digits: 16)
    return CustomerID(unchecked: "$RCAnonymousID:" + digits)
  }

  /// Returns why the id is risky, or nil; without the id itself, which must not be logged.
  static func warning(about id: CustomerID) -> String? {
    if UserID.isAnonymous(id) { return nil }
    let bytes = id.text.utf8
    if let at = bytes.firstIndex(of: UInt8(ascii: "@")), bytes[at...].contains(UInt8(ascii: ".")) {
      return "The app user id looks like an e-mail address. With the address, others can request the customer's "
        + "purchases, and privacy laws apply to it. Use a random id."
    }
    if bytes.allSatisfy(ASCII.isDigit) || bytes.count < 8 {
      return "The app user id is easy to guess. A guessed id gives access to the customer's purchases. Use a long "
        + "random id that is not shown anywhere."
    }
    return nil
  }

  private static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
