internal import Dispatch
internal import Synchronization

/// Finds the lanes of commands with customers that are not known here yet: all waiting commands in one query.
final class RouteFinder: Sendable {
  private typealias Answer = Result<[Int], LedgerError>

  private struct State {
    var waiting: [(command: LedgerCommand, continuation: CheckedContinuation<Answer, Never>)] = []
    /// A query runs, or is about to.
    var isBusy = false
  }

  private let state = Mutex(State())
  // A query waits for another machine, and must not block a task's thread.
  private let worker = DispatchQueue(label: "GemLedger.RouteFinder")
  private let storage: any LedgerStorage

  init(storage: any LedgerStorage) { self.storage = storage }

  func lanes(of command: LedgerCommand) async throws(LedgerError) -> [Int] {
    if let known = storage.knownLanes(of: command) { return known }
    let answer = await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.waiting.append((command, continuation))
        defer { state.isBusy = true }
        return !state.isBusy
      }
      if isIdle { worker.async { self.ask() } }
    }
    return try answer.get()
  }

  /// Queries until no command waits.
  private func ask() {
    while true {
      let waiting = state.withLock { state in
        let waiting = state.waiting
        state.waiting = []
        state.isBusy = !waiting.isEmpty
        return waiting
      }
      if waiting.isEmpty { return }
      for (waiter, answer) in zip(waiting, storage.routes(of: waiting.map(\.command))) {
        waiter.continuation.resume(returning: answer)
      }
    }
  }
}

extension LedgerStorage {
  /// The lanes of each command, found in one read; a damaged row fails only its command.
  func routes(of commands: [LedgerCommand]) -> [Result<[Int], LedgerError>] {
    do throws(LedgerError) {
      return try lanes(of: commands).map { .success($0) }
    } catch {
      guard error.code == .storageDamaged, commands.count > 1 else { return commands.map { _ in .failure(error) } }
      let middle = commands.count / 2
      return routes(of: Array(commands[..<middle])) + routes(of: Array(commands[middle...]))
    }
  }
}
