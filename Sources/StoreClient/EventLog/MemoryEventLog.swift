internal import Synchronization

/// Records that last as long as the process: for tests, and for clients without storage.
public final class MemoryEventLog: EventLog {
  private struct State {
    var records: [String]
    var appendCount = 0
  }

  private let state: Mutex<State>

  /// Creates an event log with these records.
  public init(_ records: [String] = []) { state = Mutex(State(records: records)) }

  /// The number of appends: the number of syncs that a file would have needed.
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

  /// Replaces all records by these.
  public func compact(to records: [String]) { state.withLock { $0.records = records } }
}
