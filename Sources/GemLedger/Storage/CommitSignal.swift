internal import Synchronization

/// Sends commit notifications to the feed's readers, for commits of this process and others.
///
/// A commit takes one uncontended lock for it.
package final class CommitSignal: Sendable {
  private struct State {
    /// Counts the commit notifications, so that a commit between a read and the wait for the next is not missed.
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

  /// Notifies the readers of a commit.
  package func note() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Ends all waits when the ledger is closed.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for a commit after the counted one, the ledger's end, the task's cancellation, or the waiting limit.
  func wait(after count: UInt64, atMost timeout: Duration) async {
    await withTaskGroup { group in
      group.addTask { await self.wait(after: count) }
      // A cancelled reader stops waiting.
      group.addTask { try? await Task.sleep(for: timeout) }
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
          // A cancellation from here on finds the waiter in the table.
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

/// A listener for other processes' commits, until it is stopped.
package protocol CommitListener: AnyObject, Sendable {
  func stop()
}

/// The one listener of a ledger, which exists for as long as any reader waits.
final class SharedListener: Sendable {
  private struct State {
    var count = 0
    var listener: (any CommitListener)?
  }

  private let state = Mutex(State())

  /// Adds a waiting reader.
  ///
  /// - Parameter make: Begins to listen; nil if there is nothing to listen to.
  func add(_ make: () -> (any CommitListener)?) {
    state.withLock { state in
      state.count += 1
      if state.listener == nil { state.listener = make() }
    }
  }

  /// Removes a waiting reader.
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
