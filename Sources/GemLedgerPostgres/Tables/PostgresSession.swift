#if PostgreSQL
internal import GemLedger

/// The ledger's rows as one connection sees them, inside the transaction that is open on it.
///
/// One thread at a time uses it. A reader's every read is a round trip; while a group is decided, its rows answer, and
/// what they lack is loaded for all its commands at once.
final class PostgresSession {
  let connection: PostgresConnection
  /// Which database it is, for people.
  let storageName: String
  /// How the customers are spread over lanes.
  let layout: LaneLayout
  /// The data that the storage remembers between groups.
  let memory: StorageCache
  /// The group that writes; nil for a reader.
  var group: PostgresGroup?
  /// The rows that the current group has looked up; nil outside of groups.
  var prefetched: GroupRows?
  /// The cursors that are open in the transaction, while a scan reads by them.
  weak var openScan: PostgresScan?
  /// The currencies as this transaction sees them, where they came with the catalog's version.
  var currencies: [CatalogRow]?
  /// Where rows of each index that was asked for are read from: making the texts takes longer than finding them here.
  private var sources: [IndexName: IndexSource] = [:]
  /// Frozen grants that the current group wrote.
  var newFrozenProducts: [ByteString: Int64] = [:]
  /// Finds out whether the group was committed, where the answer was lost.
  ///
  /// Given the parts that the group wrote apart, it also finds out whether only some of them were.
  var wasCommitted: ((CommitParts?) throws(LedgerError) -> Bool)?
  /// Called after each second in which the group waits for its lanes.
  var whileLanesAreHeld: (() -> Void)?
  /// The epoch in which all reads come from the same server.
  private(set) var epoch: Int
  /// Why the last statement failed, where one did.
  private(set) var failure: PostgresFailure?

  init(_ connection: PostgresConnection, storageName: String, layout: LaneLayout, memory: StorageCache) {
    self.connection = connection
    self.memory = memory
    epoch = memory.directory.epoch
    self.storageName = storageName
    self.layout = layout
  }

  func source<Row>(of index: RowIndex<Row>) -> IndexSource {
    if let known = sources[index.name] { return known }
    let source = IndexSource(index)
    sources[index.name] = source
    return source
  }

  /// The statement for the rows of one key.
  func request<Row>(_ index: RowIndex<Row>, _ key: IndexKey) -> PostgresRequest {
    PostgresRequest(source(of: index).rows(isOwned: key.owner != nil)) {
      $0.add(key, of: index.name)
      if index.name.isOwned, let owner = key.owner { $0.add(owner) }
    }
  }

  // MARK: Asking

  /// Sends all requests in one round trip, together with the beginning of the transaction if none is open.
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
      // An error inside of a transaction leaves it open, to be rolled back.
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

  /// A transaction is open on the connection.
  private(set) var isOpen = false

  /// Resets the state: the next request opens a transaction.
  func begin(_ group: PostgresGroup?) {
    self.group = group
    epoch = memory.directory.epoch
    prefetched = group == nil ? nil : GroupRows(session: self)
    openScan = nil
    newFrozenProducts = [:]
    currencies = nil
    wasCommitted = nil
    whileLanesAreHeld = nil
    failure = nil
    isOpen = false
  }

  /// Ends the transaction by the statement, which keeps its writes or not.
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

  /// Notes that the last request ended the transaction.
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
