#if PostgreSQL
internal import Dispatch
package import GemLedger
internal import Synchronization

/// Storage on PostgreSQL: any number of processes, on any number of hosts, with one set of rules.
///
/// Customers are distributed over lanes. Each lane has a connection and commits one group at a time. A group locks the
/// lane's row, so that groups of other processes wait, and needs two round trips at any size. Every acknowledged commit
/// is on the server's disk. After a restart of the server or a lost connection, a group is retried if that is safe, and
/// never booked twice.
package final class PostgresStorage: LedgerStorage {
  let target: PostgresTarget
  let layout: LaneLayout
  let memory: StorageCache
  let connections: ConnectionPool
  let logSync: LogSync
  let notifier: CommitNotifier
  let recovery: PostgresRecovery
  /// Nil unless a distributed ledger was opened with `nodes=direct`.
  let nodes: NodeConnections?
  /// Nil on a single server, where prepared transactions belong to others.
  let preparedTransactions: PreparedTransactions?
  private let channel: NotificationChannel
  private let writers = TokenWriters()
  private let attempts = Atomic<Int64>(0)
  private let groupRoundTrips = Atomic(0)
  private let isClosed = Atomic(false)

  /// Opens an existing ledger.
  ///
  /// - Throws: In order of precedence `invalid_request` (the URL), `storage_unavailable`, `storage_foreign` (no ledger
  ///   there), `storage_newer`.
  package convenience init(
    url: String, recovery: PostgresRecovery = PostgresRecovery(), steps: [PostgresMigration] = PostgresMigration.all
  ) throws(LedgerError) {
    try self.init(url: url, isCopy: false, recovery: recovery, steps: steps)
  }

  private init(
    _ target: PostgresTarget, _ connections: ConnectionPool, _ memory: StorageCache, _ recovery: PostgresRecovery,
    _ state: SchemaMigrator.State
  ) {
    self.target = target
    self.memory = memory
    self.recovery = recovery
    self.connections = connections
    logSync = LogSync(connections)
    let (cluster, heads) = (target.usesNodes ? state.layout.cluster : nil, state.layout.heads)
    nodes = cluster.map { NodeConnections(target, connections, memory, $0, heads: heads, now: recovery.now) }
    preparedTransactions = state.layout.cluster == nil ? nil : PreparedTransactions(connections, nodes)
    channel = NotificationChannel(schema: target.schema)
    notifier = CommitNotifier(channel, connections)
    layout = state.layout
    memory.remember(state.project)
  }

  /// - Parameter isCopy: Whether to resume an incomplete copy.
  private convenience init(
    url: String, isCopy: Bool, recovery: PostgresRecovery = PostgresRecovery(),
    steps: [PostgresMigration] = PostgresMigration.all
  ) throws(LedgerError) {
    let target = try PostgresTarget(url: url)
    let memory = StorageCache()
    let connections = ConnectionPool(target, memory)
    let opened = try Self.translating(target) { () throws(PostgresFailure) in
      let connection = try connections.open()
      return (connection, try SchemaMigrator(connection, target, steps: steps).bringUpToDate())
    }
    guard let state = opened.1 else {
      throw LedgerError(
        .storageForeign, "\(target.description) has no ledger. Create one with gemctl init.", of: target.description)
    }
    guard state.migrationCount <= steps.count else {
      throw LedgerError(
        .storageNewer, "\(target.description) was written by a newer GemLedger. Update this program.",
        of: target.description)
    }
    guard !state.isSpreadByCustomer else { throw .spreadByCustomer(target.description) }
    guard isCopy || !state.isIncompleteCopy else {
      throw LedgerError(
        .storageUnavailable,
        "\(target.description) contains an incomplete copy or import. To resume it, repeat gemctl storage copy from "
          + "the same source, or import the same export again.", of: target.description)
    }
    try Self.translating(target) { () throws(PostgresFailure) in try connections.setUp(state.layout, opened.0) }
    connections.giveBack(opened.0)
    self.init(target, connections, memory, recovery, state)
  }

  /// Creates a new ledger, completely or not at all: after any error except `outcome_unknown` it can be repeated.
  ///
  /// - Throws: In order of precedence `invalid_request` (the URL), `storage_unavailable`, `already_exists`,
  ///   `outcome_unknown` (the response to the commit was lost, and the server cannot be reached).
  package static func create(
    url: String, project: ProjectRow, recovery: PostgresRecovery = PostgresRecovery()
  ) throws(LedgerError) -> PostgresStorage {
    let target = try PostgresTarget(url: url)
    let memory = StorageCache()
    let connections = ConnectionPool(target, memory)
    let connection = try translating(target) { () throws(PostgresFailure) in try connections.open() }
    guard let state = try create(project, target, connection, connections, recovery) else {
      throw alreadyExists(target, "Create a home for it with gemctl init --join, or specify")
    }
    // The ledger exists now even if the connection fails; each further connection is configured when it is opened.
    do throws(PostgresFailure) { try connections.setUp(state.layout, connection) } catch { connection.close() }
    connections.giveBack(connection)
    return PostgresStorage(target, connections, memory, recovery, state)
  }

  /// Creates the schema; if a response was lost, possibly that to the commit, looks it up.
  private static func create(
    _ project: ProjectRow, _ target: PostgresTarget, _ connection: PostgresConnection, _ connections: ConnectionPool,
    _ recovery: PostgresRecovery
  ) throws(LedgerError) -> SchemaMigrator.State? {
    let failure: PostgresFailure
    do throws(PostgresFailure) { return try SchemaMigrator(connection, target).create(project) } catch {
      guard error.isConnectionLost else { throw error.ledgerError(target.description) }
      failure = error
    }
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    while retryPolicy.goesOn(after: failure) {
      let state: SchemaMigrator.State?
      do throws(PostgresFailure) {
        let other = try connections.open()
        state = try SchemaMigrator(other, target).find(project)
        connections.giveBack(other)
      } catch { continue }
      guard let state else { throw failure.ledgerError(target.description) }
      return state
    }
    throw LedgerError(
      .outcomeUnknown,
      "\(target.description): the connection was lost while the ledger was created, and it may exist. Run the same "
        + "command again.", of: target.description)
  }

  private static func alreadyExists(_ target: PostgresTarget, _ hint: String = "Specify") -> LedgerError {
    LedgerError(
      .alreadyExists, "\(target.description) has a ledger already. \(hint) another schema with ?schema=NAME.",
      of: target.description)
  }

  /// Creates a schema as the target of a copy, or opens the schema of an interrupted copy of the same ledger.
  ///
  /// - Parameters:
  ///   - project: The project of the source ledger.
  ///   - source: The newest transaction of the source ledger.
  /// - Throws: As creating a ledger; `already_exists` if the schema has anything other than that copy.
  package static func openCopy(
    url: String, project: ProjectRow, source: TransactionNumber
  ) throws(LedgerError) -> PostgresStorage {
    let target = try PostgresTarget(url: url)
    _ = try translating(target) { () throws(PostgresFailure) in
      try SchemaMigrator(PostgresConnection(target), target).create(project)
    }
    let storage = try PostgresStorage(url: url, isCopy: true)
    do throws(LedgerError) {
      try storage.commit(lanes: Array(0..<storage.traits.laneCount)) { (session) throws(LedgerError) in
        guard try session.project() == project else { throw alreadyExists(target) }
        guard try session.scan().copyProgress() == nil else { return }
        // The process that created the schema may have been killed at this point. A schema with any rows is an existing
        // ledger.
        guard try CopyChanges.haveRoom(in: session) else { throw alreadyExists(target) }
        var changes = ChangeSet()
        changes.copy = CopyChanges(progress: CopyProgress(source: source))
        try session.write(changes)
      }
    } catch {
      storage.close()
      throw error
    }
    return storage
  }

  /// Opens a ledger as the target of an import, whether or not an earlier import of it was completed.
  ///
  /// - Throws: As opening a ledger.
  package static func openImport(url: String) throws(LedgerError) -> PostgresStorage {
    try PostgresStorage(url: url, isCopy: true)
  }

  package var traits: StorageTraits {
    var traits = StorageTraits()
    traits.isKeyedByCustomer = true
    traits.isRemote = true
    let layout = layout
    traits.laneCount = layout.count
    // On a single server this costs one row per lane; on a distributed engine, several shards need a two-phase commit.
    traits.locksLanesTogether = layout.cluster == nil && layout.count <= Self.lanesTogetherMax
    // No snapshot spans the nodes of a distributed engine.
    traits.showsHalves = layout.cluster != nil
    return traits
  }
  private static let lanesTogetherMax = 8
  /// The number of round trips of groups, without failed ones.
  package var roundTrips: Int { groupRoundTrips.load(ordering: .sequentiallyConsistent) }

  /// The number of attempted groups.
  package var groupCount: Int { Int(attempts.load(ordering: .sequentiallyConsistent)) }

  package func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    notifier.finish()
    nodes?.close()
    connections.close()
  }

  var hasEnded: Bool { isClosed.load(ordering: .sequentiallyConsistent) }

  package func listen(_ heard: @escaping @Sendable () -> Void) -> (any CommitListener)? {
    guard !hasEnded else { return nil }
    return NotificationListener(target, channel, heard: heard)
  }

  func refuseClosed() throws(LedgerError) {
    guard !hasEnded else {
      throw LedgerError(.storageUnavailable, "The ledger at \(target.description) was closed.")
    }
  }

  static func translating<R>(
    _ target: PostgresTarget, _ body: () throws(PostgresFailure) -> R
  ) throws(LedgerError) -> R {
    do throws(PostgresFailure) { return try body() } catch { throw error.ledgerError(target.description) }
  }

  func session(_ connection: PostgresConnection) -> PostgresSession {
    PostgresSession(connection, storageName: target.description, layout: layout, memory: memory, logSync: logSync)
  }

  // MARK: Reading

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try refuseClosed()
    connections.readers.wait()
    defer { connections.readers.signal() }
    // A reader may restart as long as it has handed out nothing. It does so twice, since an idle connection may be
    // dead, and a standby may have to cancel a reader's statement.
    var triesLeft = 2
    while true {
      let session = session(try connect())
      do throws(LedgerError) {
        let answer = try body(session)
        if session.endReading() { connections.giveBack(session.connection) }
        return answer
      } catch {
        let failure = session.failure
        let isLost = failure?.isConnectionLost ?? false
        let mayRestart = !session.hasBegunScan && triesLeft > 0
        if session.end(with: "ROLLBACK"), !isLost { connections.giveBack(session.connection) }
        guard isLost || failure?.isTransient == true, mayRestart else { throw error }
        triesLeft -= 1
        if isLost { connections.dropIdle() }
      }
    }
  }

  func connect() throws(LedgerError) -> PostgresConnection {
    try Self.translating(target) { () throws(PostgresFailure) in try connections.take() }
  }

  /// Sends requests that are complete transactions.
  ///
  /// - Returns: The results, and the epoch in which they were read.
  func askOutsideOfTransactions(
    _ requests: [PostgresRequest]
  ) throws(LedgerError) -> (answers: [PostgresRows], epoch: Int) {
    try refuseClosed()
    connections.readers.wait()
    defer { connections.readers.signal() }
    var triesLeft = 2
    while true {
      let connection = try connect()
      let epoch = memory.epoch
      do throws(PostgresFailure) {
        let answers = try connection.ask(requests)
        connections.giveBack(connection)
        return (answers, epoch)
      } catch {
        connections.giveBack(connection)
        guard error.isConnectionLost, triesLeft > 0 else { throw error.ledgerError(target.description) }
        triesLeft -= 1
        connections.dropIdle()
      }
    }
  }

  // MARK: Writing

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try refuseClosed()
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    let firstLane = lanes.first ?? 0
    let (writer, isNew) = writers.take(firstLane)
    defer { writers.giveBack(writer, firstLane) }
    var loan = lanes.count == 1 ? nodes?.take(firstLane) : nil
    while true {
      let pool = loan?.pool ?? connections
      let connection = if let loan { loan.connection } else { try connectPatiently(&retryPolicy) }
      let isNewConnection = connection.isNew
      let session = session(connection)
      let token = PostgresGroup.CommitToken(
        writer: writer, number: attempts.add(1, ordering: .sequentiallyConsistent).newValue)
      let group = PostgresGroup(lanes: lanes, token: token, isFirstOfWriter: isNew)
      session.begin(group)
      recoverWhileLanesAreHeld(session)
      session.wasCommitted = { [self] (parts) throws(LedgerError) in try wasCommitted(group, parts, over: pool) }
      let roundTripsBefore = session.connection.roundTrips
      let answer: Result<R, LedgerError>
      do throws(LedgerError) {
        answer = try outcome(of: body, session)
        groupRoundTrips.add(session.connection.roundTrips - roundTripsBefore, ordering: .sequentiallyConsistent)
        if let used = loan, case .failure(let error) = answer, error.code == .storageUnavailable {
          // The node shows other lanes than those of the ledger; the coordinator decides whether they changed.
          session.connection.close()
          nodes?.leave(used)
          loan = nil
          continue
        }
        // A group without writes needs no look-up.
        if group.isCommitted { notifier.note() } else { try session.endWithoutCommit() }
        pool.giveBack(session.connection)
        if let loan { nodes?.noteEnd(of: loan) }
      } catch {
        let failure = session.failure
        let isUsable = session.end(with: "ROLLBACK")
        if failure?.isOfReadOnlyServer == true { pool.leaveReadOnlyServer(connection) }
        if isUsable { pool.giveBack(session.connection) } else { pool.dropIdle() }
        guard let failure, error.code != .outcomeUnknown else { throw error }
        if let used = loan {
          loan = nil
          nodes?.noteFailure(failure, of: used)
          // The node may lack what the coordinator has: a right, or the way to another node.
          if error.code != .storageDamaged, !failure.isTimeout { continue }
        }
        // Retries once over a new connection, which may lead to the new primary.
        if failure.isOfReadOnlyServer, !isNewConnection { continue }
        guard failure.isTransient || failure.isConnectionLost, retryPolicy.goesOn(after: failure) else { throw error }
        continue
      }
      return try answer.get()
    }
  }

  /// Returns the body's result or refusal, which are both answers.
  ///
  /// - Throws: The error of a failed statement, after which there is no answer.
  private func outcome<R>(
    of body: (any StorageSession) throws(LedgerError) -> R, _ session: PostgresSession
  ) throws(LedgerError) -> Result<R, LedgerError> {
    do throws(LedgerError) { return .success(try body(session)) } catch {
      guard session.failure == nil else { throw error }
      return .failure(error)
    }
  }

  /// Recovers commits that were interrupted between their phases on a distributed engine, and hold awaited lanes.
  func recoverWhileLanesAreHeld(_ session: PostgresSession) {
    guard let preparedTransactions else { return }
    session.whileLanesAreHeld = { preparedTransactions.recover() }
  }

  func connectPatiently(_ retryPolicy: inout RetryPolicy) throws(LedgerError) -> PostgresConnection {
    while true {
      do throws(PostgresFailure) {
        return try connections.takeForWriting()
      } catch {
        // A storage that never had a connection fails at once; otherwise it waits for the server.
        guard connections.wasOpen, error.isConnectionLost, retryPolicy.goesOn(after: error) else {
          throw error.ledgerError(target.description)
        }
      }
    }
  }
}
#endif
