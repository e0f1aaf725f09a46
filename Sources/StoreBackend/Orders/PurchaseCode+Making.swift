internal import GemLedger

extension PurchaseCode {
  // Crockford's alphabet: no letter that resembles a digit, since people read the code aloud.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Returns a new code such as `GG2611217M2Q…`: two letters for the store, the day, and eighty random bits.
  static func make(store: Store, at now: Timestamp, randomness: () -> UInt64) -> Self {
    var text = Array((prefixes[store] ?? "XX").utf8)
    // 2026-11-21 without its century and hyphens.
    text += now.description.utf8.dropFirst(2).prefix(8).filter { $0 != 0x2D }
    for word in [randomness(), randomness()] {
      for position in 0..<8 { text.append(digits[Int(word >> UInt64(5 * position) & 31)]) }
    }
    return Self(unchecked: String(decoding: text, as: UTF8.self))
  }

  private static let prefixes: [Store: String] = [.apple: "AP", .google: "GG", .amazon: "AM", .test: "TS"]
}
