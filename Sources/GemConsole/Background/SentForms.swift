#if Server
internal import GemLedger
internal import Synchronization

/// The confirmed forms, so that a double click makes one change also where the ledger has no key for it.
///
/// They are in memory, as the sessions are: a form of an earlier process of the server is refused.
final class SentForms: Sendable {
  /// The number of forms after which the oldest are forgotten.
  private static let countMax = 10_000

  private let names = Mutex<(newest: Set<String>, older: Set<String>)>(([], []))

  static let sentBefore = LedgerError(
    .conditionFailed, "This form was sent before, and was taken the first time. Nothing was done twice.")

  /// Returns whether a form of this name was confirmed.
  func contains(_ name: String) -> Bool {
    names.withLock { $0.newest.contains(name) || $0.older.contains(name) }
  }

  /// - Throws: `LedgerError` with `condition_failed` if a form of this name was confirmed.
  func take(_ name: String) throws(LedgerError) {
    let isFirst = names.withLock { names in
      guard !names.older.contains(name), names.newest.insert(name).inserted else { return false }
      if names.newest.count >= Self.countMax { names = ([], names.newest) }
      return true
    }
    guard isFirst else { throw Self.sentBefore }
  }

  /// Forgets a form whose change failed.
  func giveBack(_ name: String) {
    names.withLock { names in
      names.newest.remove(name)
      names.older.remove(name)
    }
  }
}
#endif
