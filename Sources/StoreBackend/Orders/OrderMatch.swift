internal import GemLedger

/// Which announced order a purchase pays for, where the client does not say; pure.
enum OrderMatch {
  /// How far the store's clock may be behind the backend's for a purchase to count as made after its order.
  static let skewMilliseconds: Int64 = 300_000

  /// Finds the last order announced before the purchase with the same product, store and quantity.
  ///
  /// An order that was not cancelled comes first, even after its deadline: a consent may take days. A cancelled order
  /// counts until its deadline: stores report some payments as cancelled that are made all the same.
  static func best(of orders: [LedgerOrder], for transaction: StoreTransaction, as product: ProductCode) -> LedgerOrder?
  {
    let purchasedAt = transaction.purchasedAt
    let fitting = orders.filter { order in
      fits(order, transaction, as: product)
        && order.createdAt.milliseconds <= purchasedAt.milliseconds + skewMilliseconds
        && (order.state == .pending || order.state == .failed && purchasedAt <= order.deadline)
    }
    return fitting.min { rank($0, purchasedAt) < rank($1, purchasedAt) }
  }

  /// Whether the transaction is what the order announced, and nothing has paid for the order yet.
  static func fits(_ order: LedgerOrder, _ transaction: StoreTransaction, as product: ProductCode) -> Bool {
    !order.isPaid && isAnnouncement(order, of: transaction, as: product)
  }

  /// Whether the transaction is what the order announced.
  static func isAnnouncement(_ order: LedgerOrder, of transaction: StoreTransaction, as product: ProductCode) -> Bool {
    order.store == transaction.store && order.product == product && order.quantity == transaction.quantity
  }

  /// The least is the best.
  private static func rank(_ order: LedgerOrder, _ purchasedAt: Timestamp) -> (Int, Int, Int64) {
    let isBefore = order.createdAt <= purchasedAt
    return (order.state == .pending ? 0 : 1, isBefore ? 0 : 1, isBefore ? -order.number : order.number)
  }
}
