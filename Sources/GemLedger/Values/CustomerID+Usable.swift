// Which ids a caller may give to a customer: the one rule for commands, imports and endpoints. Reads take every id, so
// that a ledger that has such a customer from before is still read, exported and copied.

extension CustomerID {
  /// The texts that programs make of a variable without a value, and the ids that apps send if nobody has signed in;
  /// without capitals.
  ///
  /// All users with such an id would share one balance.
  package static let unsetTexts: Set<String> = [
    "no_user", "null", "none", "nil", "(null)", "<null>", "<nil>", "nan", "unidentified", "undefined", "unknown",
    "anonymous", "guest", "-1", "0", "[]", "{}", "[object object]", "optional(nil)",
  ]

  private static let unsetByteCountMax = unsetTexts.reduce(0) { max($0, $1.utf8.count) }

  /// Whether the id is a text of a variable without a value, or blank.
  package var isUnset: Bool {
    // Every command asks: nearly all ids begin with another character, or are longer.
    guard let first = text.utf8.first else { return true }
    switch first {
    // White space begins with one of these; control characters are in no id.
    case 0x20, 0xC2, 0xE1, 0xE2, 0xE3: return text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    case UInt8(ascii: "("), UInt8(ascii: "-"), UInt8(ascii: "0"), UInt8(ascii: "<"), UInt8(ascii: "["),
      UInt8(ascii: "{"), UInt8(ascii: "A"), UInt8(ascii: "G"), UInt8(ascii: "N"), UInt8(ascii: "O"), UInt8(ascii: "U"),
      UInt8(ascii: "a"), UInt8(ascii: "g"), UInt8(ascii: "n"), UInt8(ascii: "o"), UInt8(ascii: "u"):
      return text.utf8.count <= Self.unsetByteCountMax && Self.unsetTexts.contains(text.lowercased())
    default: return false
    }
  }

  /// Whether a caller may not give the id to a customer.
  package var isUnusable: Bool { isReserved || isUnset }

  /// Makes sure that a caller may give the id to a customer.
  ///
  /// - Throws: `invalid_identifier` for an id of a kind that only the ledger itself makes; `invalid_user_id` for the
  ///   text of a variable without a value, such as `null`, and for a blank id.
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

  /// Makes sure that a client may sign in under the id: it is usable and has no slash, as RevenueCat's ids have none.
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
      "\"\(id.text.prefix(100))\" is not a valid customer id; use a private id that is hard to guess.",
      details: [.text("field", CustomerIDKind.word)])
  }
}

extension LedgerCommand.Body {
  /// What has to be checked of the named ids before the rule decides.
  enum IDCheck: Sendable {
    /// Nothing: the caller named ids of its own.
    case none
    /// The refusal: a caller may not give one of the ids to a customer.
    case unusable
    /// That the customer has anonymous ids only, at the commit.
    case anonymous
  }

  /// The refusal of a command in which a caller names a customer by an id that is not usable.
  var unusableIDRefusal: LedgerError {
    do throws(LedgerError) {
      for id in action.command.namedCustomers.ids(customer) { try id.checkUsable() }
      return .defect("A command names no unusable id")
    } catch {
      return error
    }
  }
}
