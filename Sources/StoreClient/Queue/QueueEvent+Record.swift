internal import GemLedger
internal import StoreBackend

// An event as a line of the journal: a JSON object whose `what` says which event it is.
extension QueueEvent {
  /// The record; nil for what is kept nowhere.
  var record: String? {
    switch self {
    case .posting: nil
    case .identity(let identity): Self.record(identity)
    case .intended(let intent): Self.record(intent)
    case .intentEnded(let number): Self.record("intent_ended") { $0.integer("number", number) }
    case .queued(let receipt): Self.record(receipt)
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
    case .provisional(let key, let at): Self.record("provisional", key, at)
    case .balances(let balances): Self.record(balances)
    case .shop(let products): Self.record("shop") { $0.value("products", .array(products.map(\.json))) }
    }
  }

  private static func record(_ what: StaticString, _ body: (inout RecordWriter) -> Void) -> String {
    var writer = RecordWriter(what)
    body(&writer)
    return writer.finish()
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

  private static func record(_ intent: PurchaseIntent) -> String {
    record("intended") {
      $0.integer("number", intent.number)
      $0.text("buyer", intent.buyer.text)
      $0.text("token", intent.token.description)
      $0.text("product", intent.storeProductID)
      $0.integer("quantity", intent.quantity)
      $0.integer("at", intent.startedAt.milliseconds)
      $0.text("order", intent.order?.text)
    }
  }

  private static func record(_ receipt: QueuedReceipt) -> String {
    record("queued") {
      $0.key(receipt.key)
      $0.text("buyer", receipt.buyer.text)
      $0.text("bundle", receipt.bundleID)
      $0.text("store_product", receipt.storeProductID)
      $0.text("product", receipt.product?.text)
      $0.integer("quantity", receipt.quantity)
      $0.integer("price", receipt.price?.minorUnits)
      $0.text("price_currency", receipt.price?.currency)
      $0.text("source", receipt.source.rawValue)
      $0.text("order", receipt.order?.text)
      $0.integer("signed_at", receipt.signedAt.milliseconds)
      $0.integer("at", receipt.seenAt.milliseconds)
      if !receipt.revision.isEmpty { $0.text("revision", receipt.revision) }
      if !receipt.grants.isEmpty { $0.value("grants", receipt.grants.json) }
      $0.text("receipt", receipt.receipt.text)
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

extension RecordWriter {
  fileprivate mutating func key(_ key: ReceiptKey) {
    text("store", key.store.description)
    text("environment", key.environment.description)
    text("session", key.environment.session)
    text("id", key.id.text)
  }

  fileprivate mutating func attempt(_ attempt: FailedAttempt) {
    text("code", attempt.failure.code.description)
    text("message", attempt.failure.message)
    text("request_id", attempt.failure.requestID)
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
