#if Receipts
internal import GemLedger
internal import Synchronization
internal import SystemCrypto

/// The chains that signed something lately, by the header that they came in: checking one costs thirty times as much as
/// checking a signature.
///
/// Only a header whose signature was good is kept, so that strangers can neither fill the cache nor empty it.
final class ChainCache: Sendable {
  struct Entry: Sendable {
    let key: Crypto.VerifyingKey
    let validity: Validity
  }

  /// Entries at most; a store has one chain at a time, and a few old ones in receipts that come late.
  private static let entryCountMax = 32

  /// The last used one is first.
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
