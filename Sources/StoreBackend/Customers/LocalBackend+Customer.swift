public import GemLedger

extension LocalBackend {
  /// What is known of the customer; one who was not known comes into being.
  ///
  /// Entitlements are those of the purchases' terms as they were: a non-consumable's for ever, a subscription's until
  /// its period ends; a purchase that was refunded in full gives none.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    _ = try await register(customer)
    return try knownCustomer(customer)
  }

  /// What is known of the customer, as ``customer(_:)`` tells it; makes nobody, and takes what is left of an erased id.
  ///
  /// - Throws: `LedgerError` with `customer_not_found`.
  public func knownCustomer(_ customer: CustomerID) throws(LedgerError) -> CustomerRecord {
    let now = clock.now()
    return try reading { (snapshot, shelf) throws(LedgerError) -> CustomerRecord in
      let found = try Self.find(customer, in: snapshot)
      guard let row = try snapshot.customer(number: found.number) else { throw .customerNotFound(customer) }
      let numbers = try Ledger.numbers(of: found, in: snapshot)
      return CustomerRecord(
        customer: customer, originalID: row.id, ids: try Ledger.ids(of: row, in: snapshot),
        firstSeenAt: row.createdAt, asOf: now,
        entitlements: try Self.entitlements(of: numbers, at: now, in: snapshot, shelf),
        nonSubscriptions: try self.nonSubscriptions(of: numbers, in: snapshot, shelf))
    }
  }

  /// The customer's credited purchases with the orders that they paid for, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try Paging.check(page: page, size: size)
    return try reading { (snapshot, shelf) throws(LedgerError) -> [PurchaseRecord] in
      let numbers = try Ledger.numbers(of: try Self.find(customer, in: snapshot), in: snapshot)
      let rows = try Paging.page(page, size: size, start: Int64.max) {
        (below, limit) throws(LedgerError) -> (rows: [PurchaseRow], last: Int64?) in
        let rows = try Self.purchases(of: numbers, below: below, limit: limit, in: snapshot)
        return (rows, rows.last?.number)
      }
      var records = try self.records(rows, snapshot, shelf)
      for (index, row) in rows.enumerated() {
        records[index].announcement = try self.announcement(of: row, in: snapshot)
      }
      return records
    }
  }

  private func announcement(
    of row: PurchaseRow, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> PurchaseRecord.Announcement? {
    guard let order = try snapshot.order(purchase: row.number) else { return nil }
    let shown = try self.order(order, isReplayed: false, in: snapshot)
    return PurchaseRecord.Announcement(code: shown.code, status: shown.status, context: shown.request.context)
  }

  static func find(_ id: CustomerID, in snapshot: any StorageSnapshot) throws(LedgerError) -> FoundCustomer {
    guard let found = try snapshot.customer(id) else { throw .customerNotFound(id) }
    return found
  }

  /// The newest purchases below a number, of all the numbers under which the journal knows a customer.
  private static func purchases(
    of numbers: [CustomerNumber], below: Int64, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [PurchaseRow] {
    // Few of each at first, and more only of those whose next may be among the newest: of a hundred customers who
    // became one, a hundred purchases are read and not a hundred each.
    var open = numbers.map { (number: $0, below: below) }
    var count = max(1, limit / max(1, numbers.count))
    var newest: [PurchaseRow] = []
    while !open.isEmpty {
      var left: [(number: CustomerNumber, below: Int64)] = []
      for source in open {
        let rows = try snapshot.purchases(of: source.number, below: source.below, limit: count)
        newest += rows
        if rows.count == count, let last = rows.last { left.append((source.number, last.number)) }
      }
      if numbers.count > 1 { newest.sort { $0.number > $1.number } }
      if newest.count > limit { newest.removeSubrange(limit...) }
      let oldest = newest.count == limit ? newest.last?.number ?? .min : .min
      open = left.filter { $0.below > oldest }
      count = min(limit, 2 * count)
    }
    return newest
  }

  private func records(
    _ rows: [PurchaseRow], _ snapshot: any StorageSnapshot, _ shelf: Shelf
  ) throws(LedgerError) -> [PurchaseRecord] {
    var records: [PurchaseRecord] = []
    records.reserveCapacity(rows.count)
    for row in rows { records.append(try record(row, snapshot, shelf)) }
    return records
  }

  private func nonSubscriptions(
    of numbers: [CustomerNumber], in snapshot: any StorageSnapshot, _ shelf: Shelf
  ) throws(LedgerError) -> [PurchaseRecord] {
    var found: [PurchaseRow] = []
    var below = Int64.max
    while found.count < Self.nonSubscriptionCountMax {
      let rows = try Self.purchases(of: numbers, below: below, limit: Self.nonSubscriptionCountMax, in: snapshot)
      for row in rows where try !shelf.terms(of: row).type.isSubscription { found.append(row) }
      guard rows.count == Self.nonSubscriptionCountMax, let last = rows.last else { break }
      below = last.number
    }
    return try records(Array(found.prefix(Self.nonSubscriptionCountMax)), snapshot, shelf)
  }

  private static let nonSubscriptionCountMax = 100
}

// MARK: Entitlements

extension LocalBackend {
  /// One entitlement a name: of several purchases that give it, the one that lasts longest.
  private static func entitlements(
    of numbers: [CustomerNumber], at now: Timestamp, in snapshot: any StorageSnapshot, _ shelf: Shelf
  ) throws(LedgerError) -> [CustomerRecord.Entitlement] {
    var best: [ByteString: CustomerRecord.Entitlement] = [:]
    for number in numbers {
      for purchase in try snapshot.entitlements(of: number, below: .max, limit: Limits.historyPage) {
        guard let row = try snapshot.purchase(number: purchase),
          let found = try entitlement(of: row, at: now, shelf)
        else { continue }
        let name = ByteString(found.id)
        if let known = best[name], !lasts(found, longerThan: known) { continue }
        best[name] = found
      }
    }
    return best.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The right that the purchase gives whom it was credited to; nil where another customer has it.
  func ownEntitlement(
    of row: PurchaseRow, _ snapshot: any StorageSnapshot, _ shelf: Shelf
  ) throws(LedgerError) -> CustomerRecord.Entitlement? {
    guard let found = try Self.entitlement(of: row, at: clock.now(), shelf),
      let holder = try snapshot.entitlementHolder(purchase: row.number),
      try snapshot.survivor(of: holder).number == snapshot.survivor(of: row.customer).number
    else { return nil }
    return found
  }

  private static func entitlement(
    of row: PurchaseRow, at now: Timestamp, _ shelf: Shelf
  ) throws(LedgerError) -> CustomerRecord.Entitlement? {
    let product = try shelf.terms(of: row)
    guard let id = product.entitlement, row.refund?.share.isAll != true else { return nil }
    // A subscription whose store does not say when it ends gives nothing: unknown is not for ever.
    let expiresAt = product.type.isSubscription ? row.expiresAt ?? row.purchasedAt : nil
    return CustomerRecord.Entitlement(
      id: id, product: row.product, store: row.identity.store, purchasedAt: row.purchasedAt, expiresAt: expiresAt,
      isActive: expiresAt.map { $0 > now } ?? true)
  }

  private static func lasts(
    _ one: CustomerRecord.Entitlement, longerThan other: CustomerRecord.Entitlement
  ) -> Bool {
    let (end, otherEnd) = (one.expiresAt?.milliseconds ?? .max, other.expiresAt?.milliseconds ?? .max)
    return (end, one.purchasedAt) > (otherEnd, other.purchasedAt)
  }
}
