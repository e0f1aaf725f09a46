internal import GemLedger
internal import Synchronization

/// The number of commands and of the commits that contained them.
final class CommitCounter: Sendable {
  private let counts = Mutex((commands: 0, commits: 0))

  func add(_ commands: Int) {
    counts.withLock {
      $0.commands += commands
      $0.commits += 1
    }
  }

  var commandsPerCommit: Double { counts.withLock { Double($0.commands) / Double(max(1, $0.commits)) } }
}

/// A storage that counts the commits of the storage that it wraps.
final class CountingStorage<Storage: LedgerStorage>: LedgerStorage {
  private let storage: Storage
  private let counter: CommitCounter

  init(_ storage: Storage, _ counter: CommitCounter) {
    self.storage = storage
    self.counter = counter
  }

  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  func commit<R>(lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> R in
      let before = try session.sequences().transaction
      let answer = try body(session)
      counter.add(Int(try session.sequences().transaction - before))
      return answer
    }
  }

  func close() { storage.close() }
}
