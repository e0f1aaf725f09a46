internal import GemLedger
internal import StoreBackend

extension QueueEvent {
  /// Reads a record; nil for an unknown kind or shape.
  init?(record text: String) {
    guard let record = Self.parse(text), let what = record["what"]?.text, let event = Self.event(what, record) else {
      return nil
    }
    self = event
  }

  private static func parse(_ text: String) -> JSONValue? {
    do { return try JSONValue.parse(text) } catch { return nil }
  }

  private static func event(_ what: String, _ record: JSONValue) -> QueueEvent? {
    switch what {
    case "identity": return record.identity.map(QueueEvent.identity)
    case "order_opened": return record.openedOrder.map(QueueEvent.orderOpened)
    case "intended": return record.intent.map(QueueEvent.intended)
    case "intent_ended": return record["number"]?.integer.map(QueueEvent.intentEnded)
    case "queued": return record.queuedReceipt.map(QueueEvent.queued)
    case "kept": return record.item.map(QueueEvent.kept)
    case "provisional_spend": return record.provisionalSpend.map(QueueEvent.spentProvisionally)
    case "provisional_spend_ended":
      guard let customer: CustomerID = record.identifier("buyer"), let key: IdempotencyKey = record.identifier("spend")
      else { return nil }
      return .provisionalSpendEnded(customer, key)
    case "balances": return record.balances.map(QueueEvent.balances)
    case "shop": return record.products.map(QueueEvent.shop)
    default: break
    }
    guard let key = record.key else { return nil }
    let revision = record["revision"]?.text ?? ""
    switch what {
    case "failed":
      guard let attempt = record.attempt, let next = record.time("next") else { return nil }
      return .failed(key, attempt, next: next)
    case "credited": return .credited(key, revision: revision)
    case "finished": return .finished(key)
    case "dead_lettered": return record.attempt.map { .deadLettered(key, $0, revision: revision) }
    case "refund_posted": return .refundPosted(key, revision: revision)
    case "requeued": return record.time("at").map { .requeued(key, $0) }
    case "provisional": return record.time("at").map { .provisional(key, $0) }
    default: return nil
    }
  }
}

extension JSONValue {
  fileprivate func time(_ name: String) -> Timestamp? { self[name]?.integer.map(Timestamp.init(milliseconds:)) }

  fileprivate func identifier<Kind: IdentifierKind>(_ name: String) -> Identifier<Kind>? {
    guard let text = self[name]?.text else { return nil }
    do { return try Identifier(text) } catch { return nil }
  }

  fileprivate var key: ReceiptKey? {
    guard let store = self["store"]?.text.flatMap(Store.init(name:)), let environment,
      let id: StoreTransactionID = identifier("id")
    else { return nil }
    return ReceiptKey(store: store, environment: environment, id: id, renewal: self["renewal"]?.text)
  }

  private var environment: StoreEnvironment? {
    let name = self["environment"]?.text ?? ""
    let kinds = StoreEnvironment.Kind.allCases
    guard let kind = kinds.first(where: { StoreEnvironment(kind: $0, session: nil).description == name }) else {
      return nil
    }
    return StoreEnvironment(kind: kind, session: self["session"]?.text)
  }

  fileprivate var identity: Identity? {
    guard let customer: CustomerID = identifier("customer"), let allowsSharing = self["allows_sharing"]?.bool else {
      return nil
    }
    return Identity(customer: customer, allowsSharing: allowsSharing)
  }

  fileprivate var intent: PurchaseIntent? {
    guard let number = self["number"]?.integer, let buyer: CustomerID = identifier("buyer"),
      let product = self["product"]?.text, let quantity = self["quantity"]?.integer, let at = time("at")
    else { return nil }
    return PurchaseIntent(
      number: number, buyer: buyer, storeProductID: product, quantity: quantity, startedAt: at,
      order: identifier("order"), key: identifier("key"), isDeferred: self["deferred"]?.integer == 1)
  }

  fileprivate var openedOrder: OpenedOrder? {
    guard let buyer: CustomerID = identifier("buyer"), let key: IdempotencyKey = identifier("key"),
      let claim = self["claim"]?.text
    else { return nil }
    return OpenedOrder(buyer: buyer, key: key, claim: claim)
  }

