internal import GemLedger

/// A public key: its prefix says which store the app is sold through.
struct APIKey: Hashable, Sendable {
  private static let prefixes: [(prefix: String, store: Store)] = [
    ("appl_", .apple), ("mac_", .apple), ("goog_", .google), ("amzn_", .amazon), ("test_", .test),
  ]

  let text: String
  /// The store that the prefix names; nil for keys of before there were prefixes.
  let store: Store?

  /// - Throws: `LedgerError` with `configuration` for a secret key, an empty one, and one of another kind of key.
  init(_ text: String) throws(LedgerError) {
    guard !text.hasPrefix("sk_") else {
      throw Self.refused(
        "This is a secret key: whoever takes the app apart can read it, and spend from and grant to every customer "
          + "with it. Keep it on your server, and configure the app with the public key, which begins with appl_, "
          + "goog_, amzn_ or test_.")
    }
    guard !text.isEmpty else { throw Self.refused("The API key is empty.") }
    self.text = text
    store = Self.prefixes.first { text.hasPrefix($0.prefix) }?.store
  }

  /// - Throws: `LedgerError` with `configuration` where the key is for another store than the shop.
  func check(fits shop: Store) throws(LedgerError) {
    // A test key fits every shop that a test simulates.
    guard let store, store != .test, store != shop else { return }
    throw Self.refused("The API key is for the store \"\(store)\", and the app sells through \"\(shop)\".")
  }

  private static func refused(_ message: String) -> LedgerError { LedgerError(.configuration, message) }
}
