internal import Dispatch
internal import Synchronization

/// Finds the lanes of commands whose customers are not known here yet: all that wait at the same time in one question.
final class RouteFinder: Sendable {
  private typealias Answer = Result<[Int], LedgerError>

  private struct State {
    var waiting: [(command: LedgerCommand, continuation: CheckedContinuation<Answer, Never>)] = []
    /// Somebody asks, or is about to.
    var isBusy = false
  }

  private let state = Mutex(State())
  // Questions wait for another machine, and no task's thread is to wait with them.
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

  /// Asks until nobody waits.
  private func ask() {
    while true {
      let waiting = state.withLock { state in
        let waiting = state.waiting
        state.waiting = []
        state.isBusy = !waiting.isEmpty
        return waiting
      }
      if waiting.isEmpty { return }
      do throws(LedgerError) {
        let lanes = try storage.lanes(of: waiting.map(\.command))
        for (waiter, lanes) in zip(waiting, lanes) { waiter.continuation.resume(returning: .success(lanes)) }
      } catch {
        for waiter in waiting { waiter.continuation.resume(returning: .failure(error)) }
      }
    }
  }
}
