package import GemLedger
internal import Synchronization

/// Counts genuine receipts of apps and environments that are not credited, by app or environment, in this process.
///
/// Every app developer can make such receipts, so the ledger stores only a few of each, but this counts all of them.
package final class ForeignReceipts: Sendable {
  /// The key of a count.
  package struct Key: Hashable, Sendable {
    /// `app` or `environment`.
    package let reason: HoldReason
    /// The app or the environment; empty for all values after the first ``valuesMax``.
    package let value: String
  }

  /// The maximum number of apps and environments with separate counts.
  package static let valuesMax = 100

  private let kept = Mutex<[Key: Int64]>([:])

  /// The counts, the largest first.
  package var counts: [(key: Key, count: Int64)] {
    kept.withLock { $0 }.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0.value) < ($0.1, $1.0.value) }
  }

  func add(_ reason: HoldReason, _ value: String) {
    kept.withLock { kept in
      let key = Key(reason: reason, value: value)
      let isKnown = kept[key] != nil || kept.count < Self.valuesMax
      kept[isKnown ? key : Key(reason: reason, value: ""), default: 0] += 1
    }
  }
}
