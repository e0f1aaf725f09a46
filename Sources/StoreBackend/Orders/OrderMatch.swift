internal import GemLedger

/// Finds the announced order that a purchase pays for, if the client does not name it; pure.
enum OrderMatch {
  /// The largest lag of the store's clock at which a purchase still counts as made after its order.
  static let skewMilliseconds: Int64 = 300_000

  /// Finds the last order announced before the purchase with the same product, store and quantity.
  ///
  /// An order that was not cancelled takes precedence, even after its deadline: a consent may take days. A cancelled
  /// order counts until its deadline: stores report some payments as cancelled although they are made later.
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

  /// Returns whether the transaction matches the order's announcement, and the order is unpaid.
  static func fits(_ order: LedgerOrder, _ transaction: StoreTransaction, as product: ProductCode) -> Bool {
    !order.isPaid && isAnnouncement(order, of: transaction, as: product)
  }

  /// Returns whether the transaction matches the order's announcement.
  static func isAnnouncement(_ order: LedgerOrder, of transaction: StoreTransaction, as product: ProductCode) -> Bool {
    order.store == transaction.store && order.product == product && order.quantity == transaction.quantity
  }

  /// The lowest rank is the best.
  private static func rank(_ order: LedgerOrder, _ purchasedAt: Timestamp) -> (Int, Int, Int64) {
    let isBefore = order.createdAt <= purchasedAt
    return (order.state == .pending ? 0 : 1, isBefore ? 0 : 1, isBefore ? -order.number : order.number)
  }
}
