internal import GemLedger

/// Finds the sales of single items, transaction by transaction.
struct SaleWalk {
  /// A sale of an item, or the return of a part of it.
  struct Sale {
    let item: ItemID
    /// The change of the owned units; 0 for the return of a part of the price.
    let quantity: Int64
    /// The sale that a reversal undoes.
    var original: TransactionRow?
  }

  private let snapshot: any StorageSnapshot
  private var items: SortedRows<ItemEntryRow>
  private var current: (transaction: TransactionNumber, sale: Sale?) = (0, nil)

  init(snapshot: any StorageSnapshot, scan: any StorageScan) {
    self.snapshot = snapshot
    items = SortedRows(scan, \.transaction, after: 0)
  }

  /// Returns the transaction's sale if it is of exactly one item; transactions must ascend from call to call.
  mutating func sale(of transaction: TransactionRow) throws(LedgerError) -> Sale? {
    if current.transaction != transaction.number {
      current = (transaction.number, try find(transaction))
    }
    return current.sale
  }

  private mutating func find(_ transaction: TransactionRow) throws(LedgerError) -> Sale? {
    var own: [ItemEntryRow] = []
    while let item = try items.take(transaction.number) { own.append(item) }
    if transaction.kind == .reversal { return try reversed(by: transaction, own) }
    return own.count == 1 ? Sale(item: own[0].item, quantity: own[0].quantity) : nil
  }

  /// Reversals are rare, and each is looked up separately.
  private func reversed(by reversal: TransactionRow, _ own: [ItemEntryRow]) throws(LedgerError) -> Sale? {
    let events = try snapshot.events(of: [RowAddress(reversal.number, of: reversal.customer)])
    guard let target = events[reversal.number]?.first(where: { $0.kind == .reversal })?.target,
      let original = try snapshot.transaction(target)
    else { throw .lacksTransaction(reversal.number) }
    let key = IndexKey(target, original.firstEntry, of: original.customer)
    let sold: [ItemEntryRow] = try snapshot.rows(ItemEntryRow.ofTransaction, [key])
    guard sold.count == 1 else { return nil }
    return Sale(item: sold[0].item, quantity: own.first?.quantity ?? 0, original: original)
  }
}
