#if Server
private import Dispatch
private import Synchronization

/// Runs work that blocks, a bounded number of pieces at once; the rest waits in its order.
final class SendingThreads: Sendable {
  private struct State {
    var running = 0
    var waiting: [@Sendable () -> Void] = []
    /// Where the first waiting piece is: those before it have begun.
    var first = 0
  }

  private let count: Int
  private let waitingMax: Int
  private let queue = DispatchQueue(label: "gemledger.sending", attributes: .concurrent)
  private let state = Mutex(State())

  init(count: Int, waitingMax: Int) {
    self.count = count
    self.waitingMax = waitingMax
  }

  /// Runs the work as soon as a thread is free; false where too much waits already.
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
    queue.async { [self] in
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
