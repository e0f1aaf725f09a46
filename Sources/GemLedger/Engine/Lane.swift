internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Bionic)
internal import Bionic
#else
internal import Darwin
#endif

/// Gathers the waiting commands into a group and commits the group at once.
///
/// A caller that finds the lane idle commits on the calling thread, without a hop, and waits for no other command.
/// Commands that arrive meanwhile wait; the lane's worker commits them group after group until none wait. So under
/// load one thread commits without a pause, in parallel with the callers.
final class Lane: Sendable {
  fileprivate enum Waiter: Sendable {
    case task(CheckedContinuation<GroupAnswers, Never>)
    case thread(ThreadWaiter)

    func resume(_ answers: GroupAnswers) {
      switch self {
      case .task(let continuation): continuation.resume(returning: answers)
      case .thread(let waiter): waiter.resume(answers)
      }
    }
  }

  /// Commands in the order of arrival, and the waiters with the number of commands of each.
  fileprivate struct Group: Sendable {
    var commands: [LedgerCommand] = []
    var waiters: [(waiter: Waiter, count: Int)] = []
  }

  private struct State {
    var waiting = Group()
    /// Commands that joined the current group after it began.
    var late = Group()
    /// How many callers the group before had; they are about to send their next commands.
    var answered = 0
    /// Whether a thread commits, or is about to.
    var isBusy = false
  }

  private let state = Mutex(State())
  private let worker = DispatchQueue(label: "GemLedger.Lane")
  private let committer: GroupCommitter
  /// Whether a commit waits for another machine: tasks share few threads, and none of those must wait with it.
  private let isFarAway: Bool
  /// Whether commands may join a group that waits for its lanes: a group without fixed lanes locks only those of its
  /// commands.
  private var takesLatecomers: Bool { isFarAway && committer.lanes != nil }

  init(committer: GroupCommitter, isFarAway: Bool = false) {
    self.committer = committer
    self.isFarAway = isFarAway
  }

  /// Books the command in the next group; waits as a task.
  ///
  /// A caller that is cancelled meanwhile does not withdraw its commands.
  func join(_ command: LedgerCommand) async -> GroupAnswers {
    if !isFarAway, becomeBusy() { return commitAlone([command]) }
    return await withCheckedContinuation { enqueue(CollectionOfOne(command), .task($0)) }
  }

  /// Books the command in the next group; blocks the thread meanwhile.
  func joinBlocking(_ command: LedgerCommand) -> GroupAnswers { joinBlocking([command]) }

  /// Books the commands, at most ``Limits/commandsPerGroup`` of them, in one group; blocks the thread meanwhile.
  func joinBlocking(_ commands: [LedgerCommand]) -> GroupAnswers {
    if becomeBusy() { return commitAlone(commands) }
    let waiter = ThreadWaiter()
    enqueue(commands, .thread(waiter))
    return waiter.wait()
  }

  /// How many commands wait for the next group.
  var waitingCount: Int { state.withLock { $0.waiting.commands.count } }

  private func becomeBusy() -> Bool {
    state.withLock { state in
      guard !state.isBusy else { return false }
      state.isBusy = true
      return true
    }
  }

  private func commitAlone(_ commands: [LedgerCommand]) -> GroupAnswers {
    let answers = committer.commit(commands)
    let hasMore = state.withLock { state in
      state.isBusy = !state.waiting.commands.isEmpty
      return state.isBusy
    }
    if hasMore { worker.async { self.drain() } }
    return answers
  }

