#if Server
internal import GemLedger
internal import Synchronization

/// The confirmed forms, so that a double click makes one change also where the ledger has no key for it.
///
/// They are in memory, as the sessions are: a form of an earlier process of the server is refused.
final class SentForms: Sendable {
  /// The number of forms after which the oldest are forgotten.
  private static let countMax = 10_000

  private let keys = Mutex<(newest: Set<IdempotencyKey>, older: Set<IdempotencyKey>)>(([], []))

  static let sentBefore = LedgerError(
    .conditionFailed, "This form was sent before, and was taken the first time. Nothing was done twice.")

  /// Returns whether a form with this key was confirmed.
  func contains(_ key: IdempotencyKey) -> Bool {
    keys.withLock { $0.newest.contains(key) || $0.older.contains(key) }
  }

  /// - Throws: `LedgerError` with `condition_failed` if a form with this key was confirmed.
  func take(_ key: IdempotencyKey) throws(LedgerError) {
    let isFirst = keys.withLock { keys in
      guard !keys.older.contains(key), keys.newest.insert(key).inserted else { return false }
      if keys.newest.count >= Self.countMax { keys = ([], keys.newest) }
      return true
    }
    guard isFirst else { throw Self.sentBefore }
  }

  /// Forgets a form whose change failed.
  func giveBack(_ key: IdempotencyKey) {
    keys.withLock { keys in
      keys.newest.remove(key)
      keys.older.remove(key)
    }
  }
}
#endif
