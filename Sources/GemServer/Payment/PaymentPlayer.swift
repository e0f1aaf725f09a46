#if Server
internal import GemLedger
internal import StoreBackend

/// Says who buys, and at which store.
///
/// The requests that two-step SDKs send name no player: their backend knows the player by the login. So the proven way
/// is a session token as the bearer, with which the bodies stay as those SDKs have them. With a key, which everybody
/// who has the app has too, a request names the player as `sdkUserId`, just as RevenueCat's SDKs send an app user id:
/// such a request can announce a purchase and complete it with a receipt. It moves no currency: a product that costs
/// virtual currency too, which the announcement holds, takes a token or a secret key, and so does the list of orders.
enum PaymentPlayer {
  static let field = Schema.Field(
    "sdkUserId", .text(1...1500), "The player, with a key; a session token says it already.")
  static let parameter = Parameter(
    "sdkUserId", .text(1...1500), "The player, with a key; a session token says it already.")

  /// The player of a request; nil where neither a token nor the request names one.
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

  /// The player of a request that must have one.
  ///
  /// - Throws: `invalid_request` where nothing names one, then as ``named(_:for:in:)``.
  static func required(
    _ id: JSONValue?, for operation: WalletRights.Operation, in call: Call
  ) throws(LedgerError) -> CustomerID {
    guard let player = try named(id, for: operation, in: call) else { throw .parameter("sdkUserId", "is missing") }
    return player
  }
}

/// The stores by the names that two-step SDKs have for them.
enum PaymentMethod {
  private static let stores: [(word: String, store: Store)] = [
    ("APPLE", .apple), ("GOOGLE", .google), ("AMAZON", .amazon), ("TEST", .test),
  ]
  static let schema = Schema.word(stores.map(\.word))

  static func word(for store: Store) -> String {
    stores.first { $0.store == store }?.word ?? store.description.uppercased()
  }

  /// The store that a request is about: the one it names, or that of the key.
  ///
  /// - Throws: `invalid_request` where neither names one, or the key is of an app at another store.
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
