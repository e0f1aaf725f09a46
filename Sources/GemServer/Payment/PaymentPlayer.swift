#if Server
internal import GemLedger
internal import StoreBackend

/// The player and the store of a request.
///
/// The requests of two-step SDKs name no player: their backend identifies the player by the login. The proven way is
/// therefore a session token as the bearer, which leaves the bodies unchanged. With a key, a request names the player
/// as `sdkUserId`, just as RevenueCat's SDKs send an app user id. Everyone with the app has its key, so such a request
/// can only announce a purchase and complete it with a receipt. It moves no currency: a product with a price in
/// virtual currency needs a token or a secret key, and so does the list of orders.
enum PaymentPlayer {
  static let field = Schema.Field(
    "sdkUserId", .text(1...1500), "The player, if the request has a key and no session token.")
  static let parameter = Parameter(
    "sdkUserId", .text(1...1500), "The player, if the request has a key and no session token.")

  /// Returns the player of a request; nil if neither a token nor the request names one.
  ///
  /// - Throws: `invalid_identifier`, `invalid_user_id`; `forbidden` if the caller may not do this for the player.
  static func named(
    _ id: JSONValue?, for operation: WalletRights.Operation, in call: Call
  ) throws(LedgerError) -> CustomerID? {
    let named = try id?.text.map { (text) throws(LedgerError) in try CustomerID(text) }
    if let named { _ = try call.permitted(named, for: operation) }
    guard case .session(let customer) = call.caller.kind else { return named }
    return try call.permitted(customer, for: operation)
  }

  /// Returns the player of a request that must have one.
  ///
  /// - Throws: `invalid_request` if nothing names a player; then as ``named(_:for:in:)``.
  static func required(
    _ id: JSONValue?, for operation: WalletRights.Operation, in call: Call
  ) throws(LedgerError) -> CustomerID {
    guard let player = try named(id, for: operation, in: call) else { throw .parameter("sdkUserId", "is missing") }
    return player
  }
}

/// The stores by their names in two-step SDKs.
enum PaymentMethod {
  private static let stores: [(word: String, store: Store)] = [
    ("APPLE", .apple), ("GOOGLE", .google), ("AMAZON", .amazon), ("TEST", .test),
  ]
  static let schema = Schema.word(stores.map(\.word))

  static func word(for store: Store) -> String {
    stores.first { $0.store == store }?.word ?? store.description.uppercased()
  }

  /// Returns the store of a request: the store that it names, or the store of the key.
  ///
  /// - Throws: `invalid_request` if there is no store, or if the key belongs to an app at another store.
  static func store(_ value: JSONValue?, _ name: String, in call: Call) throws(LedgerError) -> Store {
    let own: Store? = if case .app(let kind) = call.caller.kind { Store(name: kind.rawValue) } else { nil }
    let named = stores.first { $0.word == value?.text }?.store
    if let named, let own, named != own {
      throw .parameter(name, "is not \(word(for: own)), the store of the key's app")
    }
    guard let store = named ?? own else { throw .parameter(name, "is missing") }
    return store
  }
}
#endif
