internal import GemLedger

/// What can be an app user id, and which ones are asking for trouble.
enum AppUserID {
  static let anonymousPrefix = "$RCAnonymousID:"

  /// Ids that programs produce where they have none.
  private static let blocked: Set<ByteString> = Set(
    [
      "no_user", "null", "none", "nil", "(null)", "NaN", "unidentified", "undefined", "unknown", "anonymous", "guest",
      "-1", "0", "[]", "{}", "[object Object]",
    ].map(ByteString.init))

  /// The customer with this id; white space around it does not count.
  static func checked(_ text: String) throws(LedgerError) -> CustomerID {
    let trimmed = trimmed(text)
    guard !trimmed.isEmpty else { throw refused("It is empty", trimmed) }
    guard !blocked.contains(ByteString(trimmed)) else {
      throw refused("\"\(trimmed)\" is what a program writes where it has no id", trimmed)
    }
    guard !trimmed.utf8.contains(UInt8(ascii: "/")) else { throw refused("It holds a slash", trimmed) }
    do throws(LedgerError) { return try CustomerID(trimmed) } catch {
      throw refused(String(error.message.dropLast()), trimmed)
    }
  }

  /// A new anonymous id: `$RCAnonymousID:` and 32 lower-case hexadecimal digits.
  static func anonymous(_ randomness: () -> UInt64) -> CustomerID {
    let digits = HexForm.hex(randomness(), digits: 16) + HexForm.hex(randomness(), digits: 16)
    return CustomerID(unchecked: anonymousPrefix + digits)
  }

  static func isAnonymous(_ id: CustomerID) -> Bool {
    guard id.text.utf8.starts(with: anonymousPrefix.utf8) else { return false }
    let digits = id.text.utf8.dropFirst(anonymousPrefix.utf8.count)
    return digits.count == 32 && digits.allSatisfy { ASCII.isDigit($0) || (0x61...0x7A).contains($0) }
  }

  /// Why the id is a bad choice, where it is one.
  static func warning(about id: CustomerID) -> String? {
    if isAnonymous(id) { return nil }
    let bytes = id.text.utf8
    if let at = bytes.firstIndex(of: UInt8(ascii: "@")), bytes[at...].contains(UInt8(ascii: ".")) {
      return "The app user id looks like an e-mail address. Whoever knows the address can ask for what the customer "
        + "owns, and privacy laws apply to it; use a random id of your own."
    }
    if bytes.allSatisfy(ASCII.isDigit) || bytes.count < 8 {
      return "The app user id is easy to guess. Whoever guesses it can ask for what the customer owns; use a long "
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

  private static func refused(_ why: String, _ text: String) -> LedgerError {
    LedgerError(
      .invalidUserID, "This cannot be an app user id: \(why).",
      details: [.text("app_user_id", String(text.prefix(100)))])
  }
}
