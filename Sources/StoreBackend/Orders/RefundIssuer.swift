public import GemLedger

/// Refunds purchases at their stores, if a store lets its sellers do so.
public protocol RefundIssuer: Sendable {
  /// Requests a full refund of a purchase from its store.
  ///
  /// The call may be repeated for one purchase, for example if the process ended before the refund was booked.
  ///
  /// - Returns: The store's refunded transaction, from verified evidence; nil if a later notice of the store will
  ///   report it.
  /// - Throws: `LedgerError` with `not_available` if this store has no refunds for sellers, so that a person has to
  ///   decide; any other code if a later call may succeed.
  func refund(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction?
}
