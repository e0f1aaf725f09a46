public import GemLedger

/// Small values with names, as a keychain keeps them: each is written and removed as a whole.
///
/// `SystemKeychain` is Apple's keychain. Every call throws `LedgerError` with `input_output` if the keychain refuses,
/// for example before the first unlock of a device.
public protocol KeychainValues: Sendable {
  /// Returns the value with the name; nil if there is none.
  func read(_ name: String) throws(LedgerError) -> [UInt8]?
  /// Writes a new value or replaces it; it is durable when this returns.
  func write(_ value: [UInt8], to name: String) throws(LedgerError)
  /// Removes the value; a missing value is no error.
  func remove(_ name: String) throws(LedgerError)
  /// Returns all names with this prefix, in any order.
  func names(from prefix: String) throws(LedgerError) -> [String]
}
