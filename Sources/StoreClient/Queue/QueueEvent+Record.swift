internal import GemLedger
internal import StoreBackend

// An event as a line of the event log: a JSON object with the event's kind in `what`.
extension QueueEvent {
  /// The record; nil for an event that is not stored.
  var record: String? {
    switch self {
    case .posting: nil
    case .identity(let identity): Self.record(identity)
    case .orderOpened(let order):
      Self.record("order_opened") {
        $0.text("buyer", order.buyer.text)
        $0.text("key", order.key.text)
        $0.text("claim", order.claim)
      }
    case .intended(let intent): Self.record(intent)
    case .intentEnded(let number): Self.record("intent_ended") { $0.integer("number", number) }
    case .queued(let receipt): Self.record("queued", receipt) { $0.receipt(receipt) }
    case .kept(let item): Self.record(item)
    case .failed(let key, let attempt, let next):
      Self.record("failed") {
        $0.key(key)
        $0.attempt(attempt)
        $0.integer("next", next.milliseconds)
      }
    case .credited(let key, let revision):
      Self.record("credited") {
        $0.key(key)
        if !revision.isEmpty { $0.text("revision", revision) }
      }
    case .finished(let key): Self.record("finished") { $0.key(key) }
    case .deadLettered(let key, let attempt, let revision):
      Self.record("dead_lettered") {
        $0.key(key)
        $0.attempt(attempt)
        if !revision.isEmpty { $0.text("revision", revision) }
      }
    case .requeued(let key, let at): Self.record("requeued", key, at)
    case .refundPosted(let key, let revision):
      Self.record("refund_posted") {
        $0.key(key)
        if !revision.isEmpty { $0.text("revision", revision) }
      }
    case .provisional(let key, let at): Self.record("provisional", key, at)
    case .spentProvisionally(let spend): Self.record(spend)
    case .provisionalSpendEnded(let customer, let key):
      Self.record("provisional_spend_ended") {
        $0.text("buyer", customer.text)
        $0.text("spend", key.text)
      }
    case .balances(let balances): Self.record(balances)
    case .shop(let products): Self.record("shop") { $0.value("products", .array(products.map(\.json))) }
    }
  }

  private static func record(
    _ what: StaticString, _ receipt: QueuedReceipt? = nil, _ body: (inout JSONWriter) -> Void
  ) -> String {
    // Written directly into bytes, with room for the receipt: this runs three times for every purchase.
    var writer = JSONWriter(capacity: 512 + (receipt?.receipt.text.utf8.count ?? 0))
    writer.beginObject()
    writer.name("what")
    writer.plain(what)
    body(&writer)
    writer.endObject()
    return writer.string
  }

  private static func record(_ what: StaticString, _ key: ReceiptKey, _ at: Timestamp) -> String {
    record(what) {
      $0.key(key)
      $0.integer("at", at.milliseconds)
    }
  }

  private static func record(_ identity: Identity) -> String {
    record("identity") {
      $0.text("customer", identity.customer.text)
      $0.bool("allows_sharing", identity.allowsSharing)
    }
  }

  private static func record(_ spend: ProvisionalSpend) -> String {
    record("provisional_spend") {
      $0.text("buyer", spend.customer.text)
      $0.text("spend", spend.key.text)
      $0.text("item", spend.item.text)
      $0.integer("quantity", spend.quantity)
      $0.value("grants", spend.price.map { Adjustment($0.currency, $0.amount) }.json)
      $0.integer("at", spend.spentAt.milliseconds)
      if let refusal = spend.refusal {
        $0.text("code", refusal.code.description)
        $0.text("message", refusal.message)
      }
    }
  }

  private static func record(_ intent: PurchaseIntent) -> String {
    record("intended") {
      $0.integer("number", intent.number)
      $0.text("buyer", intent.buyer.text)
      $0.text("token", intent.token.description)
      $0.text("product", intent.storeProductID)
      $0.integer("quantity", intent.quantity)
      $0.integer("at", intent.startedAt.milliseconds)
      $0.text("order", intent.order?.text)
      $0.text("key", intent.key?.text)
      if intent.isDeferred { $0.integer("deferred", 1) }
    }
  }

  private static func record(_ item: QueueItem) -> String {
    record("kept", item.receipt) {
      $0.receipt(item.receipt)
      $0.text("status", (item.status == .posting ? .waiting : item.status).rawValue)
      $0.integer("attempts", Int64(item.attemptCount))
      $0.integer("next", item.nextAttemptAt.milliseconds)
      $0.integer("first_posted_at", item.firstPostedAt?.milliseconds)
      $0.integer("provisional_since", item.provisionalSince?.milliseconds)
      if let failure = item.lastError { $0.failure(failure) }
    }
  }

  private static func record(_ balances: StoredBalances) -> String {
    let rows = balances.rows.map { row -> JSONValue in
      [
        "code": .string(row.code), "name": .string(row.name), "description": JSONValue(row.description),
        "balance": .integer(row.balance),
      ]
    }
    return record("balances") {
      $0.text("customer", balances.customer.text)
      $0.integer("at", balances.asOf.milliseconds)
      $0.value("rows", .array(rows))
    }
  }
}

extension JSONWriter {
  fileprivate mutating func key(_ key: ReceiptKey) {
    text("store", key.store.description)
    text("environment", key.environment.description)
    text("session", key.environment.session)
    text("id", key.id.text)
    text("renewal", key.renewal)
  }

  fileprivate mutating func receipt(_ receipt: QueuedReceipt) {
    key(receipt.key)
    text("buyer", receipt.buyer.text)
    text("bundle", receipt.bundleID)
    text("store_product", receipt.storeProductID)
    text("product", receipt.product?.text)
    integer("quantity", receipt.quantity)
    integer("price", receipt.price?.minorUnits)
    text("price_currency", receipt.price?.currency)
    text("source", receipt.source.rawValue)
    text("order", receipt.order?.text)
    if receipt.isAnnounced { bool("announced", true) }
    integer("signed_at", receipt.signedAt.milliseconds)
    integer("at", receipt.seenAt.milliseconds)
    if !receipt.revision.isEmpty { text("revision", receipt.revision) }
    if !receipt.grants.isEmpty { value("grants", receipt.grants.json) }
    text("receipt", receipt.receipt.text)
  }

  fileprivate mutating func failure(_ failure: ReceiptQueueItem.Failure) {
    text("code", failure.code.description)
    text("message", failure.message)
    text("request_id", failure.requestID)
  }

  fileprivate mutating func attempt(_ attempt: FailedAttempt) {
    failure(attempt.failure)
    integer("attempts", Int64(attempt.count))
    integer("first_posted_at", attempt.firstPostedAt.milliseconds)
  }
}

extension KnownProduct {
  fileprivate var json: JSONValue {
    [
      "code": .string(code.text), "store_id": .string(storeID), "type": .string(type.description),
      "grants": grants.json,
    ]
  }
}

extension [Adjustment] {
  fileprivate var json: JSONValue {
    .object(JSONObject(map { ($0.currency.description, JSONValue.integer($0.amount)) }))
  }
}
