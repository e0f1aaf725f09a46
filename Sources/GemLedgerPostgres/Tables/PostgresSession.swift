#if PostgreSQL
internal import GemLedger
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The ledger's rows as seen by one connection inside its open transaction.
///
/// Only one thread at a time may use it. Each read of a reader is a round trip. During the decision of a group, its
/// cached rows are used, and missing rows are loaded for all its commands at once.
final class PostgresSession {
  let connection: PostgresConnection
  /// The readable name of the database.
  let storageName: String
  /// The distribution of customers over lanes.
  let layout: LaneLayout
  /// The data that the storage caches between groups.
  let memory: StorageCache
  private let logSync: LogSync
  /// The group that writes; nil for a reader.
  var group: PostgresGroup?
  /// The rows that the current group has looked up; nil outside of groups.
  var prefetched: GroupRows?
  /// The cursors of the transaction, while a scan uses them.
  weak var openScan: PostgresScan?
  /// The catalog's version in a reader's snapshot, from its first statement; nil on a distributed engine.
  private(set) var catalogVersionAtStart: Int64?
  /// The currencies in this transaction, if they were read with the catalog's version.
  var currencies: [CatalogRow]?
  /// Whether a scan was begun, whose caller may pass on what it reads before it reads all.
  var hasBegunScan = false
  /// The sources of used indexes: building the texts takes longer than this look-up.
  private var sources: [ObjectIdentifier: IndexSource] = [:]
  /// Frozen grants that the current group wrote.
  var newFrozenProducts: [ByteString: Int64] = [:]
  /// Finds out whether the group was committed after its response was lost.
  ///
  /// Given the parts that the group wrote on other nodes, it also detects a partial commit.
  var wasCommitted: ((CommitParts?) throws(LedgerError) -> Bool)?
  /// Called after each second in which the group waits for its lanes.
  var whileLanesAreHeld: (() -> Void)?
  /// The epoch in which all reads are from the same server.
  private(set) var epoch: Int
  /// The reason for the last statement's failure, if it failed.
  private(set) var failure: PostgresFailure?

  init(
    _ connection: PostgresConnection, storageName: String, layout: LaneLayout, memory: StorageCache, logSync: LogSync
  ) {
    self.connection = connection
    self.memory = memory
    self.logSync = logSync
    epoch = memory.directory.epoch
    self.storageName = storageName
    self.layout = layout
  }

  func source<Row>(of index: RowIndex<Row>) -> IndexSource {
    if let known = sources[index.id] { return known }
    let source = IndexSource(index)
    sources[index.id] = source
    return source
  }

  /// Returns the statement for the rows of one key.
  func request<Row>(_ index: RowIndex<Row>, _ key: IndexKey) -> PostgresRequest {
    PostgresRequest(source(of: index).rows(isOwned: key.owner != nil)) {
      $0.add(key, of: index.key)
      if index.isOwned, let owner = key.owner { $0.add(owner) }
    }
  }

  // MARK: Asking

  /// Sends all requests in one round trip, and begins a transaction if none is open.
  func ask(_ requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
    let opening = opening
    if opening.isEmpty, requests.isEmpty { return [] }
    let opened: ArraySlice<PostgresRows>
    let rest: [PostgresRows]
    do throws(PostgresFailure) {
      if !opening.isEmpty, group != nil { connection.whileWaiting = whileLanesAreHeld }
      defer { connection.whileWaiting = nil }
      let answers = try connection.ask(opening + requests)
      if opening.isEmpty { return answers }
      isOpen = true
      opened = answers.prefix(opening.count)
      rest = Array(answers.dropFirst(opening.count))
    } catch {
      failure = error
      // An error inside a transaction leaves it open for a rollback.
      isOpen = connection.isOpen
      throw error.ledgerError(storageName)
    }
    if let group { try group.begin(opened, self) } else if layout.cluster == nil { try beginReading(opened) }
    return rest
  }

  /// Sends requests outside of the reader's snapshot; the next read has a new one.
  func askApart(_ requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
    if isOpen {
      _ = try ask([PostgresRequest("COMMIT")])
      isOpen = false
    }
    do throws(PostgresFailure) {
      return try connection.ask(requests)
    } catch {
      failure = error
      isOpen = connection.isOpen
      throw error.ledgerError(storageName)
    }
  }

