public import GemLedger

/// Refunds purchases at their stores, where a store lets its sellers do so.
public protocol RefundIssuer: Sendable {
  /// Has the store give the money of a purchase back, all of it.
  ///
  /// The same purchase may come several times, for instance when the process ended before the refund was booked.
  ///
  /// - Returns: The store's word on the purchase with the refund, from verified evidence; nil where a notice of the
  ///   store is to bring it.
  /// - Throws: `LedgerError` with `not_available` where this store refunds nothing for sellers, so that a person has to
  ///   look; any other code where a later call may succeed.
  func refund(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction?
}
