internal import GemLedger

/// Credits verified store transactions, exactly once.
struct ReceiptCredits: Sendable {
  let context: BackendContext
  let records: CustomerRecords
  let orders: OrderReading
  let holds: OrderHolds
  let deliveries: OrderDeliveries
  let search: OrderSearch
  let refunds: StoreRefunds

  /// Verifies the posted receipt, and credits it.
  func answer(_ post: ReceiptPost, order: PurchaseCode?) async throws(LedgerError) -> ReceiptAnswer {
    let requestID = context.newRequestID()
    do throws(LedgerError) {
      return try await answer(try context.verified(post.receipt), of: post, order: order, requestID: requestID)
    } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// Credits the purchase of verified evidence, as ``answer(_:order:)`` does; ignores the post's receipt.
  func answer(
    _ evidence: Evidence, of post: ReceiptPost, order: PurchaseCode?, requestID: String
  ) async throws(LedgerError) -> ReceiptAnswer {
    do throws(LedgerError) {
      try post.customer.checkUsable()
      if let order { _ = try orders.order(order) }
    } catch {
      // The purchase is paid for even if the app sent no usable id or an unknown order.
      switch error.code {
      case .invalidUserID, .invalidIdentifier, .orderNotFound: try await holdUnattributed(evidence)
      default: break
      }
      throw error
    }
    return try await credit(
      evidence, customer: post.customer, order: order, search: post.orderSearch, requestID: requestID)
  }

  /// Holds a purchase without a known poster.
  private func holdUnattributed(_ evidence: Evidence) async throws(LedgerError) {
    let (transaction, policy) = (evidence.transaction, context.policy)
    try ReceiptRules.check(
      datesOf: transaction, now: context.clock.now(), skewMilliseconds: policy.futureSkewMilliseconds)
    let settings = try context.reading { (_, index) in index.catalog.settings }
    try await hold(
      evidence, ReceiptRules(policy: policy, settings: settings).reasonOfForeign(transaction) ?? .unattributed,
      customer: nil)
  }

  /// Credits a purchase or finds its credit, applies the store's refunds, and holds a purchase that cannot be credited
  /// yet.
  ///
  /// The evidence is stored before the answer, even if the answer is an error.
  ///
  /// - Parameters:
  ///   - named: The paid order, if the client names it.
  ///   - mode: Whether to search for the order if the client does not name it.
  ///   - waitsForBuyer: Whether to wait for a buyer that no device has registered yet.
  func credit(
    _ evidence: Evidence, customer: CustomerID, order named: PurchaseCode?, search mode: ReceiptPost.OrderSearch,
    requestID: String, waitsForBuyer: Bool = true
  ) async throws(LedgerError) -> ReceiptAnswer {
    let (transaction, now, policy) = (evidence.transaction, context.clock.now(), context.policy)
    try ReceiptRules.check(datesOf: transaction, now: now, skewMilliseconds: policy.futureSkewMilliseconds)
    let lookup = try lookup(transaction, customer: customer, order: named)
    var evidence = evidence
    evidence.namesErased = lookup.buyer.isOfErased
    var (steps, product) = try firstSteps(of: evidence, lookup, waitsForBuyer: waitsForBuyer, now: now)
    while !steps.isEmpty {
      switch steps.removeFirst() {
      case .refund(let revocation): _ = try await refunds.refund(evidence, revocation)
      case .hold(let reason, let end, .poster):
        try await hold(evidence, reason, until: end, customer: customer, order: lookup.order)
      case .hold(let reason, let end, .nobody): try await hold(evidence, reason, until: end, customer: nil)
      case .credit(let sold):
        do throws(LedgerError) {
          return try await credit(
            evidence, as: sold, product, lookup, customer: customer, order: lookup.order, search: mode,
            requestID: requestID)
        } catch {
          steps = ReceiptStep.steps(of: transaction, after: error, now: now)
        }
      case .fail(let error): throw error
      case .failHeld(let error): throw try revocation(of: transaction) ?? error
      }
    }
    throw .defect("A receipt has no answer")
  }

  /// - Returns: The steps, and the product of a purchase that is not credited yet.
  /// - Throws: `amount_mismatch`.
  private func firstSteps(
    of evidence: Evidence, _ lookup: TransactionLookup, waitsForBuyer: Bool, now: Timestamp
  ) throws(LedgerError) -> ([ReceiptStep], Product?) {
    if let known = lookup.known {
      return (ReceiptStep.steps(of: evidence, creditedAs: known.product, quantity: known.quantity), nil)
    }
    let rules = ReceiptRules(policy: context.policy, settings: lookup.productIndex.catalog.settings)
    let decision = ReceiptDecision(
      lookup.newest, lookup, product: try product(of: lookup.newest, lookup: lookup), rules: rules,
      waitsFor: waitsForBuyer ? .poster : .nobody, now: now)
    var credited: Product?
    if case .credit(let product) = decision {
      try checkPrice(of: evidence, product: product, lookup: lookup, rules: rules)
      credited = product
    }
    return (ReceiptStep.steps(of: evidence.transaction, decision: decision), credited)
  }

  private func lookup(
    _ transaction: StoreTransaction, customer: CustomerID, order: PurchaseCode?
  ) throws(LedgerError) -> TransactionLookup {
    try context.reading { (view, productIndex) throws(LedgerError) in
      try TransactionLookup(
        of: transaction, customer: customer, order: order, in: view, productIndex, digest: context.verifier.digest)
    }
  }

  /// Stores a purchase that cannot be credited yet; of a foreign app or environment, only a few samples.
  ///
  /// - Parameter customer: The poster; nil if the evidence is a store's notice.
  func hold(
    _ evidence: Evidence, _ reason: HoldReason, until end: Timestamp? = nil, customer: CustomerID?,
    order: PurchaseCode? = nil
  ) async throws(LedgerError) {
    var (evidence, reason) = (evidence, reason)
    let transaction = evidence.transaction
    if !evidence.namesErased { evidence.namesErased = try context.namesErased(transaction) }
    if evidence.namesErased, reason.endsWithCredit { reason = .erased }
    let subject: String? =
      switch reason {
      case .erased: nil
      case .app: transaction.bundleID
      case .environment: transaction.environment.description
      default: transaction.accountToken?.description
      }
    // Every app developer can make such receipts, so they create no customers and only a few are stored.
    if reason.isForeign, let subject {
      context.foreign.add(reason, subject)
      let known = try context.reading { (view, _) throws(LedgerError) in try view.evidence.held(waitingFor: subject) }
      guard known.count < Self.samplesPerSubject else { return }
    }
    if let revocation = transaction.revocation { _ = try await refunds.refund(evidence, revocation) }
    let hold = ReceiptHold(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
      kind: evidence.isNotice ? .reversalOfAll : .purchased, statedAt: transaction.signedAt,
      statement: transaction.revocation == nil && evidence.statesPurchase ? evidence.statement : nil,
      reason: reason, dueAt: end, subject: subject, note: HoldNote(order: order).text)
    _ = try await context.ledger.book(
      .holdReceipt(hold, customer: reason.isForeign || reason == .erased ? nil : customer))
  }

  /// Returns the error for the poster of a held purchase that another message refunded in full.
  private func revocation(of transaction: StoreTransaction) throws(LedgerError) -> LedgerError? {
    try context.reading { (view, _) throws(LedgerError) in
      guard let held = try view.evidence.held(transaction), held.reason == .refunded,
        let refund = held.statements.first(where: { $0.kind == .refund })
      else { return nil }
      return .revoked(on: refund.firstStatedAt)
    }
  }

  /// The largest number of purchases stored for one foreign app or environment.
  private static let samplesPerSubject = 10

  private func credit(
    _ evidence: Evidence, as sold: ProductCode, _ product: Product?, _ lookup: TransactionLookup,
    customer: CustomerID, order named: PurchaseCode?, search mode: ReceiptPost.OrderSearch, requestID: String
  ) async throws(LedgerError) -> ReceiptAnswer {
    let transaction = evidence.transaction
    var code = try await search.order(named, for: transaction, as: sold, lookup: lookup, mode)
    var booking = try await book(evidence, as: sold, lookup: lookup, order: code)
    var (taken, isOrderNew): ([PurchaseCode], Bool) = ([], false)
    while let lost = code, !booking.completesOrder, !taken.contains(lost) {
      // Another receipt has paid for the order since it was found or announced.
      taken.append(lost)
      let (lookup, isTaken) = try context.reading { (view, productIndex) throws(LedgerError) in
        let order = try view.orders.find(lost)
        let lookup = try TransactionLookup(
          of: transaction, customer: customer, order: nil, in: view, productIndex, digest: context.verifier.digest)
        return (lookup, order.map { $0.isPaid && OrderMatch.isAnnouncement($0, of: transaction, as: sold) } ?? false)
      }
      guard mode != .none || isTaken,
        let other = try await search.order(
          nil, for: transaction, as: sold, lookup: lookup, mode == .none ? .findOrOpen : mode)
      else { break }
      (code, isOrderNew) = (other, !booking.isReplayed)
      booking.completesOrder = try await book(evidence, as: sold, lookup: lookup, order: other).completesOrder
    }
    // In the common case, the booking contains all facts of the answer, so the ledger is not read again.
    if let product, !booking.isReplayed, transaction.revocation == nil, code == nil, product.entitlement == nil,
      let id = booking.transactionID
    {
      return ReceiptAnswer(
        booking: booking, purchase: PurchaseRecord(transaction, product, transactionID: id), requestID: requestID)
    }
    return try await answer(
      booked: booking, transaction, known: lookup.known, customer: customer, order: code, isOrderNew: isOrderNew,
      requestID: requestID)
  }

  /// Checks the price of an unsigned receipt: a price of the catalog, now or at some time since the purchase.
  ///
  /// - Throws: `amount_mismatch`.
  private func checkPrice(
    of evidence: Evidence, product: Product, lookup: TransactionLookup, rules: ReceiptRules
  ) throws(LedgerError) {
    let transaction = lookup.newest
    do throws(LedgerError) { try rules.check(priceOf: transaction, product: product) } catch {
      let former = try formerProducts(sinceOrderOf: transaction, lookup: lookup)?.filter { $0.code == product.code }
      let isFormer = former.map { rules.isPrice(of: transaction, amongThoseOf: $0) } ?? true
      if isFormer { return }
      let isKept = evidence.isKept || transaction != evidence.transaction
      guard context.verifier.provesPrices || isKept else { throw error }
      context.warn(.priceDiffers(transaction, product, error))
    }
  }

  /// Returns the product with the transaction's id at the store, as of the purchase or later.
  private func product(of transaction: StoreTransaction, lookup: TransactionLookup) throws(LedgerError) -> Product? {
    let (productIndex, id) = (lookup.productIndex, transaction.storeProductID)
    let former = try formerProducts(sinceOrderOf: transaction, lookup: lookup)?.product(
      storeID: id, at: transaction.store)
    // A product that was removed from the catalog since is credited as it was.
    return former.map { productIndex.product($0.code) ?? $0 }
      ?? productIndex.product(storeID: id, at: transaction.store)
  }

  /// Returns the products of all catalog versions since the order or the purchase; nil if these are unknown.
  private func formerProducts(
    sinceOrderOf transaction: StoreTransaction, lookup: TransactionLookup
  ) throws(LedgerError) -> [Product]? {
    let instant = min(transaction.purchasedAt, lookup.orderedAt ?? transaction.purchasedAt)
    return try context.reading { (view, _) throws(LedgerError) in try view.formerProducts(since: instant) }
  }

  private func book(
    _ evidence: Evidence, as product: ProductCode, lookup: TransactionLookup, order: PurchaseCode?
  ) async throws(LedgerError) -> Booking {
    var purchase = StorePurchase(evidence, product: product, as: lookup.newest)
    if !lookup.isBuyerKnown { purchase.unknownBuyer = evidence.transaction.accountToken?.description }
    guard let order else {
      return try await context.ledger.book(
        LedgerCommand.creditPurchase(purchase, customer: lookup.buyer).namedByLedger())
    }
    var command = LedgerCommand.completeOrder(
      OrderCompletion(code: order, purchase: purchase, retryAfterMilliseconds: context.secondDeliveryMilliseconds),
      customer: lookup.buyer)
    command.reference = Reference(unchecked: order.text)
    return try await context.ledger.book(command.namedByLedger())
  }

  /// Returns the answer that needs more than the booking: a refund, an order, or an earlier credit.
  ///
  /// - Parameters:
  ///   - known: The purchase before the booking, if it was credited by then.
  ///   - isOrderNew: Whether this booking linked the order to the purchase.
  private func answer(
    booked booking: Booking, _ transaction: StoreTransaction, known: Purchase?, customer: CustomerID,
    order code: PurchaseCode?, isOrderNew: Bool, requestID: String
  ) async throws(LedgerError) -> ReceiptAnswer {
    // The evidence may have changed the refunded share, and a process may have ended right after it was stored.
    if known != nil || transaction.revocation != nil { try await refunds.advanceOrder(paidBy: transaction) }
    if let code, booking.completesOrder {
      _ = try await holds.endHold(of: orders.order(code))
      await deliveries.deliverFirst(code)
    }
    var answer = try context.reading { (view, productIndex) throws(LedgerError) -> ReceiptAnswer in
      guard let purchase = try view.purchase(of: transaction) else {
        throw .defect("Store transaction \(transaction.id) was credited and has no purchase")
      }
      var booking = booking
      booking.customer = try view.purchases.owner(of: purchase, asNamedBy: customer)
      var order = try view.orders.order(paidBy: purchase)
      // Only the order's customer may see an order that the purchase does not pay for.
      if order == nil, let named = try code.flatMap({ (code) throws(LedgerError) in try view.orders.find(code) }),
        try view.orders.customer(of: named, asNamedBy: customer) == booking.customer
      {
        order = named
      }
      var record = PurchaseRecord(purchase)
      // The catalog's id of the product at the store may have changed since the sale.
      record.storeProductID = transaction.storeProductID
      return ReceiptAnswer(
        booking: booking, purchase: record,
        order: try order.map { (order) throws(LedgerError) in
          try orders.order(order, isReplayed: !booking.completesOrder && !isOrderNew, in: view, productIndex)
        }, entitlement: try records.ownEntitlement(of: purchase, in: view), requestID: requestID)
    }
    if let order = answer.order { answer.held = try await holds.endHold(of: order) }
    return answer
  }

  /// Returns the first answer of a paid order, as a replay; nil before the payment.
  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    let requestID = context.newRequestID()
    var answer = try context.reading { (view, productIndex) throws(LedgerError) -> ReceiptAnswer? in
      let order = try view.orders.order(code)
      guard order.isPaid else { return nil }
      let purchase = try view.payment(of: order)
      let owner = try view.purchases.owner(of: purchase, asNamedBy: customer)
      var booking = try view.purchases.booking(of: purchase, customer: owner)
      booking.isReplayed = true
      return ReceiptAnswer(
        booking: booking, purchase: PurchaseRecord(purchase),
        order: try orders.order(order, isReplayed: true, in: view, productIndex),
        entitlement: try records.ownEntitlement(of: purchase, in: view), requestID: requestID)
    }
    if let order = answer?.order { answer?.held = try await holds.endHold(of: order) }
    return answer
  }
}

extension StorePurchase {
  /// - Parameter newest: The store's newest statement; nil for the evidence's transaction.
  init(_ evidence: Evidence, product: ProductCode, as newest: StoreTransaction? = nil) {
    let transaction = newest ?? evidence.transaction
    self.init(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
      product: product, quantity: transaction.quantity, price: transaction.price, purchasedAt: transaction.purchasedAt,
      cycleEndsAt: transaction.expiresAt,
      originalTransactionID: transaction.originalID == transaction.id ? nil : transaction.originalID,
      terms: transaction.offer?.isFreeTrial == true ? .trial : transaction.isFree ? .free : .paid)
    // Evidence of a refund is stored as a refund, not as a purchase.
    guard evidence.transaction.revocation == nil, evidence.statesPurchase else { return }
    statedAt = evidence.transaction.signedAt
    statement = evidence.statement
  }
}
