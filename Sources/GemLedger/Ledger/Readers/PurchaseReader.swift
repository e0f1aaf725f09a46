/// Makes purchases from rows; reads owners and environments that several rows share only once.
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
      entitlement: product.entitlement, storeProductID: product.storeIDs[row.identity.store.description],
      quantity: row.quantity, price: row.price, purchasedAt: row.purchasedAt,
      expiresAt: row.expiresAt, refundedMilliPercent: row.refund?.share.milliPercent ?? 0,
      refundEvidenceAt: row.refund?.evidenceAt,
      address: PurchaseAddress(
        number: row.number, transaction: row.transaction, customer: row.customer, owner: owner.number))
  }

  package mutating func owner(_ number: CustomerNumber) throws(LedgerError) -> CustomerID { try ownerRow(number).id }

  private mutating func ownerRow(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    if let known = owners[number] { return known }
    let row = try CustomerFinder(snapshot).survivor(of: number)
    owners[number] = row
    return row
  }

  /// Sets the environment of a number, so that it need not be read.
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