  private func enqueue(_ commands: some Collection<LedgerCommand>, _ waiter: Waiter) {
    let isIdle = state.withLock { state in
      state.waiting.commands.append(contentsOf: commands)
      state.waiting.waiters.append((waiter, commands.count))
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isIdle { worker.async { self.drain() } }
  }

  /// Commits groups until no command waits.
  private func drain() {
    while var group = takeNextGroup() {
      let count = group.commands.count
      let answers = committer.commit(group.commands) { takesLatecomers ? takeLatecomers(behind: count) : [] }
      group.waiters += takeWaitersOfLatecomers()
      // Waking a group takes as long as a good part of its commit, and the next group waits already.
      if group.waiters.count > 8 {
        Task.detached { Self.wake(group, answers) }
      } else {
        Self.wake(group, answers)
      }
    }
  }

  private static func wake(_ group: Group, _ answers: GroupAnswers) {
    var start = 0
    for (waiter, count) in group.waiters {
      waiter.resume(answers[start..<start + count])
      start += count
    }
  }

  private func takeNextGroup() -> Group? {
    if isFarAway { waitForThoseAnswered() }
    return takeGroup()
  }

  /// Gives the callers of the last group a moment to send their next commands.
  ///
  /// A group costs far more than its commands. Without the pause, the next group would hold only the first new command.
  private func waitForThoseAnswered() {
    for _ in 0..<Self.pausesMax {
      let isWorthIt = state.withLock { $0.waiting.waiters.count < $0.answered }
      guard isWorthIt else { return }
      usleep(Self.pauseMicroseconds)
    }
  }

  /// Takes the commands that arrived while the group waited for its lane's lock.
  ///
  /// It takes them only if there are enough for a second read of rows: a group costs the server far more than its
  /// commands.
  private func takeLatecomers(behind count: Int) -> [LedgerCommand] {
    state.withLock { state in
      guard state.waiting.commands.count * 2 >= count else { return [] }
      let room = Limits.commandsPerGroup - count - state.late.commands.count
      let late = state.waiting.takeLatecomers(room: room)
      state.late.commands += late.commands
      state.late.waiters += late.waiters
      state.answered += late.waiters.count
      return late.commands
    }
  }

  private func takeWaitersOfLatecomers() -> [(waiter: Waiter, count: Int)] {
    guard takesLatecomers else { return [] }
    return state.withLock { state in
      defer { state.late = Group() }
      return state.late.waiters
    }
  }

  private static let pausesMax = 4
  private static let pauseMicroseconds: UInt32 = 40

  /// Takes the waiting commands, up to a group's bound; the lane becomes idle if there are none.
  private func takeGroup() -> Group? {
    state.withLock { state in
      guard !state.waiting.commands.isEmpty else {
        state.isBusy = false
        state.answered = 0
        return nil
      }
      let bound = Self.bound(waiting: state.waiting.waiters.count, answered: state.answered)
      let group = state.waiting.take(callers: bound)
      state.answered = group.waiters.count
      return group
    }
  }

  /// How many callers the next group takes: with many active, half of them, or all who wait if that is little more.
  ///
  /// The others then send their next commands while it commits, and the worker never waits for them. Taking all would
  /// alternate between nearly all and nearly none, so that callers and worker wait for each other; measured, that costs
  /// a third.
  private static func bound(waiting: Int, answered: Int) -> Int {
    let around = waiting + answered
    let half = (around + 1) / 2
    // To take all costs least: no command is copied.
    return around < 64 || waiting < half + half / 8 ? waiting : half
  }
}

extension Lane.Group {
  /// Takes the first callers' commands out, at most a group's bound of them; the first caller's always.
  fileprivate mutating func take(callers: Int) -> Self {
    var group = Self()
    if callers >= waiters.count, commands.count <= Limits.commandsPerGroup {
      swap(&group, &self)
      return group
    }
    for (waiter, count) in waiters.prefix(callers) {
      guard group.waiters.isEmpty || group.commands.count + count <= Limits.commandsPerGroup else { break }
      group.commands += commands[group.commands.count..<group.commands.count + count]
      group.waiters.append((waiter, count))
    }
    remove(group)
    return group
  }

  /// Takes the first callers' commands while there is room and they touch only rows of their customers.
  ///
  /// A group claims all other rows at once, in a fixed order.
  fileprivate mutating func takeLatecomers(room: Int) -> Self {
    var group = Self()
    for (waiter, count) in waiters {
      let own = commands[group.commands.count..<group.commands.count + count]
      guard group.commands.count + count <= room, own.allSatisfy({ $0.footprint == nil }) else { break }
      group.commands += own
      group.waiters.append((waiter, count))
    }
    remove(group)
    return group
  }

  private mutating func remove(_ first: Self) {
    commands.removeFirst(first.commands.count)
    waiters.removeFirst(first.waiters.count)
  }
}

/// A thread that waits, for callers outside of tasks.
private final class ThreadWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let answers = Mutex(GroupAnswers())

  func resume(_ answers: GroupAnswers) {
    self.answers.withLock { $0 = answers }
    semaphore.signal()
  }

  func wait() -> GroupAnswers {
    semaphore.wait()
    return answers.withLock { $0 }
  }
}
