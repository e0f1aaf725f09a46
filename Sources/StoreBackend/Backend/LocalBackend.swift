public import GemLedger

/// The crediting side in this process: it verifies receipts and credits each proven purchase in a ledger, once.
///
/// ```swift
/// let backend = LocalBackend(ledger: ledger, verifier: try UnsignedReceipts(session: "demo"))
/// let answer = try await backend.post(ReceiptPost(receipt: receipt, customer: alice, source: .purchase))
/// ```
///
/// All durable state is in the ledger's storage, so any number of backends may serve one ledger. All methods may be
/// called concurrently. Run a ``MaintenanceRunner`` in at least one process: it credits held purchases that are due.
public final class LocalBackend: PurchaseBackend {
  let context: BackendContext
  let registry: CustomerRegistry
  let records: CustomerRecords
  let orders: OrderReading
  let holds: OrderHolds
  let deliveries: OrderDeliveries
  let openings: OrderOpenings
  let credits: ReceiptCredits
  private let notices: StoreNotices
  let held: HeldReceipts
  let restores: PurchaseRestores
  let previews: IdentityPreviews

  /// The ledger for all bookings.
  public var ledger: Ledger { context.ledger }
  /// The rules by which receipts are accepted or refused.
  public var policy: BackendPolicy { context.policy }

