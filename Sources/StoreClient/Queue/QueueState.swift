internal import GemLedger
internal import StoreBackend

/// The client's durable state: the queue, the signed-in customer, the announced purchases, and the last known data.
///
/// Only ``apply(_:)`` changes the value, so that a replay of the events restores it.
struct QueueState: Sendable {
  /// The maximum number of remembered customers in addition to the signed-in customer.
  static let knownCustomerCountMax = 1000
  /// The maximum number of announced purchases without a result.
  static let intentCountMax = 1000
  /// The maximum number of remembered orders with keys from the app.
  static let openedOrderCountMax = 1000
  /// The maximum number of ended provisional spends that are remembered.
  static let endedSpendCountMax = 1000
  /// The maximum number of customers with remembered balances.
  static let balancesCountMax = 16

  private(set) var items: [ReceiptKey: QueueItem] = [:]
  private(set) var deadLetteredCount = 0
  private(set) var intents: [PurchaseIntent] = []
  /// The orders that this device announced with keys from the app, latest last.
  private(set) var openedOrders: [OpenedOrder] = []
  private(set) var postedRefunds = PostedRefunds()
  private(set) var identity: Identity?
  /// The customers of this device, latest last.
  private(set) var customers: [CustomerID] = []
  /// The spends that the backend has not booked, oldest first.
  private(set) var provisionalSpends: [ProvisionalSpend] = []
  /// The keys of provisional spends that were booked or forgotten, latest last.
  private(set) var endedSpends: [EndedSpend] = []
  private(set) var balances: [StoredBalances] = []
  private(set) var shop: [KnownProduct] = []
  private(set) var products: [ProductCode: KnownProduct] = [:]
  private(set) var productsByStoreID: [ByteString: KnownProduct] = [:]
  private var customersByToken: [AccountToken: CustomerID] = [:]
  private var nextNumber: Int64 = 0
  private var nextIntent: Int64 = 0

  /// The number of receipts in the queue that are not dead-lettered.
  var pendingCount: Int { items.count - deadLetteredCount }

  /// Returns the number of a new intent.
  mutating func takeIntentNumber() -> Int64 {
    defer { nextIntent += 1 }
    return nextIntent
  }

  /// Returns the customer of this device with the token.
  func customer(with token: AccountToken) -> CustomerID? { customersByToken[token] }

  /// Returns the announced purchase of the evidence, the oldest if several match.
  ///
  /// The refund of an older purchase of the same product does not match.
  func intent(for transaction: StoreTransaction) -> PurchaseIntent? {
    intents.first { intent in
      guard intent.storeProductID.hasBytes(of: transaction.storeProductID) else { return false }
      if transaction.revocation != nil, !intent.canHaveBegun(transaction) { return false }
      guard let token = transaction.accountToken else { return true }
      return intent.token == token
    }
  }

  /// Returns this device's announcement of an order with a key from the app.
  func openedOrder(of buyer: CustomerID, _ key: IdempotencyKey) -> OpenedOrder? {
    openedOrders.last { $0.buyer == buyer && $0.key == key }
  }

  /// Returns the store's payment requests for the order, except those that it has denied.
  func intents(under key: IdempotencyKey, of buyer: CustomerID) -> [PurchaseIntent] {
    intents.filter { $0.buyer == buyer && $0.key == key }
  }

  /// Returns the receipt in the queue that pays for the order.
  func receipt(of order: PurchaseCode) -> QueueItem? { items.values.first { $0.receipt.order == order } }

  /// Returns whether the evidence contains a refund, or a reversed refund, that the backend does not know.
  ///
  /// For a transaction in the queue, the revision in the queue counts as known.
  func isNewRefundNotice(_ evidence: StoreEvidence) -> Bool {
    guard evidence.unverified == nil else { return false }
    let key = evidence.key
    return !evidence.revision.hasBytes(of: items[key]?.receipt.revision ?? postedRefunds[key] ?? "")
  }

  /// Returns whether a receipt left the queue with this evidence.
  func isPosted(_ evidence: StoreEvidence) -> Bool {
    evidence.revision.hasBytes(of: postedRefunds[evidence.key] ?? "")
  }

  /// Returns the items in the order of their arrival.
  func ordered(_ isWanted: (QueueItem) -> Bool = { _ in true }) -> [QueueItem] {
    items.values.filter(isWanted).sorted { $0.number < $1.number }
  }
}

// MARK: Events

extension QueueState {
  /// - Returns: Whether anything changed.
  @discardableResult
  mutating func apply(_ event: QueueEvent) -> Bool {
    switch event {
    case .identity(let identity):
      self.identity = identity
      remember(identity.customer)
    case .orderOpened(let order): add(order)
    case .intended(let intent): add(intent)
    case .intentEnded(let number): intents.removeAll { $0.number == number }
    case .queued(let receipt): return add(receipt)
    case .kept(let item): put(item)
    case .posting(let key, let now): return update(key) { $0.post(at: now) }
    case .failed(let key, let attempt, let next): return update(key) { $0.fail(attempt, next: next) }
    case .credited(let key, let revision):
      postedRefunds.note(key, revision)
      return update(key) { $0.credit(revision: revision) }
    case .finished(let key): return finish(key)
    case .deadLettered(let key, let attempt, let revision):
      return update(key) { $0.refuse(attempt, revision: revision) }
    case .requeued(let key, let now): return update(key) { $0.requeue(at: now) }
    case .refundPosted(let key, let revision):
      postedRefunds.note(key, revision)
      guard update(key, { $0.credit(revision: revision) }) else { return true }
      return finish(key)
    case .provisional(let key, let now): return update(key) { $0.provisionalSince = $0.provisionalSince ?? now }
    case .spentProvisionally(let spend): put(spend)
    case .provisionalSpendEnded(let customer, let key): end(EndedSpend(customer: customer, key: key))
    case .balances(let balances): return remember(balances)
    case .shop(let products): remember(products)
    }
    return true
  }

