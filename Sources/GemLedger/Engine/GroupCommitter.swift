internal import Synchronization

/// Decides a group of commands and commits the result, in one storage transaction.
final class GroupCommitter: Sendable {
  private let storage: any LedgerStorage
  /// The lanes that all groups lock; nil if each group locks those that its commands may write in.
  let lanes: [Int]?
  private let clock: LedgerClock
  private let commits: CommitSignal
  private let decider: Mutex<Decider>
  private let groupCount = Atomic(0)

  /// - Parameter lanes: The lanes of all its groups; nil if each group locks the lanes of its commands.
  init(
    storage: any LedgerStorage, lanes: [Int]?, clock: LedgerClock, catalog: CatalogCache, commits: CommitSignal
  ) {
    self.storage = storage
    self.lanes = lanes
    self.clock = clock
    self.commits = commits
    decider = Mutex(Decider(catalog: catalog, hasSeveralLanes: storage.traits.laneCount > 1))
  }

  /// Commits the group, and returns the answers in order, latecomers after the others.
  ///
  /// If the storage fails, all commands get its error: nothing of the group was booked. Damaged rows fail only the
  /// commands that read them: the rest of the group is committed without those commands.
  ///
  /// - Parameter latecomers: Returns further commands to book with the group, once it has locked its lanes.
  func commit(
    _ commands: [LedgerCommand], latecomers: @Sendable () -> [LedgerCommand] = { [] }
  ) -> GroupAnswers {
    decider.withLock { decider in
      let whole = attempt(commands, latecomers: latecomers, decider: &decider)
      switch whole.outcome {
      case .decided(let answers): return answers
      case .failed(let error, let stage):
        return commit(Self.parts(of: whole.commands, error, stage), decider: &decider)
      }
    }
  }

  /// Commits the parts of a group that failed, one after the other.
  private func commit(_ parts: [Part], decider: inout Decider) -> GroupAnswers {
    var answers = GroupAnswers()
    // The next part to commit is the last one here.
    var waiting = Array(parts.reversed())
    while let part = waiting.popLast() {
      switch part {
      case .failed(let error): answers.append(.failure(error))
      case .commands(let commands):
        switch attempt(commands, latecomers: { [] }, decider: &decider).outcome {
        case .decided(let part): answers.append(contentsOf: part)
        case .failed(let error, let stage): waiting += Self.parts(of: commands, error, stage).reversed()
        }
      }
    }
    return answers
  }

  /// A part of a failed group.
  private enum Part {
    /// Commands to commit by themselves.
    case commands([LedgerCommand])
    /// One command, with its error.
    case failed(LedgerError)
  }

  /// The stage at which a group failed.
  private enum Stage {
    /// No command is the cause: the storage could not begin or could not commit.
    case storage
    /// The command at this position was being decided.
    case deciding(Int)
    case writing
    /// Rows for several commands were read together.
    case fetching
  }

  private enum Outcome {
    case decided(GroupAnswers)
    /// Nothing was booked.
    case failed(LedgerError, Stage)
  }

  /// Separates the command that read damaged rows.
  ///
  /// After a failed write or a failed shared read the command is unknown: the group is halved until it is alone.
  private static func parts(of commands: [LedgerCommand], _ error: LedgerError, _ stage: Stage) -> [Part] {
    let all = [Part](repeating: .failed(error), count: commands.count)
    guard error.code.mayBeOfOneCommand, !error.isOfHalfCommit else { return all }
    switch stage {
    case .storage: return all
    case .deciding(let position):
      let (before, behind) = (Array(commands[..<position]), Array(commands[(position + 1)...]))
      return (before.isEmpty ? [] : [.commands(before)]) + [.failed(error)]
        + (behind.isEmpty ? [] : [.commands(behind)])
    case .writing, .fetching:
      guard commands.count > 1 else { return all }
      let middle = commands.count / 2
      return [.commands(Array(commands[..<middle])), .commands(Array(commands[middle...]))]
    }
  }

  /// Runs one storage transaction.
  ///
  /// - Returns: The outcome, and the group with its latecomers.
  private func attempt(
    _ group: [LedgerCommand], latecomers: @Sendable () -> [LedgerCommand], decider: inout Decider
  ) -> (commands: [LedgerCommand], outcome: Outcome) {
    var commands = group
    var stage = Stage.storage
    defer { decider.books.work.end() }
    do throws(LedgerError) {
      let answers = try storage.commit(lanes: lanes(of: commands)) {
        (session) throws(LedgerError) -> GroupAnswers in
        // The storage may run this again.
        stage = .fetching
        var misrouted = try session.prefetch(commands)
        let late = latecomers()
        if !late.isEmpty {
          let count = commands.count
          // They belong to the group from here on, with every outcome.
          commands += late
          misrouted += try session.prefetch(late).map { $0 + count }
        }
        stage = .storage
        // The time is read only now. Earlier the group waited for other writers, and its bookings must not fall into a
        // time that readers consider complete. If the body runs again, the time is read again.
        if clock.isAccepted { clock.goOn(from: try session.sequences().createdAt) }
        let answers = try run(
          commands, without: misrouted, decider: &decider, session: session, now: clock.now(), stage: &stage)
        stage = .storage
        return answers
      }
      if decider.books.work.hasChanges { commits.note() }
      return (commands, .decided(answers))
    } catch {
      return (commands, .failed(error, stage))
    }
  }