  /// Makes a backend over a ledger.
  ///
  /// - Parameters:
  ///   - ledger: The ledger for all bookings; its catalog lists the products.
  ///   - verifier: Reads receipts and proves that the store made them.
  ///   - policy: The rules by which receipts are accepted or refused.
  ///   - delivery: The target that receives paid orders, such as a game server; nil for none.
  ///   - refundIssuer: Refunds the orders that were not delivered by the last try; nil to leave them to a person.
  ///   - clock: The source of the time; nil for the ledger's clock.
  ///   - randomness: Makes purchase codes and request ids; it must not be guessable.
  ///   - onWarning: Called for facts that an operator should know, such as a price that differs from the catalog's;
  ///     before the answer, on the caller's task.
  public init(
    ledger: Ledger, verifier: any ReceiptVerifier, policy: BackendPolicy = BackendPolicy(),
    delivery: (any DeliveryTarget)? = nil, refundIssuer: (any RefundIssuer)? = nil, clock: LedgerClock? = nil,
    randomness: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) },
    onWarning: @escaping @Sendable (BackendWarning) -> Void = { _ in }
  ) {
    let context = BackendContext(
      ledger: ledger, verifier: verifier, policy: policy, delivery: delivery, refundIssuer: refundIssuer,
      clock: clock ?? ledger.clock, randomness: randomness, warn: onWarning)
    self.context = context
    let refunds = StoreRefunds(context: context)
    registry = CustomerRegistry(context: context)
    orders = OrderReading(context: context)
    records = CustomerRecords(context: context, orders: orders)
    holds = OrderHolds(context: context, orders: orders)
    deliveries = OrderDeliveries(context: context, orders: orders, refunds: refunds)
    openings = OrderOpenings(
      context: context, registry: registry, orders: orders, holds: holds, deliveries: deliveries)
    credits = ReceiptCredits(
      context: context, records: records, orders: orders, holds: holds, deliveries: deliveries,
      search: OrderSearch(context: context, openings: openings), refunds: refunds)
    notices = StoreNotices(context: context, credits: credits, refunds: refunds)
    held = HeldReceipts(context: context, credits: credits, notices: notices)
    restores = PurchaseRestores(context: context, registry: registry, credits: credits)
    previews = IdentityPreviews(context: context)
  }

  // MARK: Receipts and notices

  /// Credits the purchase that a receipt proves, once; applies the refund that it shows.
  ///
  /// A verified receipt is kept before the answer. If it cannot be credited yet, it is held with a reason, an error is
  /// thrown, and it is credited later without another post: see <doc:ReceiptPolicy>.
  ///
  /// If the receipt's account token names a known customer, that customer is credited. A token of no known customer is
  /// held (``BackendPolicy/unknownBuyerWaitMilliseconds``), unless it is a token of the post's customer. Without a
  /// token, and after that time, the post's customer is credited.
  ///
  /// An earlier credit, to any customer, is a success under every policy: the answer's booking is the first one and
  /// names the owner. Inactive products are credited too.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`, `receipt_unverified`,
  ///   `invalid_identifier`, `invalid_user_id`, `receipt_future_dated`, `bundle_mismatch`, `environment_not_allowed`,
  ///   `receipt_revoked`, `validation_pending` (no such product yet), `amount_mismatch` (the quantity),
  ///   `validation_pending` (the buyer is unknown), `amount_mismatch` (the price of an unsigned receipt), and those of
  ///   `Ledger.creditPurchase(_:customer:key:)`. `validation_pending` has the details `reason` and `retry_after` in
  ///   seconds. The detail `request_id` names the request.
  public func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await credits.answer(post, order: nil)
  }

  /// Credits as ``post(_:)`` does, a transaction that its store confirmed on request.
  ///
  /// The receipt of the post is not read.
  ///
  /// - Throws: As ``post(_:)`` after its verification; `order_not_found`, if an order is named.
  package func post(
    _ transaction: StoreTransaction, of post: ReceiptPost, order: PurchaseCode? = nil
  ) async throws(LedgerError) -> ReceiptAnswer {
    try await credits.answer(
      Evidence(transaction: transaction), of: post, order: order, requestID: context.newRequestID())
  }

  /// Applies a store's notice of a transaction: a purchase, a refund, or a reversed refund.
  ///
  /// The transaction must be from verified evidence. Notices may arrive in any order and any number of times: the
  /// store's date of the evidence decides. A transaction without a refund reverses all refunds dated up to its
  /// date, since stores drop the refund from the evidence when they reverse it. A purchase of an unknown buyer or of an
  /// unknown product is held, and the answer's outcome is `unattributed` or `held`.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_future_dated`, `bundle_mismatch`; for a purchase
  ///   that is not credited yet those of ``post(_:)``, except `validation_pending`.
  @discardableResult
  public func apply(_ transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    try await notices.apply(Evidence(transaction: transaction, isNotice: true))
  }

  /// Applies as ``apply(_:)`` does, a state that was requested from the store: a refund of the same date remains.
  @discardableResult
  package func apply(state transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    try await notices.apply(Evidence(transaction: transaction))
  }

  /// Verifies the evidence in a store's notice, and applies it.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, `receipt_unverified`; then as ``apply(_:)``.
  @discardableResult
  public func apply(evidence: StoreReceipt) async throws(LedgerError) -> NoticeAnswer {
    var evidence = try context.verified(evidence)
    evidence.isNotice = true
    return try await notices.apply(evidence)
  }

  /// Verifies a store's whole notice, and applies its transaction.
  ///
  /// - Parameter text: As for ``ReceiptVerifier/transaction(inNotice:)``.
  /// - Returns: The result; nil if the notice contains no transaction.
  /// - Throws: `LedgerError` with `receipt_malformed`, `receipt_unverified`; then as ``apply(_:)``.
  @discardableResult
  public func apply(signedNotice text: String) async throws(LedgerError) -> NoticeAnswer? {
    guard let transaction = try context.verifier.transaction(inNotice: text) else { return nil }
    return try await notices.apply(Evidence(transaction: transaction, original: context.original(text), isNotice: true))
  }

  // MARK: Shop window and balances

  /// Returns the offerings and products on sale at the platform's store; omits packages of other products.
  public func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    let catalog = try context.reading { (_, productIndex) in productIndex.catalog }
    let products = catalog.products.filter {
      $0.obstacles(at: app.store.description, storefront: app.storefront).isEmpty
    }
    let listed = Set(products.map(\.code))
    let offerings = catalog.offerings.map { offering in
      CatalogOffering(
        id: offering.id, description: offering.description, metadata: offering.metadata,
        packages: offering.packages.filter { listed.contains($0.product) })
    }
    return OfferingsSnapshot(
      offerings: offerings, current: catalog.currentOffering, products: products, currencies: catalog.currencies,
      items: catalog.items.filter { $0.availability.holds(at: context.clock.now()) })
  }

  /// Returns all balances of the customer, zeros included; creates an unknown customer.
  public func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    do throws(LedgerError) {
      return try ledger.balances(of: customer)
    } catch {
      guard error.code == .customerNotFound else { throw error }
    }
    _ = try await register(customer)
    return try ledger.balances(of: customer)
  }

  /// Spends amounts that the client names, if the policy permits it.
  ///
  /// A server spends with `Ledger.spend` instead.
  ///
  /// - Throws: `LedgerError` with `forbidden` unless ``BackendPolicy/clientSpending`` is `anyAmount`, and those of
  ///   `Ledger.spend`.
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await spend(amounts, customer: customer, key: key, reference: nil)
  }

  /// Spends as ``spend(_:customer:key:)`` does, with a reference.
  ///
  /// - Parameter whileAnonymous: Whether to refuse with `condition_failed` unless the customer has anonymous ids only.
  package func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey, reference: Reference?,
    whileAnonymous: Bool = false
  ) async throws(LedgerError) -> Booking {
    try policy.checkClientSpends()
    var command = try LedgerCommand.spend(amounts, customer: customer, key: key)
    command.reference = reference
    return try await ledger.book(whileAnonymous ? command.whileAnonymous() : command)
  }

  /// Buys an item at the catalog's price.
  ///
  /// - Throws: `LedgerError` as `Ledger.buyItem(_:quantity:customer:key:)`.
  public func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await buyItem(item, quantity: quantity, customer: customer, key: key, whileAnonymous: false)
  }

  /// Buys an item; with `whileAnonymous`, refuses with `condition_failed` unless the customer has only anonymous ids.
  package func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey, whileAnonymous: Bool
  ) async throws(LedgerError) -> Booking {
    let command = LedgerCommand.buyItem(item, quantity: quantity, customer: customer, key: key)
    return try await ledger.book(whileAnonymous ? command.whileAnonymous() : command)
  }
}
