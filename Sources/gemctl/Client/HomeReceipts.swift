import GemLedger
import StoreBackend

#if Receipts
import StoreReceipts
#endif

/// The receipts of a simulated store on this machine, signed if this build has the crypto library.
enum HomeReceipts {
  /// - Parameter home: Keeps the keys, which are made on first use; nil for keys of this process alone.
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `storage_damaged`.
  static func open(
    _ store: Store, _ environment: StoreEnvironment, in home: Home?
  ) throws(LedgerError) -> any SimulatedReceipts {
    #if Receipts
    guard let home else { return try SignedReceipts.withNewKeys(store, environment) }
    if store == .google {
      return LocalPlayReceipts(key: try PlayKey(file: home.playKeyPath), environment: environment)
    }
    return try LocalReceipts(authority: LocalAuthority(file: home.authorityPath), environment: environment)
    #else
    return try UnsignedReceipts(environment: environment)
    #endif
  }
}
