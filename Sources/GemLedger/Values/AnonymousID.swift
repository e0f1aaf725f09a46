extension Identifier where Kind == CustomerIDKind {
  /// The prefix of an id that an app makes for a customer before any sign-in.
  package static var anonymousPrefix: String { "$RCAnonymousID:" }

  /// Whether the id was made for a customer before any sign-in: `$RCAnonymousID:` and 32 lower-case hex digits.
  package var isAnonymous: Bool {
    let prefix = Self.anonymousPrefix.utf8
    let bytes = text.utf8
    guard bytes.starts(with: prefix), bytes.count == prefix.count + 32 else { return false }
    return bytes.dropFirst(prefix.count).allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}
