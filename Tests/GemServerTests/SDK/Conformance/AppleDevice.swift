#if Server
import GemLedger
import StoreBackend

/// An account at the App Store, shared by its devices.
final class AppleAccount {
  struct Transaction {
    let id: String
    let evidence: String
    var isFinished = false
  }

  private(set) var transactions: [Transaction] = []
  private let world: ConformanceWorld

  init(_ world: ConformanceWorld) { self.world = world }

  /// Pays for 300 gems; while such a transaction is not finished, StoreKit gives that one again.
  func pay(_ buyer: String) throws -> Transaction {
    if let open = transactions.first(where: { !$0.isFinished }) { return open }
    let id = world.newTransactionID()
    let transaction = Transaction(id: id, evidence: try world.appleEvidence(id, buyer: buyer))
    transactions.append(transaction)
    world.paid(id)
    return transaction
  }

  /// Ends a transaction: the store never gives it again by itself.
  func finish(_ id: String) throws {
    guard let index = transactions.firstIndex(where: { $0.id == id && !$0.isFinished }) else { return }
    transactions[index].isFinished = true
    try world.finished(id, "finished")
  }
}

/// RevenueCat's SDK for iOS with StoreKit 2, by the rules that its sources state.
///
/// They say what it sends, what it reads, and what each answer makes it do with a purchase.
final class AppleDevice: SDKDevice {
  let platform = "iOS"
  private let world: ConformanceWorld
  private let account: AppleAccount
  private var user: String
  /// Posts that have not ended: by transaction.
  private var outbox: [String: JSONObject] = [:]

  init(_ world: ConformanceWorld, _ account: AppleAccount) {
    (self.world, self.account) = (world, account)
    user = world.newAnonymousID()
  }

  var unfinished: [String] {
    account.transactions.filter { !$0.isFinished }.map { "transaction \($0.id)" } + outbox.keys.map { "post \($0)" }
  }

  func reinstall() {
    outbox = [:]
    user = world.newAnonymousID()
  }

  // MARK: Calls

  private func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> SDKReply {
    let headers = [
      (name: "X-Platform", value: "iOS"), (name: "X-Client-Bundle-ID", value: "com.example.gems"),
      (name: "X-StoreKit-Version", value: "2"), (name: "X-Nonce", value: "bm9uY2Vub25jZQ=="),
      (name: "X-RevenueCat-ETag", value: ""), (name: "X-Is-Sandbox", value: "true"),
    ]
    return try await world.send(SDKCall(method: method, path: path, body: body, headers: headers), store: .apple)
  }

  private var escapedUser: String { user.replacing(":", with: "%3A") }

  func launch() async throws {
    try await foreground()
    // StoreKit's updates bring what is not finished.
    for transaction in account.transactions where !transaction.isFinished {
      try await post(transaction, source: "queue")
    }
  }

  func foreground() async throws {
    _ = try await send("GET", "/v1/subscribers/\(escapedUser)")
    _ = try await send("GET", "/v1/product_entitlement_mapping")
    _ = try await send("POST", "/v1/config/app", ["fetch_context": "app_open", "app_user_id": .string(user)])
    for (id, body) in outbox {
      var body = body
      // A replay has the user of the moment, and finishes nothing.
      body["app_user_id"] = .string(user)
      let reply = try await send("POST", "/v1/receipts", .object(body))
      if case .answer(let status, let answer) = reply {
        let isRead = answer.map(SDKCustomerInfo.isReadOnIOS) ?? false
        if (200..<400).contains(status) ? isRead : status < 500 { outbox[id] = nil }
      }
    }
    _ = try await send(
      "POST", "/v1/subscribers/\(escapedUser)/attributes",
      ["attributes": ["$email": ["value": "a@example.com", "updated_at_ms": 1]]])
    _ = try await send("POST", "/v1/events", ["events": []])
  }

  func logIn(_ id: String) async throws {
    guard id != user else { return }
    let reply = try await send(
      "POST", "/v1/subscribers/identify", ["app_user_id": .string(user), "new_app_user_id": .string(id)])
    if let body = reply.success, SDKCustomerInfo.isReadOnIOS(body) { user = id }
  }

  func logOut() async throws { user = world.newAnonymousID() }

  func offerings() async throws {
    let reply = try await send("GET", "/v1/subscribers/\(escapedUser)/offerings")
    guard let body = reply.success else { return }
    let isRead =
      body["offerings"]?.array?.allSatisfy { offering in
        offering["identifier"]?.text != nil && offering["description"]?.text != nil
          && offering["packages"]?.array?.allSatisfy { $0["platform_product_identifier"]?.text != nil } == true
      } ?? false
    if !isRead, body != .null { world.fail("the offerings cannot be read") }
  }

  func balance() async throws -> Int64? {
    try await send("GET", "/v1/subscribers/\(escapedUser)/virtual_currencies").success.flatMap(SDKCustomerInfo.gems)
  }

  func buy() async throws { try await post(try account.pay(user), source: "purchase") }

  func buyOutside() throws { _ = try account.pay(user) }

  func sync() async throws { try await restore() }

  /// Sends one transaction only, and finishes nothing.
  func restore() async throws {
    guard let first = account.transactions.first else {
      _ = try await send("POST", "/v1/receipts", ["app_user_id": .string(user), "app_transaction": "eyJ.x.y"])
      return
    }
    _ = try await send("POST", "/v1/receipts", .object(body(first, source: "restore")))
  }

  // MARK: Posts

  private func body(_ transaction: AppleAccount.Transaction, source: String) -> JSONObject {
    [
      "payload_version": 1, "app_user_id": .string(user), "is_restore": .bool(user.hasPrefix("$RCAnonymousID:")),
      "observer_mode": false, "initiation_source": .string(source), "sdk_originated": true,
      "fetch_token": .string(transaction.evidence), "app_transaction": "eyJ.x.y",
      "transaction_id": .string(transaction.id), "product_id": "gems_300", "price": "2.99", "currency": "USD",
      "store_country": nil, "payment_mode": nil, "offers": [], "presented_offering_identifier": "gems",
      "applied_targeting_rule": ["revision": 1, "rule_id": "r"], "purchase_completed_by": "revenuecat",
      "metadata": ["k": "v"], "attributes": [:], "presented_workflow_id": "w",
    ]
  }

  private func post(_ transaction: AppleAccount.Transaction, source: String) async throws {
    let body = body(transaction, source: source)
    outbox[transaction.id] = body
    var reply = try await send("POST", "/v1/receipts", .object(body))
    for _ in 0..<3 {
      guard case .answer(429, _) = reply else { break }
      reply = try await send("POST", "/v1/receipts", .object(body))
    }
    guard case .answer(let status, let answer) = reply, status < 500 else { return }
    if status >= 400 {
      outbox[transaction.id] = nil
      return try account.finish(transaction.id)
    }
    guard let answer, SDKCustomerInfo.isReadOnIOS(answer) else { return }
    outbox[transaction.id] = nil
    // A consumable is finished only if the answer lists it.
    if SDKCustomerInfo.listed(answer).contains(transaction.id) { try account.finish(transaction.id) }
  }
}
#endif
