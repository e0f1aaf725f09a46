import GemLedger
import StoreClient
import StoreTestSupport
import Synchronization

/// A clock that stands still until a test moves it, and then wakes the waiting tasks.
final class TestClock: Sendable {
  private struct State {
    var now: Int64 = 1_767_225_600_000
    var sleepers: [Int: (until: Int64, wake: CheckedContinuation<Bool, Never>)] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var now: Timestamp { Timestamp(milliseconds: state.withLock { $0.now }) }
  var ledgerClock: LedgerClock { LedgerClock { self.now } }

  var storeClock: StoreClock {
    StoreClock(
      now: { self.now },
      sleep: { (until) throws(CancellationError) in
        guard await self.sleep(until.milliseconds) else { throw CancellationError() }
      })
  }

  func advance(seconds: Int64) {
    let woken = state.withLock { state in
      state.now += seconds * 1000
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.sorted { $0.until < $1.until }
    }
    for sleeper in woken { sleeper.wake.resume(returning: true) }
  }

  private func sleep(_ until: Int64) async -> Bool {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if Task.isCancelled { return false as Bool? }
          if state.now >= until { return true }
          state.sleepers[number] = (until, continuation)
          return nil
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.wake.resume(returning: false)
    }
  }
}
