internal import GemLedger

/// A public key: its prefix names the app's store.
struct APIKey: Hashable, Sendable {
  private static let prefixes: [(prefix: String, store: Store)] = [
    ("appl_", .apple), ("mac_", .apple), ("goog_", .google), ("amzn_", .amazon), ("test_", .test),
  ]

  let text: String
  /// The store in the prefix; nil for old keys without a prefix.
  let store: Store?

  /// - Throws: `LedgerError` with `configuration` for a secret key, an empty key, and another kind of key.
  init(_ text: String) throws(LedgerError) {
    guard !text.hasPrefix("sk_") else {
      throw Self.refused(
        "This is a secret key: it can be read from the app's files, and used to spend from and grant to every customer "
          + "with it. Keep it on your server, and configure the app with the public key, which begins with appl_, "
          + "goog_, amzn_ or test_.")
    }
    guard !text.isEmpty else { throw Self.refused("The API key is empty.") }
    self.text = text
    store = Self.prefixes.first { text.hasPrefix($0.prefix) }?.store
  }

  /// - Throws: `LedgerError` with `configuration` if the key is for another store than the shop.
  func check(fits shop: Store) throws(LedgerError) {
    // A test key fits every shop that a test simulates.
    guard let store, store != .test, store != shop else { return }
    throw Self.refused("The API key is for the store \"\(store)\", but the app sells through \"\(shop)\".")
  }

  private static func refused(_ message: String) -> LedgerError { LedgerError(.configuration, message) }
}
