public import GemLedger

extension PurchaseBackend {
  /// Refuses; a backend that lists orders implements this method.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  public func announcedOrders(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [Order] {
    throw LedgerError(.forbidden, "This backend lists no orders to clients.")
  }
}
