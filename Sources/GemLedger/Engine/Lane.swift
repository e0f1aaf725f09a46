internal import Dispatch
internal import Synchronization

/// Gathers the commands that wait right now into a group and commits the group once.
///
/// Whoever finds the lane idle leads: it commits on its own thread, without a hop. While it does, others gather; when
/// it is done, the first of them leads the next group. So a command alone waits for nobody, and under load the groups
/// grow.
final class Lane: Sendable {
  /// What came of each command of a batch, in its order.
  typealias Answers = ArraySlice<Result<Receipt, LedgerError>>

  private enum Wake: Sendable {
    case lead
    case answers(Answers)
  }

  private enum Waiter: Sendable {
    case leader
    case task(CheckedContinuation<Wake, Never>)
    case thread(ThreadWaiter)

    func resume(_ wake: Wake) {
      switch self {
      case .leader: preconditionFailure("the leader of a group waits for nobody")
      case .task(let continuation): continuation.resume(returning: wake)
      case .thread(let waiter): waiter.resume(wake)
      }
    }
  }

  /// A thread that waits, for callers outside of tasks.
  private final class ThreadWaiter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let wake = Mutex<Wake?>(nil)

    func resume(_ wake: Wake) {
      self.wake.withLock { $0 = wake }
      semaphore.signal()
    }

    func wait() -> Wake {
      semaphore.wait()
      return wake.withLock { $0 } ?? .lead
    }
  }

  private struct Batch: Sendable {
    let commands: [LedgerCommand]
    var waiter: Waiter
  }

  private struct State {
    var waiting: [Batch] = []
    var isLed = false
  }

  private let state = Mutex(State())
  private let committer: GroupCommitter

  init(committer: GroupCommitter) { self.committer = committer }

  /// Books the commands, at most ``Limits/commandsPerGroup`` of them, in one group; waits as a task.
  ///
  /// A caller that is cancelled meanwhile does not withdraw its commands.
  func book(_ commands: [LedgerCommand]) async -> Answers {
    if startLeading(commands) { return lead() }
    let wake = await withCheckedContinuation { continuation in
      enqueue(Batch(commands: commands, waiter: .task(continuation)), orLead: continuation)
    }
    return answers(wake)
  }

  /// Books the commands, at most ``Limits/commandsPerGroup`` of them, in one group; blocks the thread meanwhile.
  func bookBlocking(_ commands: [LedgerCommand]) -> Answers {
    let waiter = ThreadWaiter()
    let leads = state.withLock { state in
      state.waiting.append(Batch(commands: commands, waiter: state.isLed ? .thread(waiter) : .leader))
      defer { state.isLed = true }
      return !state.isLed
    }
    return leads ? lead() : answers(waiter.wait())
  }

  private func startLeading(_ commands: [LedgerCommand]) -> Bool {
    state.withLock { state in
      guard !state.isLed else { return false }
      state.isLed = true
      state.waiting.append(Batch(commands: commands, waiter: .leader))
      return true
    }
  }

  private func enqueue(_ batch: Batch, orLead continuation: CheckedContinuation<Wake, Never>) {
    let leads = state.withLock { state in
      state.waiting.append(batch)
      defer { state.isLed = true }
      return !state.isLed
    }
    if leads { continuation.resume(returning: .lead) }
  }

  private func answers(_ wake: Wake) -> Answers {
    switch wake {
    case .lead: lead()
    case .answers(let answers): answers
    }
  }

  /// Commits the group that waits; the leader's batch is its first.
  private func lead() -> Answers {
    let group = takeGroup()
    let results = committer.commit(group.count == 1 ? group[0].commands : group.flatMap(\.commands))
    var start = group[0].commands.count
    for batch in group.dropFirst() {
      let end = start + batch.commands.count
      batch.waiter.resume(.answers(results[start..<end]))
      start = end
    }
    handOver()
    return results[..<group[0].commands.count]
  }

  private func takeGroup() -> [Batch] {
    state.withLock { state in
      var count = 0
      var commands = 0
      for batch in state.waiting {
        commands += batch.commands.count
        if commands > Limits.commandsPerGroup, count > 0 { break }
        count += 1
      }
      if count == state.waiting.count {
        let group = state.waiting
        state.waiting = []
        state.waiting.reserveCapacity(count)
        return group
      }
      let group = Array(state.waiting[..<count])
      state.waiting.removeFirst(count)
      return group
    }
  }

  /// The next leader is woken after everybody has got an answer: it runs when most of them have asked again, and its
  /// group is the larger for it.
  ///
  /// Woken first, it commits what little waits by then; measured, groups were a third to a half.
  private func handOver() {
    let next = state.withLock { state -> Waiter? in
      guard let first = state.waiting.first else {
        state.isLed = false
        return nil
      }
      return first.waiter
    }
    next?.resume(.lead)
  }
}
