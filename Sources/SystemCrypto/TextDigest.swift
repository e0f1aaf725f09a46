#if Receipts
internal import Synchronization

/// The SHA-256 of texts, with one hasher for all callers.
package enum TextDigest {
  // Kept, since a new hasher looks up the algorithm.
  private static let hasher = Mutex(Crypto.Hasher())

  package static func sha256(of text: String) -> [UInt8] {
    hasher.withLock { $0.digest(of: text) }.withBytes { Array($0) }
  }
}
#endif
