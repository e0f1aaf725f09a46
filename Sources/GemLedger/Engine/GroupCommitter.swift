internal import Synchronization

/// Decides a group of commands and commits what came of it, in one storage transaction.
final class GroupCommitter: Sendable {
  private let storage: any LedgerStorage
  /// Nil where the groups touch several lanes: all that their commands may write in.
  let lane: Int?
  private let clock: LedgerClock
  private let commits: CommitSignal
  private let decider: Mutex<Decider>

  /// - Parameter lane: The one of all its groups; nil where each takes hold of the lanes of its commands.
  init(
    storage: any LedgerStorage, lane: Int?, clock: LedgerClock, catalog: CatalogCache, commits: CommitSignal
  ) {
    self.storage = storage
    self.lane = lane
    self.clock = clock
    self.commits = commits
    decider = Mutex(Decider(catalog: catalog, hasSeveralLanes: storage.laneCount > 1))
  }

  /// What came of each command, in order, latecomers behind the others.
  ///
  /// Where the storage fails, all get its error: nothing of the group was booked.
  ///
  /// - Parameter latecomers: Gives what else is to be booked with the group, once it has hold of its lanes.
  func commit(
    _ commands: [LedgerCommand], latecomers: @Sendable () -> [LedgerCommand] = { [] }
  ) -> [Result<Receipt, LedgerError>] {
    decider.withLock { decider in
      var commands = commands
      do throws(LedgerError) {
        let answers = try storage.commit(lanes: lanes(of: commands)) {
          (session) throws(LedgerError) -> [Result<Receipt, LedgerError>] in
          var misrouted = try session.prefetch(commands)
          let late = latecomers()
          if !late.isEmpty {
            let count = commands.count
            // They are of the group from here on, whatever becomes of it.
            commands += late
            misrouted += try session.prefetch(late).map { $0 + count }
          }
          // Read only now: before, the group waited for other writers, and what it books must not be dated into a time
          // that readers took for over. Where the body runs again, the time is read again.
          if clock.isAccepted { clock.goOn(from: try session.sequences().createdAt) }
          return try run(commands, besides: misrouted, decider: &decider, session: session, now: clock.now())
        }
        if decider.set.hasChanges { commits.note() }
        return answers
      } catch {
        return [Result<Receipt, LedgerError>](repeating: .failure(error), count: commands.count)
      }
    }
  }

  private func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
    if let lane { return [lane] }
    return Set(try storage.lanes(of: commands).joined()).sorted()
  }

  /// How many commands are looked at ahead: few enough that what they ask for stays near.
  private static let window = 64

  /// - Parameter misrouted: Places of commands that are not to be decided here. Where the group touches several lanes,
  ///   what comes after one of them is not either: it may depend on it.
  private func run(
    _ commands: [LedgerCommand], besides misrouted: [Int], decider: inout Decider, session: any StorageSession,
    now: Timestamp
  ) throws(LedgerError) -> [Result<Receipt, LedgerError>] {
    let snapshot: any StorageSnapshot = session
    try decider.begin(session: snapshot, clock: now, isBounded: !clock.isAccepted)
    var results: [Result<Receipt, LedgerError>] = []
    results.reserveCapacity(commands.count)
    var stops = false
    // Through the buffer, so that no command is copied.
    try commands.withUnsafeBufferPointer { (commands) throws(LedgerError) in
      for index in commands.indices {
        if index % Self.window == 0 {
          session.approach(commands[index..<min(index + Self.window, commands.count)])
        }
        if stops || misrouted.contains(index) {
          stops = stops || lane == nil
          results.append(.failure(.misrouted))
          continue
        }
        do throws(LedgerError) {
          results.append(.success(try decider.decide(commands[index].body, session: snapshot)))
        } catch {
          // What the storage cannot answer fails the group; a refusal is the answer of its command alone.
          if error == .misrouted {
            // Unlike that of a customer who moved, it does not mean the next command of the same customer too.
            stops = true
          } else if error.code.isStorageFailure {
            throw error
          }
          results.append(.failure(error))
        }
      }
    }
    decider.set.collectChanges()
    if decider.set.hasChanges { try session.write(decider.set.changes) }
    return results
  }
}

extension LedgerError.Code {
  var isStorageFailure: Bool {
    switch kind {
    case .storageUnavailable, .storageDamaged, .storageForeign, .storageNewer, .inputOutput, .outcomeUnknown,
      .unexpected, .clockImplausible:
      true
    default: false
    }
  }
}
