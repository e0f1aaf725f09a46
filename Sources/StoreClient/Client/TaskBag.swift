internal import GemLedger
internal import Synchronization

/// The background tasks of a client, stopped when the client is released.
final class TaskBag: Sendable {
  private struct State {
    var tasks: [Task<Void, Never>] = []
    var wakeUp: (at: Timestamp, task: Task<Void, Never>)?
    var isStopped = false
  }

  private let state = Mutex(State())

  func run(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.tasks.append(Task { await body() })
    }
  }

  /// Runs the body at that instant, unless an earlier run is planned.
  func wake(at instant: Timestamp, _ clock: StoreClock, _ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isStopped else { return }
      if let planned = state.wakeUp, planned.at <= instant { return }
      state.wakeUp?.task.cancel()
      let task = Task { [weak self] in
        do throws(CancellationError) { try await clock.sleep(instant) } catch { return }
        self?.state.withLock { state in
          if state.wakeUp?.at == instant { state.wakeUp = nil }
        }
        await body()
      }
      state.wakeUp = (instant, task)
    }
  }

  func stop() {
    let (tasks, wakeUp) = state.withLock { state in
      defer {
        state.tasks = []
        state.wakeUp = nil
        state.isStopped = true
      }
      return (state.tasks, state.wakeUp?.task)
    }
    for task in tasks { task.cancel() }
    wakeUp?.cancel()
  }
}

/// Admits one task at a time, in the order of arrival.
final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func take<T>(_ body: () async throws(LedgerError) -> T) async throws(LedgerError) -> T {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}

/// Waits for the work, but no longer than for the timer; the work continues in any case.
func first<T: Sendable>(
  of work: @escaping @Sendable () async -> T, orUntil timer: @escaping @Sendable () async -> Void
) async -> T? {
  let gate = FirstAnswer<T>()
  return await withCheckedContinuation { continuation in
    gate.open(continuation)
    let timing = Task {
      await timer()
      gate.answer(nil)
    }
    Task {
      gate.answer(await work())
      timing.cancel()
    }
  }
}

private final class FirstAnswer<T: Sendable>: Sendable {
  private let continuation = Mutex<CheckedContinuation<T?, Never>?>(nil)

  func open(_ continuation: CheckedContinuation<T?, Never>) { self.continuation.withLock { $0 = continuation } }

  func answer(_ value: T?) {
    let waiting = continuation.withLock { $0.take() }
    waiting?.resume(returning: value)
  }
}
