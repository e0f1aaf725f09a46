internal import Dispatch
internal import GemLedger
internal import Synchronization

/// Copies the pages of the write-ahead log into the file, beside the writer as far as possible.
///
/// SQLite does so in the commit that makes the log too long, and all callers of the ledger wait meanwhile: the more
/// customers, the more pages at random places. The passes beside the writer use a connection of their own.
final class Checkpointer: Sendable {
  // Unchecked: a connection that was taken out belongs to one pass.
  private struct State: @unchecked Sendable {
    var plan: CheckpointPlan
    var connection: SQLiteConnection?
    var isClosed = false
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "GemLedger.Checkpointer")
  private let open: @Sendable () throws(LedgerError) -> SQLiteConnection

  /// - Parameters:
  ///   - pages: The number of pages in the log at which the first pass begins.
  ///   - open: Opens a further connection to the file.
  init(pages: Int, open: @escaping @Sendable () throws(LedgerError) -> SQLiteConnection) {
    state = Mutex(State(plan: CheckpointPlan(limit: pages)))
    self.open = open
  }

  /// Begins a pass after a commit, or makes one, if the log is long enough.
  ///
  /// The commit is durable already, and a pass that fails changes nothing: a later one begins where it did.
  func checkpointIfNeeded(after writer: SQLiteConnection) {
    switch state.withLock({ $0.plan.step(pages: writer.logPages) }) {
    case .nothing: return
    case .inCommit:
      _ = writer.checkpoint()
      state.withLock { $0.plan.endInCommit() }
    case .beside:
      // The writer's thread goes on to use its connection; the pass only compares the files.
      let files = writer.files
      queue.async { self.run(files) }
    }
  }

  /// Makes a pass beside the writer.
  ///
  /// - Parameter files: The writer's files. Those of another log would be copied over the pages of this one.
  private func run(_ files: OpenFiles?) {
    let known = state.withLock { state in
      defer { state.connection = nil }
      return state.connection
    }
    let connection = known ?? (try? open())
    let isSame = if let files, let own = connection?.files { own.areSame(as: files) } else { false }
    let progress = isSame ? connection?.checkpoint() : nil
    state.withLock { state in
      state.plan.endBeside(progress)
      if isSame, !state.isClosed { state.connection = connection }
    }
  }

  /// Waits for a running pass and closes the connection; the writer makes no commit any more.
  func close() {
    state.withLock { $0.isClosed = true }
    queue.sync {}
    state.withLock { $0.connection = nil }
  }
}
