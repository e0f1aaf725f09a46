internal import GemLedger
internal import StoreClient
internal import Synchronization

/// The network between the app, the store and the backend, and the place where a cell's fault strikes.
final class Wire: Sendable {
  /// Where a step is passed: the network is lost on either side of it, the process killed behind it.
  enum Side { case before, after }

  private struct State {
    var isArmed = false
    var hasStruck = false
    var isDown = false
    var isBackendDown = false
    /// Whether a payment waits for consent, and is made later.
    var paysLater = false
    /// How many updates the app has dealt with, or lost.
    var handledCount = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let cell: Cell?
  private let state = Mutex(State())

  /// A network that works until the cell's fault strikes.
  init(_ cell: Cell?) { self.cell = cell }

  /// From now on the fault strikes where it finds its step.
  func arm() { state.withLock { $0.isArmed = true } }

  /// Arms a fault that only the lead-up to the act can meet.
  func armEarly() {
    if let cell, cell.scenario.earlySteps.contains(cell.step) { arm() }
  }

  var hasStruck: Bool { state.withLock { $0.hasStruck } }
  var isDown: Bool { state.withLock { $0.isDown } }
  var isBackendDown: Bool {
    get { state.withLock { $0.isBackendDown || $0.isDown } }
    set { state.withLock { $0.isBackendDown = newValue } }
  }
  var paysLater: Bool {
    get { state.withLock { $0.paysLater } }
    set { state.withLock { $0.paysLater = newValue } }
  }

  /// The step is about to happen, or has.
  func pass(_ step: Step, _ side: Side) {
    guard let cell, cell.step == step, side == (cell.fault == .lostBefore ? .before : .after) else { return }
    state.withLock { state in
      guard state.isArmed, !state.hasStruck else { return }
      state.hasStruck = true
      state.isDown = cell.fault != .kill
      System.say("struck\n")
      // Under the lock: another thread that sees the strike could end the process first.
      if cell.fault == .kill { System.killThisProcess() }
    }
  }
}

// MARK: Updates that the app has dealt with

extension Wire {
  func noteHandled() {
    let due = state.withLock { state in
      state.handledCount += 1
      let count = state.handledCount
      let due = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return due
    }
    for waiter in due { waiter.continuation.resume() }
  }

  var handledCount: Int { state.withLock { $0.handledCount } }

  /// Waits until the app has dealt with so many updates.
  func waitUntilHandled(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.handledCount >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }
}