  private func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
    if let lanes {
      if lanes.count == 1 { return lanes }
      // The first lane gives new customers their numbers, and with them their lane: they are spread over all lanes.
      let first = groupCount.add(1, ordering: .relaxed).newValue % lanes.count
      return Array(lanes[first...] + lanes[..<first])
    }
    return Set(try storage.lanes(of: commands).joined()).sorted()
  }

  /// The number of commands to prefetch at a time: few enough that their rows stay in the processor's cache.
  private static let window = 64

  /// Decides the commands and writes the changes.
  ///
  /// A storage on another machine loads the rows that deciding lacked, for all commands at once, and the group is
  /// decided again from its start: deciding a command takes about a microsecond, a look-up there half a millisecond.
  ///
  /// - Parameter misrouted: Positions of commands not to decide here. If the group touches several lanes, the
  ///   commands after the first of them are not decided either: they may depend on it.
  private func run(
    _ commands: [LedgerCommand], without misrouted: [Int], decider: inout Decider, session: any StorageSession,
    now: Timestamp, stage: inout Stage
  ) throws(LedgerError) -> GroupAnswers {
    var attempt = Attempt()
    while true {
      try decide(commands, without: misrouted, decider: &decider, session: session, now: now, &attempt, &stage)
      if !attempt.lacksRows { break }
      stage = .fetching
      guard try session.loadMissing() else { throw .defect("A command lacked rows, and there are no more to load") }
      stage = .storage
      attempt = Attempt()
    }
    stage = .writing
    decider.books.work.collectChanges()
    if decider.books.work.hasChanges {
      decider.books.work.changes.digestTransactions()
      try session.write(decider.books.work.changes)
    }
    return attempt.answers
  }

  /// One attempt to decide a group.
  private struct Attempt {
    var answers = GroupAnswers()
    /// Whether a command lacked rows: then all answers are void.
    ///
    /// The later commands are decided too, so that one load reads the rows that all of them lack.
    var lacksRows = false
  }

  private func decide(
    _ commands: [LedgerCommand], without misrouted: [Int], decider: inout Decider, session: any StorageSession,
    now: Timestamp, _ attempt: inout Attempt, _ stage: inout Stage
  ) throws(LedgerError) {
    let snapshot: any StorageSnapshot = session
    do throws(LedgerError) {
      try decider.begin(snapshot, clock: now, isBounded: !clock.isAccepted)
    } catch {
      guard error == .rowsMissing else { throw error }
      attempt.lacksRows = true
      return
    }
    attempt.answers = GroupAnswers(capacity: commands.count)
    var stops = false
    // Through the buffer, so that no command is copied.
    try commands.withUnsafeBufferPointer { (commands) throws(LedgerError) in
      for index in commands.indices {
        if index % Self.window == 0 {
          session.prefetchIntoCache(commands[index..<min(index + Self.window, commands.count)])
        }
        if stops || misrouted.contains(index) {
          stops = stops || lanes?.count != 1
          attempt.answers.appendElsewhere()
          continue
        }
        switch decider.decide(commands[index].body) {
        case .booked(let booking): attempt.answers.append(.success(booking))
        case .needsRows:
          attempt.lacksRows = true
          attempt.answers.append(.failure(.rowsMissing))
        case .belongsElsewhere:
          // The customer's next command may belong here, unlike after a move to another lane, and must not overtake
          // this one.
          stops = true
          attempt.answers.appendElsewhere()
        case .refused(let error):
          // A storage failure fails the whole group; a refusal is the answer of its command alone. After a command
          // that lacked rows, a failure may only result from the state that this command left incomplete.
          if error.code.isStorageFailure, !attempt.lacksRows {
            stage = .deciding(index)
            throw error
          }
          attempt.answers.append(.failure(error))
        }
      }
    }
  }
}

extension LedgerError.Code {
  /// Whether the cause may be rows that only some commands read.
  fileprivate var mayBeOfOneCommand: Bool { self == .storageDamaged || self == .unexpected }

  package var isStorageFailure: Bool {
    switch kind {
    case .storageUnavailable, .storageDamaged, .storageForeign, .storageNewer, .inputOutput, .outcomeUnknown,
      .unexpected, .clockImplausible:
      true
    default: false
    }
  }
}
