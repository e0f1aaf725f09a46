#if Receipts
public import GemLedger
public import StoreBackend

/// The signed receipts of a simulated store of either kind.
public enum SignedReceipts {
  /// Creates signed receipts with new keys, which are never saved.
  ///
  /// ```swift
  /// simulation.makeReceipts = SignedReceipts.withNewKeys
  /// ```
  ///
  /// - Throws: `LedgerError` with `configuration` for the App Store's production.
  @Sendable
  public static func withNewKeys(
    _ store: Store, _ environment: StoreEnvironment
  ) throws(LedgerError) -> any SimulatedReceipts {
    if store == .google { return LocalPlayReceipts(key: PlayKey(), environment: environment) }
    return try LocalReceipts(authority: LocalAuthority(), environment: environment)
  }
}
#endif
