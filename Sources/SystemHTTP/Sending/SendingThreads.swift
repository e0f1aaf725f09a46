#if Server
private import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

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
    Self.detach { [self] in
      var next: (@Sendable () -> Void)? = work
      while let work = next {
        work()
        next = finishOne()
      }
    }
  }

  /// Runs the work on a new thread, or on this thread if the system has no more.
  private static func detach(_ work: @escaping () -> Void) {
    let body = Unmanaged.passRetained(ThreadBody(work)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let result = pthread_create(&thread, nil, { runThreadBody($0) }, body)
    if result == 0, let thread { pthread_detach(thread) } else { _ = runThreadBody(body) }
    #else
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, { runThreadBody($0) }, body)
    if result == 0 { pthread_detach(thread) } else { _ = runThreadBody(body) }
    #endif
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

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

private func runThreadBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
  return nil
}
#endif