  private mutating func update(_ key: ReceiptKey, _ body: (inout QueueItem) -> Void) -> Bool {
    guard let index = items.index(forKey: key) else { return false }
    let before = items.values[index].status
    body(&items.values[index])
    let after = items.values[index].status
    deadLetteredCount += (after == .deadLettered ? 1 : 0) - (before == .deadLettered ? 1 : 0)
    return true
  }

  private mutating func add(_ receipt: QueuedReceipt) -> Bool {
    if items[receipt.key] != nil {
      var isNew = false
      _ = update(receipt.key) { isNew = $0.meet(receipt) }
      return isNew
    }
    items[receipt.key] = QueueItem(receipt, number: nextNumber)
    nextNumber += 1
    return true
  }

  private mutating func put(_ item: QueueItem) {
    guard items[item.receipt.key] == nil else { return }
    items[item.receipt.key] = item.numbered(nextNumber)
    nextNumber += 1
    if item.status == .deadLettered { deadLetteredCount += 1 }
  }

  /// Only a credited item may be removed.
  private mutating func finish(_ key: ReceiptKey) -> Bool {
    guard items[key]?.status == .finishOnly else { return false }
    items[key] = nil
    return true
  }

  private mutating func add(_ intent: PurchaseIntent) {
    nextIntent = max(nextIntent, intent.number + 1)
    if let index = intents.firstIndex(where: { $0.number == intent.number }) {
      intents[index] = intent
    } else {
      intents.append(intent)
    }
    if intents.count > Self.intentCountMax { intents.removeFirst() }
    remember(intent.buyer)
  }

  private mutating func add(_ order: OpenedOrder) {
    openedOrders.removeAll { $0.buyer == order.buyer && $0.key == order.key }
    openedOrders.append(order)
    if openedOrders.count > Self.openedOrderCountMax { openedOrders.removeFirst() }
  }

  private mutating func put(_ spend: ProvisionalSpend) {
    guard let index = provisionalSpends.firstIndex(where: { $0.customer == spend.customer && $0.key == spend.key })
    else { return provisionalSpends.append(spend) }
    provisionalSpends[index] = spend
  }

  private mutating func end(_ spend: EndedSpend) {
    provisionalSpends.removeAll { $0.customer == spend.customer && $0.key == spend.key }
    endedSpends.removeAll { $0 == spend }
    endedSpends.append(spend)
    if endedSpends.count > Self.endedSpendCountMax { endedSpends.removeFirst() }
  }

  private mutating func remember(_ customer: CustomerID) {
    if customers.last == customer { return }
    customers.removeAll { $0 == customer }
    customers.append(customer)
    customersByToken[AccountToken(of: customer)] = customer
    guard customers.count > Self.knownCustomerCountMax else { return }
    customersByToken[AccountToken(of: customers.removeFirst())] = nil
  }

  /// An older answer never replaces a newer answer.
  private mutating func remember(_ balances: StoredBalances) -> Bool {
    if let known = self.balances.first(where: { $0.customer == balances.customer }), known.asOf > balances.asOf {
      return false
    }
    self.balances.removeAll { $0.customer == balances.customer }
    self.balances.append(balances)
    if self.balances.count > Self.balancesCountMax { self.balances.removeFirst() }
    return true
  }

  private mutating func remember(_ products: [KnownProduct]) {
    shop = products
    self.products = Dictionary(products.map { ($0.code, $0) }) { first, _ in first }
    productsByStoreID = Dictionary(products.map { (ByteString($0.storeID), $0) }) { first, _ in first }
  }
}

// MARK: Compaction

extension QueueState {
  /// At least as many as ``events()`` returns; each product of the shop counts.
  var liveCount: Int {
    items.count + intents.count + openedOrders.count + customers.count + balances.count + shop.count
      + postedRefunds.count + provisionalSpends.count + endedSpends.count + 2
  }

  /// Returns the fewest events that restore this state.
  func events() -> [QueueEvent] {
    var events: [QueueEvent] = []
    if let identity {
      for customer in customers where customer != identity.customer {
        events.append(.identity(Identity(customer: customer, allowsSharing: identity.allowsSharing)))
      }
      events.append(.identity(identity))
    }
    if !shop.isEmpty { events.append(.shop(shop)) }
    events += openedOrders.map(QueueEvent.orderOpened)
    events += intents.map(QueueEvent.intended)
    events += endedSpends.map { QueueEvent.provisionalSpendEnded($0.customer, $0.key) }
    events += provisionalSpends.map(QueueEvent.spentProvisionally)
    events += balances.map(QueueEvent.balances)
    events += postedRefunds.all.map { QueueEvent.refundPosted($0.key, revision: $0.revision) }
    return events + ordered().map(QueueEvent.kept)
  }
}
