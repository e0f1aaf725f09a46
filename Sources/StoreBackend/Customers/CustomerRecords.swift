internal import GemLedger

/// Reads the records of customers: ids, entitlements, purchases.
struct CustomerRecords: Sendable {
  let context: BackendContext
  let orders: OrderReading

  private static let nonSubscriptionCountMax = 100
  private static let subscriptionCountMax = 100

  func record(of customer: CustomerID) throws(LedgerError) -> CustomerRecord {
    let now = context.clock.now()
    return try context.reading { (view, _) throws(LedgerError) -> CustomerRecord in
      let found = try view.customers.customer(customer)
      guard let identity = try view.customers.identity(of: found) else { throw .customerNotFound(customer) }
      let purchases = try view.purchases.newest(of: found, limit: Self.nonSubscriptionCountMax) {
        !$0.isSubscription
      }
      return CustomerRecord(
        customer: customer, originalID: identity.originalID, ids: identity.ids, firstSeenAt: identity.createdAt,
        asOf: now, entitlements: Self.entitlements(try view.purchases.entitlements(of: found), at: now),
        nonSubscriptions: purchases.map(PurchaseRecord.init))
    }
  }

  func subscriptions(of customer: CustomerID) throws(LedgerError) -> [PurchaseRecord] {
    try context.reading { (view, _) throws(LedgerError) -> [PurchaseRecord] in
      let purchases = try view.purchases.newest(
        of: view.customers.customer(customer), limit: Self.subscriptionCountMax, where: \.isSubscription)
      return try Self.records(of: purchases, in: view)
    }
  }

  /// Returns the purchases with the fields that the stores state in addition to the ledger's fields.
  private static func records(of purchases: [Purchase], in view: LedgerView) throws(LedgerError) -> [PurchaseRecord] {
    let statements = try view.evidence.statements(about: purchases)
    return purchases.map { purchase in
      var record = PurchaseRecord(purchase)
      let stated = statements[purchase.storeTransactionID]?.transaction(in: purchase.environment)
      if let stated, stated.store == purchase.store {
        (record.offer, record.ownership) = (stated.offer, stated.ownership)
      }
      return record
    }
  }

  func purchases(of customer: CustomerID, page: Int, size: Int) throws(LedgerError) -> [PurchaseRecord] {
    try Paging.check(page: page, size: size)
    return try context.reading { (view, productIndex) throws(LedgerError) -> [PurchaseRecord] in
      let found = try view.customers.customer(customer)
      var records: [PurchaseRecord] = []
      let purchases = try view.purchases.page(page, size: size, of: found)
      for (purchase, stated) in zip(purchases, try Self.records(of: purchases, in: view)) {
        var record = stated
        if let order = try view.orders.order(paidBy: purchase) {
          let shown = try orders.order(order, isReplayed: false, in: view, productIndex)
          record.announcement = PurchaseRecord.Announcement(
            code: shown.code, status: shown.status, context: shown.request.context, bundleID: shown.bundleID,
            createdAt: shown.createdAt, updatedAt: shown.updatedAt)
        }
        records.append(record)
      }
      return records
    }
  }

  /// Returns the entitlement that the purchase gives to its owner; nil if it gives none, or another customer has it.
  func ownEntitlement(of purchase: Purchase, in view: LedgerView) throws(LedgerError) -> CustomerRecord.Entitlement? {
    try view.purchases.entitlementOfOwner(purchase).map { held in
      CustomerRecord.Entitlement(held, at: context.clock.now())
    }
  }

  /// Returns one entitlement per name: the one that lasts longest.
  private static func entitlements(_ held: [HeldEntitlement], at now: Timestamp) -> [CustomerRecord.Entitlement] {
    var best: [ByteString: CustomerRecord.Entitlement] = [:]
    for one in held {
      let (name, found) = (ByteString(one.id), CustomerRecord.Entitlement(one, at: now))
      if let known = best[name], !lasts(found, longerThan: known) { continue }
      best[name] = found
    }
    return best.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func lasts(
    _ one: CustomerRecord.Entitlement, longerThan other: CustomerRecord.Entitlement
  ) -> Bool {
    let (end, otherEnd) = (one.expiresAt?.milliseconds ?? .max, other.expiresAt?.milliseconds ?? .max)
    return (end, one.purchasedAt) > (otherEnd, other.purchasedAt)
  }
}

extension CustomerRecord.Entitlement {
  fileprivate init(_ held: HeldEntitlement, at now: Timestamp) {
    // A subscription without an end from the store gives nothing: an unknown end does not mean no end.
    let expiresAt = held.productType.isSubscription ? held.expiresAt ?? held.purchasedAt : nil
    self.init(
      id: held.id, product: held.product, store: held.store, purchasedAt: held.purchasedAt, expiresAt: expiresAt,
      isActive: expiresAt.map { $0 > now } ?? true)
  }
}

extension PurchaseRecord {
  /// Creates the record of a purchase in its present state.
  init(_ purchase: Purchase) {
    self.init(
      store: purchase.store, storeTransactionID: purchase.storeTransactionID, transactionID: purchase.transactionID,
      product: purchase.product, productType: purchase.productType, quantity: purchase.quantity,
      price: purchase.price, purchasedAt: purchase.purchasedAt, expiresAt: purchase.expiresAt,
      refundedMilliPercent: purchase.refundedMilliPercent, isSandbox: purchase.environment != .production,
      originalTransactionID: purchase.originalTransactionID, storeProductID: purchase.storeProductID)
  }

  /// Creates the record of a purchase that was just credited.
  init(_ transaction: StoreTransaction, _ product: Product, transactionID: TransactionID) {
    self.init(
      store: transaction.store, storeTransactionID: transaction.creditID, transactionID: transactionID,
      product: product.code, productType: product.type, quantity: transaction.quantity, price: transaction.price,
      purchasedAt: transaction.purchasedAt, expiresAt: transaction.expiresAt,
      isSandbox: transaction.environment != .production,
      originalTransactionID: transaction.originalID == transaction.id ? nil : transaction.originalID,
      storeProductID: transaction.storeProductID)
  }
}
