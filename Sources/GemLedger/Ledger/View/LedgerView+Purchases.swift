/// A right that a purchase gave and that a customer holds, as defined by the frozen product.
public struct HeldEntitlement: Hashable, Sendable {
  /// The right's name, such as `premium`.
  public let id: String
  /// The product that gave it.
  public let product: ProductCode
  /// How the product was sold.
  public let productType: ProductType
  /// The store of the purchase.
  public let store: Store
  /// When it was bought.
  public let purchasedAt: Timestamp
  /// When the paid period ends, for a subscription.
  public let expiresAt: Timestamp?
}

extension LedgerView {
  /// Credited store transactions, and the entitlements that they give.
  public struct Purchases {
    let ledger: Ledger
    let snapshot: any StorageSnapshot

    private func definitions() throws(LedgerError) -> CurrencyDefinitions {
      try ledger.catalog.definitions(in: snapshot)
    }

    private func purchases(of rows: some Collection<PurchaseRow>) throws(LedgerError) -> [Purchase] {
      guard !rows.isEmpty else { return [] }
      var reader = PurchaseReader(snapshot: snapshot, definitions: try definitions())
      var purchases: [Purchase] = []
      purchases.reserveCapacity(rows.count)
      for row in rows { purchases.append(try reader.purchase(row)) }
      return purchases
    }

    /// Returns the purchase that was credited for a store transaction; nil if there is none.
    public func purchase(
      store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID
    ) throws(LedgerError) -> Purchase? {
      var number: Int64? = environment.kind.rawValue
      if environment.session != nil {
        number = try snapshot.environments().first { $0.environment == environment }?.number
      }
      guard let number else { return nil }
      let identity = PurchaseIdentity(store: store, environment: number, transactionID: transactionID)
      guard let row = try snapshot.purchase(identity) else { return nil }
      var reader = PurchaseReader(snapshot: snapshot, definitions: try definitions())
      reader.know(environment, as: number)
      return try reader.purchase(row)
    }

    /// Returns the customer's purchase for a store transaction of unknown environment; nil if there is none.
    ///
    /// A store's ids are unique within an environment only, so another customer's purchase may have the same id. The
    /// search covers production first, then the sandbox, then test sessions, newest first.
    package func purchase(
      store: Store, transactionID: StoreTransactionID, of customer: KnownCustomer
    ) throws(LedgerError) -> Purchase? {
      let sessions = try snapshot.environments().map(\.environment).filter { $0.session != nil }
      for environment in [.production, .sandbox] + sessions.reversed() {
        if let found = try purchase(store: store, environment: environment, transactionID: transactionID),
          found.address.owner == customer.found.number
        {
          return found
        }
      }
      return nil
    }

    /// Returns the purchase that paid for an order; nil if none did.
    public func purchase(payingFor order: LedgerOrder) throws(LedgerError) -> Purchase? {
      guard let number = order.purchaseNumber, let row = try snapshot.purchase(number: number) else { return nil }
      return try purchases(of: CollectionOfOne(row)).first
    }

    /// Returns a page of the customer's purchases, newest credit first; pages count from 1.
    ///
    /// Credits to merged customers are included.
    public func page(_ page: Int, size: Int, of customer: KnownCustomer) throws(LedgerError) -> [Purchase] {
      let numbers = try CustomerFinder(snapshot).numbers(of: customer.found)
      return try purchases(
        of: NumberedPages.page(page, size: size, number: \.number) { (below, limit) throws(LedgerError) in
          try rows(of: numbers, below: below, limit: limit)
        })
    }

    /// Returns the customer's newest purchases of products of the wanted types, at most `limit`.
    public func newest(
      of customer: KnownCustomer, limit: Int, where isWanted: (ProductType) -> Bool
    ) throws(LedgerError) -> [Purchase] {
      let (numbers, definitions) = (try CustomerFinder(snapshot).numbers(of: customer.found), try definitions())
      var found: [PurchaseRow] = []
      var below = Int64.max
      while found.count < limit {
        let rows = try rows(of: numbers, below: below, limit: limit)
        for row in rows where isWanted(try definitions.frozenProduct(of: row).type) { found.append(row) }
        guard rows.count == limit, let last = rows.last else { break }
        below = last.number
      }
      return try purchases(of: found.prefix(limit))
    }

    /// Returns the newest purchases below a number, of all the customer's numbers in the journal.
    private func rows(
      of numbers: [CustomerNumber], below: Int64, limit: Int
    ) throws(LedgerError) -> [PurchaseRow] {
      // Reads a few rows of each customer first, and more only if the next row may be among the newest. For a hundred
      // merged customers this reads a hundred purchases in total, not a hundred of each.
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

    /// Returns the id of the owner of a purchase, following merges.
    ///
    /// - Parameters:
    ///   - purchase: A purchase of this ledger.
    ///   - asked: The id to return if it names the same customer, so that callers recognise their id.
    public func owner(of purchase: Purchase, asNamedBy asked: CustomerID) throws(LedgerError) -> CustomerID {
      guard asked != purchase.customer else { return asked }
      return try snapshot.customer(asked)?.number == purchase.address.owner ? asked : purchase.customer
    }

    /// Returns the credit of a purchase as it was booked.
    ///
    /// - Parameters:
    ///   - purchase: The purchase.
    ///   - customer: The owner's id in the answer.
    public func booking(of purchase: Purchase, customer: CustomerID) throws(LedgerError) -> Booking {
      let (number, owner) = (purchase.address.transaction, purchase.address.customer)
      guard let parts = try snapshot.notedTransactions([number], ofAny: [owner])[number]?.parts else {
        throw LedgerError(
          .storageDamaged,
          "The journal lacks transaction \(purchase.transactionID), which a purchase names; run verify.")
      }
      return try parts.booking(customer: customer, definitions: try definitions())
    }

    // MARK: Entitlements

    /// Returns the entitlements that the customer holds, including those of ended subscriptions; a purchase that was
    /// refunded in full gives none.
    public func entitlements(of customer: KnownCustomer) throws(LedgerError) -> [HeldEntitlement] {
      var held: [HeldEntitlement] = []
      for number in try CustomerFinder(snapshot).numbers(of: customer.found) {
        let entitlements = try snapshot.page(
          EntitlementRow.ofHolder, IndexKey(number), after: nil, limit: Limits.historyPage)
        for purchase in entitlements.map(\.purchase) {
          guard let row = try snapshot.purchase(number: purchase), row.refund?.share.isAll != true else { continue }
          let definitions = try definitions().frozenProduct(of: row)
          guard let id = definitions.entitlement else { continue }
          held.append(
            HeldEntitlement(
              id: id, product: row.product, productType: definitions.type, store: row.identity.store,
              purchasedAt: row.purchasedAt, expiresAt: row.expiresAt))
        }
      }
      return held
    }

    /// Returns the entitlement that the purchase gives to its owner; nil if it gives none, or another customer holds
    /// it.
    public func entitlementOfOwner(_ purchase: Purchase) throws(LedgerError) -> HeldEntitlement? {
      guard let id = purchase.entitlement, !purchase.isRefunded,
        let holder = try snapshot.entitlementHolder(purchase: purchase.address.number),
        try CustomerFinder(snapshot).survivor(of: holder).number == purchase.address.owner
      else { return nil }
      return HeldEntitlement(
        id: id, product: purchase.product, productType: purchase.productType, store: purchase.store,
        purchasedAt: purchase.purchasedAt, expiresAt: purchase.expiresAt)
    }
  }
}
