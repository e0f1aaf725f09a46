internal import Dispatch
internal import Synchronization

/// Gathers the commands that wait right now into a group and commits the group once.
///
/// Whoever finds the lane idle commits on its own thread, without a hop: a command alone waits for nobody. What comes
/// meanwhile waits, and the lane's worker commits it, group after group, until nothing waits any more; so under load one
/// thread commits without a pause while the callers go on beside it.
final class Lane: Sendable {
  /// What came of each command of a batch, in its order.
  typealias Answers = ArraySlice<Result<Receipt, LedgerError>>

  private enum Waiter: Sendable {
    case task(CheckedContinuation<Answers, Never>)
    case thread(ThreadWaiter)

    func resume(_ answers: Answers) {
      switch self {
      case .task(let continuation): continuation.resume(returning: answers)
      case .thread(let waiter): waiter.resume(answers)
      }
    }
  }

  private struct Batch: Sendable {
    let commands: [LedgerCommand]
    let waiter: Waiter
  }

  private struct State {
    var waiting: [Batch] = []
    /// Somebody commits, or is about to.
    var isBusy = false
  }

  private let state = Mutex(State())
  private let worker = DispatchQueue(label: "GemLedger.Lane")
  private let committer: GroupCommitter

  init(committer: GroupCommitter) { self.committer = committer }

  /// Books the commands, at most ``Limits/commandsPerGroup`` of them, in one group; waits as a task.
  ///
  /// A caller that is cancelled meanwhile does not withdraw its commands.
  func book(_ commands: [LedgerCommand]) async -> Answers {
    if becomeBusy() { return commitAlone(commands) }
    return await withCheckedContinuation { continuation in
      enqueue(Batch(commands: commands, waiter: .task(continuation)))
    }
  }

  /// Books the commands, at most ``Limits/commandsPerGroup`` of them, in one group; blocks the thread meanwhile.
  func bookBlocking(_ commands: [LedgerCommand]) -> Answers {
    if becomeBusy() { return commitAlone(commands) }
    let waiter = ThreadWaiter()
    enqueue(Batch(commands: commands, waiter: .thread(waiter)))
    return waiter.wait()
  }

  private func becomeBusy() -> Bool {
    state.withLock { state in
      guard !state.isBusy else { return false }
      state.isBusy = true
      return true
    }
  }

  private func commitAlone(_ commands: [LedgerCommand]) -> Answers {
    let answers = committer.commit(commands)
    let hasMore = state.withLock { state in
      state.isBusy = !state.waiting.isEmpty
      return state.isBusy
    }
    if hasMore { worker.async { self.drain() } }
    return answers[...]
  }

  private func enqueue(_ batch: Batch) {
    let isIdle = state.withLock { state in
      state.waiting.append(batch)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isIdle { worker.async { self.drain() } }
  }

  /// Commits groups until nothing waits.
  private func drain() {
    while let group = takeGroup() {
      let answers = committer.commit(group.count == 1 ? group[0].commands : group.flatMap(\.commands))
      var start = 0
      for batch in group {
        let end = start + batch.commands.count
        batch.waiter.resume(answers[start..<end])
        start = end
      }
    }
  }

  /// What waits, up to a group's bound; the lane is idle where nothing does.
  private func takeGroup() -> [Batch]? {
    state.withLock { state in
      var count = 0
      var commands = 0
      for batch in state.waiting {
        commands += batch.commands.count
        if commands > Limits.commandsPerGroup, count > 0 { break }
        count += 1
      }
      guard count > 0 else {
        state.isBusy = false
        return nil
      }
      let group = Array(state.waiting[..<count])
      state.waiting.removeFirst(count)
      return group
    }
  }
}

/// A thread that waits, for callers outside of tasks.
private final class ThreadWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let answers = Mutex<Lane.Answers>([])

  func resume(_ answers: Lane.Answers) {
    self.answers.withLock { $0 = answers }
    semaphore.signal()
  }

  func wait() -> Lane.Answers {
    semaphore.wait()
    return answers.withLock { $0 }
  }
}
