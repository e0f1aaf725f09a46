extension Ledger {
  /// Returns a page of a customer's credits for store transactions, newest credit first.
  ///
  /// Credits to merged customers are included.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - cursor: Where the page before ended; nil for the newest.
  ///   - limit: 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, `invalid_request`
  ///   for a cursor that this list did not give.
  public func purchases(
    of customer: CustomerID, before cursor: PageCursor? = nil, limit: Int = 100
  ) throws(LedgerError) -> PurchasesPage {
    try Self.check(limit: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> PurchasesPage in
      let found = try Self.customer(customer, in: snapshot)
      // A list of its own beside the histories, which have positive numbers, and the list of customers.
      let list = -1 - found.number
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: list, salt: salt) ?? .max
      var rows: [PurchaseRow] = []
      for number in try Self.numbers(of: found, in: snapshot) {
        rows += try snapshot.purchases(of: number, below: start, limit: limit + 1)
      }
      rows.sort { $0.number > $1.number }
      var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
      var purchases: [Purchase] = []
      for row in rows.prefix(limit) { purchases.append(try reader.purchase(row)) }
      let next = rows.count > limit ? PageCursor(position: rows[limit - 1].number, list: list, salt: salt) : nil
      return PurchasesPage(purchases: purchases, next: next)
    }
  }

  /// Returns the purchase that was credited for a store transaction; nil where there is none.
  ///
  /// - Throws: ``LedgerError`` where the storage fails.
  public func purchase(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID
  ) throws(LedgerError) -> Purchase? {
    try view { (view) throws(LedgerError) -> Purchase? in
      try view.purchases.purchase(store: store, environment: environment, transactionID: transactionID)
    }
  }
}

/// Makes purchases of rows; reads owners and environments that several rows share once.
package struct PurchaseReader {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  private var owners: [CustomerNumber: CustomerRow] = [:]
  private var known: (number: Int64, environment: StoreEnvironment)?
  private var environments: [Int64: StoreEnvironment]?

  package init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) {
    self.snapshot = snapshot
    self.definitions = definitions
  }

  package mutating func purchase(_ row: PurchaseRow) throws(LedgerError) -> Purchase {
    guard let transaction = try snapshot.transaction(row.transaction, of: row.customer) else {
      throw LedgerError(
        .storageDamaged, "The journal lacks transaction \(row.transaction), which a purchase names; run verify.")
    }
    let product = try definitions.frozenProduct(of: row)
    let owner = try ownerRow(row.customer)
    return Purchase(
      store: row.identity.store, environment: try environment(row.identity.environment),
      storeTransactionID: row.identity.transactionID,
      originalTransactionID: row.originalTransactionID ?? row.identity.transactionID,
      transactionID: definitions.transactionIDs.id(number: row.transaction, createdAt: transaction.createdAt),
      customer: owner.id, product: row.product, productType: product.type,
      entitlement: product.entitlement, quantity: row.quantity, price: row.price, purchasedAt: row.purchasedAt,
      expiresAt: row.expiresAt, refundedMilliPercent: row.refund?.share.milliPercent ?? 0,
      refundEvidenceAt: row.refund?.evidenceAt,
      address: PurchaseAddress(
        number: row.number, transaction: row.transaction, customer: row.customer, owner: owner.number))
  }

  package mutating func owner(_ number: CustomerNumber) throws(LedgerError) -> CustomerID { try ownerRow(number).id }

  private mutating func ownerRow(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    if let known = owners[number] { return known }
    let row = try snapshot.survivor(of: number)
    owners[number] = row
    return row
  }

  /// The environment with the number, so that it need not be read.
  mutating func know(_ environment: StoreEnvironment, as number: Int64) { known = (number, environment) }

  package mutating func environment(_ number: Int64) throws(LedgerError) -> StoreEnvironment {
    if number < EnvironmentRow.firstDrawnNumber, let kind = StoreEnvironment.Kind(rawValue: number) {
      return StoreEnvironment(kind: kind, session: nil)
    }
    if let known, known.number == number { return known.environment }
    if environments == nil {
      environments = Dictionary(
        try snapshot.environments().map { ($0.number, $0.environment) }, uniquingKeysWith: { first, _ in first })
    }
    guard let environment = environments?[number] else {
      throw LedgerError(.storageDamaged, "Environment number \(number) has no row; run verify.")
    }
    return environment
  }
}
