import GemLedger
import StoreBackend
import StoreTestSupport
import Synchronization

/// A crediting side over a ledger in memory, which fails on command.
final class FakeBackend: PurchaseBackend {
  private struct State {
    /// Thrown before anything happens, one a call.
    var failures: [LedgerError] = []
    /// Thrown after everything happened, one a post.
    var lostAnswers: [LedgerError] = []
    var isDown = false
    var losesSpend = false
    var calls: [String] = []
    var orders: [PurchaseCode: Order] = [:]
    var orderKeys: [IdempotencyKey: PurchaseCode] = [:]
    var known: Set<CustomerID> = []
    var purchases: [CustomerID: [PurchaseRecord]] = [:]
    var held: [CheckedContinuation<Void, Never>] = []
    var isHolding = false
    var deliveryFails = false
    var searches: [ReceiptPost.OrderSearch] = []
    var paid: [PurchaseCode: ReceiptAnswer] = [:]
  }

  let ledger: Ledger
  private let catalog: Catalog
  private let clock: TestClock
  private let state = Mutex(State())

  init(_ catalog: Catalog, _ clock: TestClock) throws {
    self.catalog = catalog
    self.clock = clock
    ledger = Ledger.inMemory(clock: clock.ledgerClock)
    try ledger.apply(catalog)
  }

  static let down = LedgerError(.backendUnreachable, "The backend is down.")

  var calls: [String] { state.withLock { $0.calls } }
  func clearCalls() { state.withLock { $0.calls = [] } }
  /// The order searches of the posts.
  var searches: [ReceiptPost.OrderSearch] { state.withLock { $0.searches } }
  func count(_ call: String) -> Int { calls.count { $0.hasPrefix(call) } }
  func fail(_ errors: LedgerError...) { state.withLock { $0.failures += errors } }
  func loseAnswer(_ error: LedgerError = down) { state.withLock { $0.lostAnswers.append(error) } }
  /// The next spend is booked, and its answer lost.
  func loseSpend() { state.withLock { $0.losesSpend = true } }
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
  func failDelivery() { state.withLock { $0.deliveryFails = true } }
  func order(_ code: PurchaseCode) -> Order? { state.withLock { $0.orders[code] } }
  func forgetOrder(_ code: PurchaseCode) { state.withLock { $0.orders[code] = nil } }

  func balance(_ customer: String, _ code: String = "GEM") throws -> Int64 {
    guard let balance = try? ledger.balance(of: CurrencyCode(code), customer: CustomerID(customer)) else { return 0 }
    return balance.balance
  }