  fileprivate var queuedReceipt: QueuedReceipt? {
    guard let key, let buyer: CustomerID = identifier("buyer"), let receipt = self["receipt"]?.text,
      let signedAt = time("signed_at"), let bundle = self["bundle"]?.text,
      let storeProduct = self["store_product"]?.text,
      let quantity = self["quantity"]?.integer, let at = time("at"),
      let source = self["source"]?.text.flatMap(ReceiptPost.Source.init(rawValue:))
    else { return nil }
    return QueuedReceipt(
      key: key, buyer: buyer, receipt: StoreReceipt(receipt), signedAt: signedAt,
      revision: self["revision"]?.text ?? "", bundleID: bundle, storeProductID: storeProduct,
      product: identifier("product"), quantity: quantity, price: price, source: source, order: identifier("order"),
      seenAt: at, grants: grants, isAnnounced: self["announced"]?.bool ?? false)
  }

  private var price: Money? {
    guard let minorUnits = self["price"]?.integer, let currency = self["price_currency"]?.text else { return nil }
    return Money(minorUnits: minorUnits, currency: currency)
  }

  private var grants: [Adjustment] {
    (self["grants"]?.object?.members ?? []).compactMap { name, value in
      guard let code = CurrencyCode(exactly: name), let amount = value.integer else { return nil }
      return Adjustment(code, amount)
    }
  }

  fileprivate var item: QueueItem? {
    guard let receipt = queuedReceipt, let next = time("next"),
      let status = self["status"]?.text.flatMap(ReceiptQueueItem.Status.init(rawValue:)),
      let count = self["attempts"]?.integer.flatMap(Int.init(exactly:))
    else { return nil }
    var item = QueueItem(receipt, number: 0)
    item.status = status
    item.attemptCount = count
    item.nextAttemptAt = next
    item.firstPostedAt = time("first_posted_at")
    item.provisionalSince = time("provisional_since")
    item.lastError = failure
    return item
  }

  private var failure: ReceiptQueueItem.Failure? {
    guard let code = self["code"]?.text.flatMap(LedgerError.Code.init(_:)), let message = self["message"]?.text else {
      return nil
    }
    return ReceiptQueueItem.Failure(code: code, message: message, requestID: self["request_id"]?.text)
  }

  fileprivate var attempt: FailedAttempt? {
    guard let failure, let count = self["attempts"]?.integer.flatMap(Int.init(exactly:)),
      let first = time("first_posted_at")
    else { return nil }
    return FailedAttempt(failure: failure, count: count, firstPostedAt: first)
  }

  fileprivate var provisionalSpend: ProvisionalSpend? {
    guard let customer: CustomerID = identifier("buyer"), let key: IdempotencyKey = identifier("spend"),
      let item: ItemID = identifier("item"), let quantity = self["quantity"]?.integer, let at = time("at")
    else { return nil }
    let price = grants.map { CurrencyAmount(currency: $0.currency, amount: $0.amount) }
    return ProvisionalSpend(
      key: key, customer: customer, item: item, quantity: quantity, price: price, spentAt: at,
      refusal: failure.map { ProvisionalSpend.Refusal(code: $0.code, message: $0.message) })
  }

  fileprivate var balances: StoredBalances? {
    guard let customer: CustomerID = identifier("customer"), let at = time("at"), let rows = self["rows"]?.array else {
      return nil
    }
    return StoredBalances(customer: customer, asOf: at, rows: rows.compactMap(\.balanceRow))
  }

  private var balanceRow: StoredBalances.Row? {
    guard let code = self["code"]?.text, let name = self["name"]?.text, let balance = self["balance"]?.integer else {
      return nil
    }
    return StoredBalances.Row(code: code, name: name, description: self["description"]?.text, balance: balance)
  }

  fileprivate var products: [KnownProduct]? {
    self["products"]?.array.map { $0.compactMap(\.product) }
  }

  private var product: KnownProduct? {
    guard let code: ProductCode = identifier("code"), let storeID = self["store_id"]?.text,
      let type = self["type"]?.text.flatMap(ProductType.Kind.init(rawValue:))
    else { return nil }
    return KnownProduct(code: code, storeID: storeID, type: ProductType(type), grants: grants)
  }
}
