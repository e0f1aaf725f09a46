/// Hashes a key with its principal, for tables in memory; differs from process to process.
package enum KeyHash {
  /// - Parameter hash: The hash of the key, which its command knows.
  @inline(__always)
  package static func of(_ hash: Int, customer: CustomerNumber) -> Int {
    let mixed = UInt64(bitPattern: Int64(hash)) ^ (UInt64(bitPattern: customer) &* 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}
