import GemLedger
import StoreBackend

#if Receipts
import StoreReceipts
#endif

/// The receipts of a simulated store of this machine: signed ones where this build has the crypto library.
enum HomeReceipts {
  /// - Parameter home: Keeps the keys, which are made on first use; nil for keys of this process alone.
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `storage_damaged`.
  static func open(
    _ store: Store, _ environment: StoreEnvironment, in home: Home?
  ) throws(LedgerError) -> any SimulatedReceipts {
    #if Receipts
    if store == .google {
      let key = try home.map { (home) throws(LedgerError) in try PlayKey(file: home.playKeyPath) } ?? PlayKey()
      return LocalPlayReceipts(key: key, environment: environment)
    }
    return try LocalReceipts(authority: authority(of: home), environment: environment)
    #else
    return try UnsignedReceipts(environment: environment)
    #endif
  }

  #if Receipts
  static func authority(of home: Home?) throws(LedgerError) -> LocalAuthority {
    try home.map { (home) throws(LedgerError) in try LocalAuthority(file: home.authorityPath) } ?? LocalAuthority()
  }
  #endif
}
