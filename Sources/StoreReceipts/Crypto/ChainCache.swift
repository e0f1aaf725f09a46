#if Receipts
internal import GemLedger
internal import Synchronization
internal import SystemCrypto

/// Recently used certificate chains, by their token headers: checking a chain costs thirty times as much as checking a
/// signature.
///
/// Only headers with a valid signature are cached, so that strangers can neither fill nor empty the cache.
final class ChainCache: Sendable {
  struct Entry: Sendable {
    let key: Crypto.VerifyingKey
    let validity: Validity
  }

  /// The maximum number of entries; a store has one chain at a time, and a few old chains in late receipts.
  private static let entryCountMax = 32

  /// The most recently used entry is first.
  private let entries = Mutex<[(header: [UInt8], entry: Entry)]>([])

  func entry(for header: [UInt8]) -> Entry? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.header == header }) else { return nil }
      if index > 0 { entries.insert(entries.remove(at: index), at: 0) }
      return entries[0].entry
    }
  }

  func keep(_ entry: Entry, for header: [UInt8]) {
    entries.withLock { entries in
      guard !entries.contains(where: { $0.header == header }) else { return }
      entries.insert((header, entry), at: 0)
      if entries.count > Self.entryCountMax { entries.removeLast() }
    }
  }
}
#endif
