/// Hashes a key with its principal, for tables in memory; differs from process to process.
package enum KeyHash {
  @inline(__always)
  package static func of(_ key: IdempotencyKey, customer: CustomerNumber) -> Int {
    ByteHash.of(key.text, salt: UInt64(bitPattern: customer))
  }
}
