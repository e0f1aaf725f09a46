internal import Synchronization

/// Tells who waits for the feed that something was committed, here or by another process.
///
/// A commit costs it one uncontended lock.
package final class CommitSignal: Sendable {
  private struct State {
    /// Counts the commits heard of, so that one between a look and the waiting for the next is not missed.
    var count: UInt64 = 0
    var isClosed = false
    var lastWaiter: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard !waiters.isEmpty else { return [] }
      defer { waiters.removeAll() }
      return Array(waiters.values)
    }
  }

  private let state = Mutex(State())

  package init() {}

  var count: UInt64 { state.withLock { $0.count } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Something was committed.
  package func note() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The ledger was closed: nobody waits any more.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for a commit after the one counted, for the ledger's end, for the task's, or for so long.
  func wait(after count: UInt64, atMost patience: Duration) async {
    await withTaskGroup { group in
      group.addTask { await self.wait(after: count) }
      // Whoever is cancelled stops waiting.
      group.addTask { try? await Task.sleep(for: patience) }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait(after count: UInt64) async {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // Who is cancelled from here on finds the waiter in the table.
          guard state.count == count, !state.isClosed, !Task.isCancelled else { return false }
          state.waiters[number] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}

/// Somebody who hears of other processes' commits, until it is stopped.
package protocol CommitListener: AnyObject, Sendable {
  func stop()
}

/// The one listener of a ledger, which is there for as long as somebody waits.
final class SharedListener: Sendable {
  private struct State {
    var count = 0
    var listener: (any CommitListener)?
  }

  private let state = Mutex(State())

  /// Somebody begins to wait.
  ///
  /// - Parameter make: Begins to listen; nil where there is nothing to hear.
  func add(_ make: () -> (any CommitListener)?) {
    state.withLock { state in
      state.count += 1
      if state.listener == nil { state.listener = make() }
    }
  }

  /// Somebody waits no more.
  func remove() {
    let idle = state.withLock { state -> (any CommitListener)? in
      state.count -= 1
      guard state.count == 0 else { return nil }
      defer { state.listener = nil }
      return state.listener
    }
    idle?.stop()
  }
}
