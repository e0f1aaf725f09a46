#if Server
import GemLedger
import StoreBackend

/// An account at Google Play, shared by its devices.
final class PlayAccount {
  struct Purchase {
    let token: String
    var isAcknowledged = false
    var isConsumed = false
  }

  private var known: [Purchase] = []
  private let world: ConformanceWorld

  init(_ world: ConformanceWorld) { self.world = world }

  /// All purchases, with what the server has consumed through Google's API.
  var purchases: [Purchase] {
    for index in known.indices where !known[index].isConsumed && world.isConsumedByServer(known[index].token) {
      (known[index].isConsumed, known[index].isAcknowledged) = (true, true)
    }
    return known
  }

  /// Pays for 300 gems; nil while such a purchase is owned, which Play refuses to sell again.
  func pay(_ buyer: String) throws -> Purchase? {
    guard !purchases.contains(where: { !$0.isConsumed }) else { return nil }
    let token = world.newTransactionID()
    try world.setPlayPurchase(token, buyer: buyer)
    let purchase = Purchase(token: token)
    known.append(purchase)
    world.paid(token)
    return purchase
  }

  func consume(_ token: String) throws {
    guard let index = purchases.firstIndex(where: { $0.token == token && !$0.isConsumed }) else { return }
    (known[index].isConsumed, known[index].isAcknowledged) = (true, true)
    try world.finished(token, "consumed")
  }

  func acknowledge(_ token: String) throws {
    guard let index = purchases.firstIndex(where: { $0.token == token && !$0.isAcknowledged }) else { return }
    known[index].isAcknowledged = true
    try world.finished(token, "acknowledged")
  }
}

/// RevenueCat's SDK for Android at Google Play, by the rules that its sources state; Flutter, React Native and Kotlin
/// Multiplatform wrap it.
final class AndroidDevice: SDKDevice {
  let platform = "android"
  private let world: ConformanceWorld
  private let account: PlayAccount
  private var user: String
  private var remembered: Set<String> = []

  init(_ world: ConformanceWorld, _ account: PlayAccount) {
    (self.world, self.account) = (world, account)
    user = world.newAnonymousID()
  }

  var unfinished: [String] { account.purchases.filter { !$0.isConsumed }.map { "purchase \($0.token)" } }

  func reinstall() {
    remembered = []
    user = world.newAnonymousID()
  }

  // MARK: Calls

  private func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> SDKReply {
    let headers = [
      (name: "X-Platform", value: "android"), (name: "X-Client-Bundle-ID", value: "com.example.gems"),
      (name: "X-Platform-Flavor", value: "flutter"), (name: "X-Nonce", value: "bm9uY2Vub25jZQ=="),
      (name: "X-RevenueCat-ETag", value: ""),
    ]
    return try await world.send(SDKCall(method: method, path: path, body: body, headers: headers), store: .google)
  }

  private var escapedUser: String { user.replacing("$", with: "%24").replacing(":", with: "%3A") }

  func launch() async throws { try await foreground() }

  func foreground() async throws {
    let reply = try await send("GET", "/v1/subscribers/\(escapedUser)")
    if let body = reply.success, body != .null, !SDKCustomerInfo.isReadOnAndroid(body) {
      world.fail("the customer info cannot be read")
    }
    _ = try await send("GET", "/v1/product_entitlement_mapping")
    _ = try await send("POST", "/v1/config/app", ["fetch_context": "app_open", "app_user_id": .string(user)])
    for purchase in account.purchases where !purchase.isConsumed && !remembered.contains(purchase.token) {
      try await post(purchase.token, source: "unsynced_active_purchases")
    }
    _ = try await send(
      "POST", "/v1/subscribers/\(escapedUser)/attributes",
      ["attributes": ["$email": ["value": "a@example.com", "updated_at_ms": 1]]])
  }

  func logIn(_ id: String) async throws {
    guard id != user else { return }
    let reply = try await send(
      "POST", "/v1/subscribers/identify", ["app_user_id": .string(user), "new_app_user_id": .string(id)])
    if let body = reply.success, SDKCustomerInfo.isReadOnAndroid(body) { user = id }
  }

  func logOut() async throws { user = world.newAnonymousID() }

  func offerings() async throws {
    let reply = try await send("GET", "/v1/subscribers/\(escapedUser)/offerings")
    guard let body = reply.success, body != .null else { return }
    if body["current_offering_id"]?.text == nil || body["offerings"]?.array == nil {
      world.fail("the offerings cannot be read")
    }
  }

  func balance() async throws -> Int64? {
    let reply = try await send("GET", "/v1/subscribers/\(escapedUser)/virtual_currencies")
    return reply.success.flatMap(SDKCustomerInfo.gems).flatMap { Int32(exactly: $0) }.map(Int64.init)
  }

  func buy() async throws {
    guard let purchase = try account.pay(user) else { return }
    try await post(purchase.token, source: "purchase")
  }

  func buyOutside() throws { _ = try account.pay(user) }

  /// Posts everything that is owned, and consumes it.
  func restore() async throws {
    for purchase in account.purchases where !purchase.isConsumed { try await post(purchase.token, source: "restore") }
  }

  /// Posts everything that is owned, and neither consumes nor acknowledges it.
  func sync() async throws {
    for purchase in account.purchases where !purchase.isConsumed {
      let reply = try await send("POST", "/v1/receipts", .object(body(purchase.token, source: "restore")))
      if case .answer(let status, let answer) = reply, status < 500 {
        if status >= 400 || answer.map(SDKCustomerInfo.isReadOnAndroid) == true { remembered.insert(purchase.token) }
      }
    }
  }

  // MARK: Posts

  private func body(_ token: String, source: String) -> JSONObject {
    [
      "payload_version": 1, "fetch_token": .string(token), "product_ids": ["gems_300"],
      "platform_product_ids": [["product_id": "gems_300"]], "app_user_id": .string(user),
      "is_restore": .bool(user.hasPrefix("$RCAnonymousID:")), "observer_mode": false,
      "purchase_completed_by": "revenuecat", "sdk_originated": true, "initiation_source": .string(source),
      "currency": "USD", "presented_offering_identifier": "gems", "paywall": nil, "attributes": [:],
      "proration_mode": nil, "store_user_id": nil,
    ]
  }

  private func post(_ token: String, source: String) async throws {
    let reply = try await send("POST", "/v1/receipts", .object(body(token, source: source)))
    guard case .answer(let status, let answer) = reply, status < 500 else { return }
    guard status < 400 else {
      // "Product ids malformed" is the one refusal that leaves the purchase alone.
      if answer?["code"]?.integer == 7662 { return }
      remembered.insert(token)
      return try account.acknowledge(token)
    }
    guard let answer, SDKCustomerInfo.isReadOnAndroid(answer) else { return }
    remembered.insert(token)
    if answer["purchased_products"]?["gems_300"]?["should_consume"]?.bool == true {
      try account.consume(token)
    } else {
      try account.acknowledge(token)
    }
  }
}
#endif
