#if PostgreSQL
internal import GemLedger

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
  /// The group that writes; nil for a reader.
  var group: PostgresGroup?
  /// The rows that the current group has looked up; nil outside of groups.
  var prefetched: GroupRows?
  /// The cursors of the transaction, while a scan uses them.
  weak var openScan: PostgresScan?
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

  init(_ connection: PostgresConnection, storageName: String, layout: LaneLayout, memory: StorageCache) {
    self.connection = connection
    self.memory = memory
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
    try group?.begin(opened, self)
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
    return [PostgresRequest("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
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
    currencies = nil
    hasBegunScan = false
    wasCommitted = nil
    whileLanesAreHeld = nil
    failure = nil
    isOpen = false
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
