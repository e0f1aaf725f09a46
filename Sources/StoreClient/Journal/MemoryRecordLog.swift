internal import Synchronization

/// Records that live as long as the process: for tests, and for those who want nothing kept.
public final class MemoryRecordLog: RecordJournal {
  private struct State {
    var records: [String]
    var appendCount = 0
  }

  private let state: Mutex<State>

  /// A journal that holds these records already.
  public init(_ records: [String] = []) { state = Mutex(State(records: records)) }

  /// How often something was appended: how many syncs a file would have needed.
  public var appendCount: Int { state.withLock { $0.appendCount } }

  /// All records, oldest first.
  public func records() -> [String] { state.withLock { $0.records } }

  /// Appends the records.
  public func append(_ records: [String]) {
    guard !records.isEmpty else { return }
    state.withLock {
      $0.records += records
      $0.appendCount += 1
    }
  }

  /// Puts these records in the place of all others.
  public func compact(to records: [String]) { state.withLock { $0.records = records } }
}