  /// Requests wait until they are let go.
  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      defer { (state.held, state.isHolding) = ([], false) }
      return state.held
    }
    for one in held { one.resume() }
  }

  /// Lets new calls through; held calls stay held.
  func stopHolding() { state.withLock { $0.isHolding = false } }

  var heldCount: Int { state.withLock { $0.held.count } }

  private func called(_ call: String) async throws(LedgerError) {
    let (failure, isHolding) = state.withLock { state in
      state.calls.append(call)
      if state.isDown { return (Self.down, false) as (LedgerError?, Bool) }
      return (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.isHolding)
    }
    if isHolding { await withCheckedContinuation { one in state.withLock { $0.held.append(one) } } }
    if let failure { throw failure }
  }

  // MARK: PurchaseBackend

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await called("register \(customer)")
    return registration(customer)
  }

  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await called("logIn \(id) from \(current)")
    return registration(id)
  }

  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await called("createAlias \(alias) of \(customer)")
    return registration(alias)
  }

  private func registration(_ customer: CustomerID) -> Registration {
    Registration(customer: customer, isCreated: state.withLock { $0.known.insert(customer).inserted })
  }

  func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    try await called("offerings")
    return OfferingsSnapshot(
      offerings: catalog.offerings, current: catalog.currentOffering, products: catalog.products,
      currencies: catalog.currencies)
  }

  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await called("post \(post.receipt.text.prefix { $0 != " " }) \(post.customer) \(post.source.rawValue)")
    state.withLock { $0.searches.append(post.orderSearch) }
    let answer = try credit(post, order: nil)
    if let lost = state.withLock({ $0.lostAnswers.isEmpty ? nil : $0.lostAnswers.removeFirst() }) { throw lost }
    return answer
  }

  private func credit(_ post: ReceiptPost, order: Order?) throws(LedgerError) -> ReceiptAnswer {
    guard let read = FakeReceipt.read(post.receipt) else { throw LedgerError(.receiptMalformed, "No receipt.") }
    guard let product = catalog.products.first(where: { $0.storeIDs["apple"] == read.productID }) else {
      throw LedgerError(.productNotFound, "No such product.", details: [.text("request_id", "request-1")])
    }
    let purchase = StorePurchase(
      store: .apple, environment: .sandbox, transactionID: read.id, product: product.code, quantity: read.quantity,
      price: Money(minorUnits: 999 * read.quantity, currency: "USD"), purchasedAt: clock.now)
    let receipt = try ledger.creditPurchase(purchase, customer: post.customer)
    guard let transactionID = receipt.transactionID else { throw .defect("no transaction") }
    let record = PurchaseRecord(
      store: .apple, storeTransactionID: read.id, transactionID: transactionID, product: product.code,
      productType: product.type, quantity: read.quantity, price: purchase.price, purchasedAt: clock.now)
    if !receipt.isReplayed { state.withLock { $0.purchases[post.customer, default: []].insert(record, at: 0) } }
    return ReceiptAnswer(booking: receipt, purchase: record, order: order, requestID: "request-2")
  }

  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await called("restore \(receipts.count) \(sharing)")
    return record(customer)
  }

  func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await called("customer \(customer)")
    return record(customer)
  }

  private func record(_ customer: CustomerID) -> CustomerRecord {
    CustomerRecord(
      customer: customer, originalID: customer, ids: [customer], firstSeenAt: clock.now, asOf: clock.now,
      entitlements: [], nonSubscriptions: state.withLock { $0.purchases[customer] ?? [] })
  }

  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    _ = try? ledger.createCustomer(customer)
    // As of the asking: an answer that is held back is an old one.
    let balances = try ledger.balances(of: customer)
    try await called("balances \(customer)")
    return balances
  }

  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await called("spend \(customer)")
    let booking = try ledger.spend(amounts, customer: customer, key: key) as Booking
    let isLost = state.withLock { state in
      defer { state.losesSpend = false }
      return state.losesSpend
    }
    if isLost { throw Self.down }
    return booking
  }

  func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await called("purchases \(page)")
    let all = state.withLock { $0.purchases[customer] ?? [] }
    return Array(all.dropFirst((page - 1) * size).prefix(size))
  }

  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await called("initPayment \(request.product)")
    let (number, known) = state.withLock { state in
      (state.orders.count, request.key.flatMap { state.orderKeys[$0] })
    }
    if let known, var order = order(known) {
      order.isReplayed = true
      return order
    }
    let order = Order(
      code: PurchaseCode(unchecked: "AP260101\(number)"), request: request, status: .pending, createdAt: clock.now,
      updatedAt: clock.now, deadline: clock.now)
    state.withLock { state in
      state.orders[order.code] = order
      if let key = request.key { state.orderKeys[key] = order.code }
    }
    return order
  }

  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await called("completePayment \(code)")
    guard var order = order(code) else { throw LedgerError(.orderNotFound, "No such order.") }
    order.status = state.withLock { $0.deliveryFails } ? .deliveryPending : .success
    let answer = try credit(post, order: order)
    state.withLock { [order] in
      $0.orders[code] = order
      $0.paid[code] = $0.paid[code] ?? answer
    }
    return answer
  }

  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await called("payment \(code)")
    return state.withLock { $0.paid[code] }
  }

  func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await called("cancelPayment \(code)")
    guard var order = order(code) else { throw LedgerError(.orderNotFound, "No such order.") }
    order.status = .failed
    state.withLock { [order] in $0.orders[code] = order }
    return order
  }
}
