public import GemLedger

extension PurchaseBackend {
  /// Refuses; a backend that sells items to clients implements this method.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  public func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    throw LedgerError(
      .forbidden, "This backend sells no items to clients; buy \"\(item)\" through a server.",
      details: [.text("item_id", item.text)])
  }
}
