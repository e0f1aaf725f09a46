public import GemLedger

/// Small values under names, as a keychain keeps them: each is written and removed as a whole.
///
/// `SystemKeychain` is Apple's. Every call throws `LedgerError` with `input_output` where the keychain refuses, as it
/// does before the first unlock of a device.
public protocol KeychainValues: Sendable {
  /// The value under the name, or nil where there is none.
  func read(_ name: String) throws(LedgerError) -> [UInt8]?
  /// Writes the value, new or in place of the one before; it is durable when this returns.
  func write(_ value: [UInt8], to name: String) throws(LedgerError)
  /// Removes the value; a name without one is no error.
  func remove(_ name: String) throws(LedgerError)
  /// All names that begin with this, in any order.
  func names(from prefix: String) throws(LedgerError) -> [String]
}
