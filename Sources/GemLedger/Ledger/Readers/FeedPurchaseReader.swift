/// Finds the purchases of a page of the feed, in a bounded number of batch reads.
struct FeedPurchaseReader {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions

  /// Returns the purchases that the transactions credited or that their refunds changed, by transaction.
  func purchases(
    of transactions: some Collection<TransactionParts>
  ) throws(LedgerError) -> [TransactionNumber: FeedPurchase] {
    // Most pages of spends and grants have no purchases.
    let changes = transactions.filter { $0.row.kind == .refund || $0.row.kind == .reversedRefund }
    let refunds = try snapshot.rows(
      RefundRow.byTransaction, changes.map(Self.address).keys, by: \.transaction)
    var numbers = try credited(by: transactions.filter { $0.row.kind == .purchase })
    for (transaction, refund) in refunds { numbers[transaction] = refund.purchase }
    guard !numbers.isEmpty else { return [:] }
    let rows = try snapshot.purchases(Self.addresses(of: numbers, transactions))
    var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
    var found: [TransactionNumber: FeedPurchase] = [:]
    for (transaction, number) in numbers {
      guard let row = rows[number] else {
        throw LedgerError(.storageDamaged, "The journal lacks purchase \(number); run verify.")
      }
      let environment = try reader.environment(row.identity.environment)
      found[transaction] = FeedPurchase(
        row, try definitions.frozenProduct(of: row), environment: environment, share: refunds[transaction]?.share)
    }
    return found
  }

  /// Returns the numbers of the purchases that the transactions credited.
  private func credited(by transactions: [TransactionParts]) throws(LedgerError) -> [TransactionNumber: Int64] {
    // A lot with a separate row names its purchase.
    var lots: [TransactionNumber: RowAddress] = [:]
    for parts in transactions {
      guard let entry = parts.entries.first, let lot = parts.lots(of: entry).first else { continue }
      lots[parts.row.number] = RowAddress(lot, of: entry.account.customer)
    }
    let attributes = lots.isEmpty ? [:] : try snapshot.lotAttributes(Array(lots.values))
    var numbers = lots.compactMapValues { attributes[$0.number]?.purchase }
    // A purchase that granted no currency has no lot.
    let others = transactions.filter { numbers[$0.row.number] == nil }.map(Self.address)
    let rows = try snapshot.rows(PurchaseRow.creditedBy, others.keys, by: \.transaction)
    for (transaction, row) in rows { numbers[transaction] = row.number }
    return numbers
  }

  /// Returns the purchases with their most likely customers: a purchase is stored with its transaction's customer.
  private static func addresses(
    of purchases: [TransactionNumber: Int64], _ transactions: some Collection<TransactionParts>
  ) -> [RowAddress] {
    var customers: [Int64: CustomerNumber] = [:]
    for parts in transactions {
      guard let purchase = purchases[parts.row.number] else { continue }
      if parts.row.kind == .purchase || customers[purchase] == nil { customers[purchase] = parts.row.customer }
    }
    return customers.keys.sorted().map { RowAddress($0, of: customers[$0]) }
  }

  private static func address(_ parts: TransactionParts) -> RowAddress {
    RowAddress(parts.row.number, of: parts.row.customer)
  }
}

extension FeedPurchase {
  fileprivate init(
    _ row: PurchaseRow, _ product: CurrencyDefinitions.FrozenProduct, environment: StoreEnvironment,
    share: RefundShare?
  ) {
    self.init(
      product: row.product, productName: product.title,
      storeProductID: product.storeIDs[row.identity.store.description],
      store: row.identity.store, environment: environment, storeTransactionID: row.identity.transactionID,
      originalTransactionID: row.originalTransactionID ?? row.identity.transactionID, quantity: row.quantity,
      price: row.price, purchasedAt: row.purchasedAt, refundedMilliPercent: share?.milliPercent ?? 0)
  }
}
