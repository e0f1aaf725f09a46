package import GemLedger
internal import Synchronization

/// When a process dies: at which of its steps, and on which side of it.
package final class CrashPoint: Sendable {
  package enum Side: CaseIterable { case before, after }

  private struct State {
    var step = 0
    var deaths: [Int: Side] = [:]
    var isDead = false
  }

  package static let death = LedgerError(.storageUnavailable, "The process died.")
  private let state = Mutex(State())

  package init() {}

  /// Counts steps from here; the process dies at the given steps only.
  package func begin(deaths: [Int: Side] = [:]) { state.withLock { $0 = State(deaths: deaths) } }
  package var stepCount: Int { state.withLock { $0.step } }
  package var isDead: Bool { state.withLock { $0.isDead } }

  /// Whether to die behind the step that begins.
  package func enter() throws(LedgerError) -> Bool {
    let side = try state.withLock { (state) throws(LedgerError) -> Side? in
      guard !state.isDead else { throw Self.death }
      defer { state.step += 1 }
      return state.deaths[state.step]
    }
    if side == .before { throw die() }
    return side == .after
  }

  package func die() -> LedgerError {
    state.withLock { $0.isDead = true }
    return Self.death
  }
}

/// A storage that counts its commits as steps of a process that may die.
package final class CrashingStorage: LedgerStorage {
  // The storage of the rows, as the living process has it open.
  private let current: Mutex<any LedgerStorage>
  private let open: (@Sendable () throws -> any LedgerStorage)?
  private let crashPoint: CrashPoint

  /// In memory, which outlives its processes.
  package init(crashPoint: CrashPoint) {
    current = Mutex(MemoryStorage(project: ProjectRow(salt: 1, createdAt: Timestamp(milliseconds: 0))))
    open = nil
    self.crashPoint = crashPoint
  }

  /// - Parameter open: Opens the storage of the rows, as each new process does.
  package init(crashPoint: CrashPoint, open: @escaping @Sendable () throws -> any LedgerStorage) throws {
    current = Mutex(try open())
    self.open = open
    self.crashPoint = crashPoint
  }

  /// Opens the storage again, as the next process does.
  package func startAgain() throws {
    guard let open else { return }
    storage.close()
    let opened = try open()
    current.withLock { $0 = opened }
  }

  private var storage: any LedgerStorage { current.withLock { $0 } }

  package var traits: StorageTraits { storage.traits }

  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    try storage.lanes(of: commands)
  }

  package func knownLanes(of command: LedgerCommand) -> [Int]? { storage.knownLanes(of: command) }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let dies = try crashPoint.enter()
    let answer = try storage.commit(lanes: lanes, body)
    if dies { throw crashPoint.die() }
    return answer
  }

  package func close() { storage.close() }
}
