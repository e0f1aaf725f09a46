#if Server
private import Synchronization

/// Runs blocking work on a bounded number of threads; further work waits in order.
///
/// The threads are dedicated: Dispatch adds only one thread per second to a pool whose threads all block, and meanwhile
/// the rest of the process stalls, even commits.
final class SendingThreads: Sendable {
  private struct State {
    var running = 0
    var waiting: [@Sendable () -> Void] = []
    /// The index of the first waiting piece; earlier pieces have begun.
    var first = 0
  }

  private let count: Int
  private let waitingMax: Int
  private let state = Mutex(State())

  init(count: Int, waitingMax: Int) {
    self.count = count
    self.waitingMax = waitingMax
  }

  /// Runs the work as soon as a thread is free; false if too much work waits.
  func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    enum Decision { case start, wait, refuse }
    let decision = state.withLock { state -> Decision in
      if state.running < count {
        state.running += 1
        return .start
      }
      guard state.waiting.count - state.first < waitingMax else { return .refuse }
      state.waiting.append(work)
      return .wait
    }
    if case .start = decision { start(work) }
    if case .refuse = decision { return false }
    return true
  }

  private func start(_ work: @escaping @Sendable () -> Void) {
    OwnThread.run { [self] in
      var next: (@Sendable () -> Void)? = work
      while let work = next {
        work()
        next = finishOne()
      }
    }
  }

  /// Takes the next waiting piece; nil ends the thread's run.
  private func finishOne() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.first < state.waiting.count else {
        state.running -= 1
        state.waiting = []
        state.first = 0
        return nil
      }
      let work = state.waiting[state.first]
      state.first += 1
      if state.first == 1000 {
        state.waiting.removeFirst(state.first)
        state.first = 0
      }
      return work
    }
  }
}
#endif
