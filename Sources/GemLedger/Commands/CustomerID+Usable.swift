// The ids that a caller may give to a customer: one rule for commands, imports and endpoints. Reads accept every id,
// so that a ledger with such an older customer can still be read, exported and copied.

extension CustomerID {
  /// Texts that programs produce for unset variables, and ids that apps send without a signed-in user, in lower case.
  ///
  /// All users with such an id would share one balance.
  package static let unsetTexts: Set<String> = [
    "no_user", "null", "none", "nil", "(null)", "<null>", "<nil>", "nan", "unidentified", "undefined", "unknown",
    "anonymous", "guest", "-1", "0", "[]", "{}", "[object object]", "optional(nil)",
  ]

  private static let unsetByteCountMax = unsetTexts.reduce(0) { max($0, $1.utf8.count) }

  /// Whether the id is the text of an unset variable, or blank.
  package var isUnset: Bool {
    // Every command runs this check: nearly all ids begin with another character, or are longer.
    guard let first = text.utf8.first else { return true }
    switch first {
    // The first bytes of white space; control characters are in no id.
    case 0x20, 0xC2, 0xE1, 0xE2, 0xE3: return text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    case UInt8(ascii: "-"), UInt8(ascii: "0"): return Self.unsetTexts.contains(text)
    case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["),
      UInt8(ascii: "{"), UInt8(ascii: "A"), UInt8(ascii: "G"), UInt8(ascii: "N"), UInt8(ascii: "O"), UInt8(ascii: "U"),
      UInt8(ascii: "a"), UInt8(ascii: "g"), UInt8(ascii: "n"), UInt8(ascii: "o"), UInt8(ascii: "u"):
      // No text that begins so has a digit, unlike nearly all ids.
      return text.utf8.count <= Self.unsetByteCountMax && !text.utf8.contains(where: ASCII.isDigit)
        && Self.unsetTexts.contains(text.lowercased())
    default: return false
    }
  }

  /// Whether a caller may not give the id to a customer.
  package var isUnusable: Bool { isReserved || isUnset }

  /// Checks that a caller may give the id to a customer.
  ///
  /// - Throws: `invalid_identifier` for an id of a kind that only the ledger makes; `invalid_user_id` for the text of
  ///   an unset variable, such as `null`, and for a blank id.
  package func checkUsable() throws(LedgerError) {
    if isReserved {
      throw LedgerError(
        .invalidIdentifier,
        "The customer id \"\(text.prefix(100))\" begins with \"\(isOfErased ? Self.erasedPrefix : Self.stockPrefix)\", "
          + "which only the ledger itself gives. Choose another id.",
        details: [.text("field", CustomerIDKind.word)])
    }
    guard !isUnset else { throw .unusableID(self) }
  }

  /// Checks that a client may sign in under the id: it is usable and has no slash, like RevenueCat's ids.
  ///
  /// - Throws: As ``checkUsable()``; `invalid_user_id` for an id with a slash.
  package func checkClientUsable() throws(LedgerError) {
    try checkUsable()
    guard !text.utf8.contains(UInt8(ascii: "/")) else { throw .unusableID(self) }
  }
}

extension LedgerError {
  /// The refusal of an id that cannot name one customer.
  package static func unusableID(_ id: CustomerID) -> LedgerError {
    LedgerError(
      .invalidUserID,
      "\"\(id.text.prefix(100))\" cannot name a customer; use an id that is hard to guess.",
      details: [.text("field", CustomerIDKind.word)])
  }
}

extension LedgerCommand.Body {
  /// The check of the named ids before the rule decides.
  enum IDCheck: Sendable {
    /// No check: the ids are usable.
    case none
    /// Refuse the command: a caller may not give one of the ids to a customer.
    case unusable
    /// Check at the commit that the customer has no other ids than anonymous ids.
    case anonymous
  }

  /// The refusal of a command that names a customer by an unusable id.
  var unusableIDRefusal: LedgerError {
    do throws(LedgerError) {
      for id in action.command.namedCustomers.ids(customer) { try id.checkUsable() }
      return .defect("A command names no unusable id")
    } catch {
      return error
    }
  }
}
