/// Hashes a key with its principal, for tables in memory; differs from process to process.
package enum KeyHash {
  package static func of(_ key: IdempotencyKey, customer: CustomerNumber) -> Int {
    var hasher = Hasher()
    hasher.combine(customer)
    hasher.combine(key)
    return hasher.finalize()
  }
}