  private var opening: [PostgresRequest] {
    if isOpen { return [] }
    if let group { return group.beginning(layout) }
    let begin = PostgresRequest("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    return layout.cluster == nil ? [begin, Self.firstOfReader] : [begin]
  }

  /// The first statement of a reader, which takes its snapshot.
  private static let firstOfReader = PostgresRequest(
    "SELECT coalesce(max(version), 0), \(EarlyRelease.unsyncedPosition) FROM catalog_versions")

  /// Waits until all rows in the reader's snapshot are on disk, before any of them is handed out.
  ///
  /// - Parameter answers: The results of BEGIN and the first statement.
  private func beginReading(_ answers: ArraySlice<PostgresRows>) throws(LedgerError) {
    guard let first = answers.last, first.count == 1 else { throw .defect("A reader's first statement had no row") }
    catalogVersionAtStart = first.integer(0, 0)
    try waitUntilSynced(first.integer(0, 1))
  }

  /// Without a sync of this process, for example since its role lacks a right, it waits for the next commit or sync of
  /// others: the server itself leaves the log's last page, which is not full.
  private static let syncPollCountMax = 200
  private static let syncPollInterval: UInt32 = 10_000
  /// The number of polls until this process requests another sync.
  private static let syncPollsPerTry = 20

  /// Waits until the server's log is on disk up to a position that this connection reported; 0 for none.
  private func waitUntilSynced(_ position: Int64) throws(LedgerError) {
    if position == 0 { return }
    do throws(PostgresFailure) {
      var failure: PostgresFailure?
      for poll in 0..<Self.syncPollCountMax {
        if poll % Self.syncPollsPerTry == 0 {
          failure = nil
          do throws(PostgresFailure) { try logSync.wait() } catch { failure = error }
        }
        // Only this connection proves that the same server has been running since: it ends with the server.
        guard try connection.ask(EarlyRelease.syncedPosition).integer(0, 0) < position else { return }
        guard failure != nil else {
          connection.close()
          throw .lost("new connections lead to another server")
        }
        usleep(Self.syncPollInterval)
      }
      throw .unsynced(failure?.message ?? "")
    } catch {
      failure = error
      isOpen = connection.isOpen
      throw error.ledgerError(storageName)
    }
  }

  // MARK: The transaction

  /// Whether a transaction is open on the connection.
  private(set) var isOpen = false

  /// Resets the state: the next request opens a transaction.
  func begin(_ group: PostgresGroup?) {
    self.group = group
    epoch = memory.directory.epoch
    prefetched = group == nil ? nil : GroupRows(session: self)
    openScan = nil
    newFrozenProducts = [:]
    catalogVersionAtStart = nil
    currencies = nil
    hasBegunScan = false
    wasCommitted = nil
    whileLanesAreHeld = nil
    failure = nil
    isOpen = false
  }

  /// Ends a group without a commit, and waits until all rows that its answers may be based on are on disk.
  func endWithoutCommit() throws(LedgerError) {
    if isOpen {
      let checks = layout.cluster == nil ? [EarlyRelease.check] : []
      let answers = try ask([PostgresRequest("ROLLBACK")] + checks)
      isOpen = false
      if let check = answers.last, !checks.isEmpty { try waitUntilSynced(check.integer(0, 0)) }
    }
    begin(nil)
  }

  /// Ends the transaction with the statement, a commit or a rollback.
  ///
  /// - Returns: Whether the connection can be used again.
  func end(with sql: String) -> Bool {
    defer { begin(nil) }
    guard isOpen, connection.isOpen else { return connection.isOpen }
    do throws(PostgresFailure) {
      _ = try connection.ask(PostgresRequest(sql))
      return true
    } catch {
      connection.close()
      return false
    }
  }

  /// Ends a reader's transaction, without waiting for the response: it has read all rows of its answer.
  ///
  /// - Returns: Whether the connection can be used again.
  func endReading() -> Bool {
    guard layout.cluster == nil, isOpen, connection.isOpen else { return end(with: "COMMIT") }
    defer { begin(nil) }
    do throws(PostgresFailure) {
      try connection.sendAhead("COMMIT")
      return true
    } catch {
      connection.close()
      return false
    }
  }

  /// Records that the last request ended the transaction.
  func noteEnd() { isOpen = false }
}

extension PostgresSession: StorageSession, PostgresIndexReads, PostgresHotReads, PostgresHistoryReads,
  PostgresCatalogReads, PostgresFeedReads
{
  var session: PostgresSession { self }

  func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
    guard let prefetched else { return [] }
    return try GroupPrefetch(session: self).prefetch(commands, prefetched)
  }

  func loadMissing() throws(LedgerError) -> Bool { try prefetched?.load() ?? false }

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    prefetched?.isDeciding = false
    try GroupWriter(session: self).write(changes)
  }
}
#endif
