internal import CSQLite
internal import GemLedger
internal import Synchronization

/// A transaction of the writing connection.
final class SQLiteSession: SQLiteSnapshot, StorageSession {
  private var connection: SQLiteConnection { tables.statements.connection }
  /// Whether the next commit must write the log's generation: true at the start of a log, or if the log has none.
  ///
  /// Nil before the first commit.
  private var owesGeneration: Bool?
  /// Whether the open transaction wrote the generation.
  private var wroteGeneration = false

  /// Acquires the file's write lock, waiting for other processes.
  func begin() throws(LedgerError) {
    // If groups follow each other, the check after the last commit is recent enough.
    if let misplaced = connection.files?.lookNowAndThen(connection, every: Self.lookNanoseconds) {
      throw misplaced.unavailable(connection.path)
    }
    readAhead()
    try tables.statements.translating { () throws(SQLiteFailure) in try tables.statements.hot(.begin).run() }
    wroteGeneration = false
    // A copy's commits change many accounts, each once or twice.
    guard !tables.copies.isCopy else { return }
    do throws(LedgerError) {
      tables.cache.begin(try dataVersion())
    } catch {
      rollBack()
      throw error
    }
  }

  private static let lookNanoseconds: UInt64 = 1_000_000

  /// Reads the neighbours of customers that the transactions before have searched.
  ///
  /// In a transaction a failed read would not be harmless: after some failures SQLite ends the transaction, and after
  /// others it refuses to write.
  private func readAhead() {
    let ranges = tables.customers.neighbours.take()
    guard !ranges.isEmpty else { return }
    tables.cache.readingAhead {
      for range in ranges {
        do throws(SQLiteFailure) {
          try tables.customers.readAhead(range)
          if tables.customers.neighbours.fitIntoCache { try tables.accounts.readAhead(range) }
        } catch {
          // Rows that are not in memory are read by the commands that need them, which fail if that is impossible.
        }
      }
    }
  }

  /// A number that changes when another connection commits.
  private func dataVersion() throws(LedgerError) -> Int64 {
    try tables.statements.translating { () throws(SQLiteFailure) in
      let statement = try tables.statements.hot(.dataVersion)
      defer { statement.reset() }
      guard try statement.step() else {
        throw SQLiteFailure(extendedCode: SQLITE_ERROR, message: "PRAGMA data_version returned nothing")
      }
      return statement.integer(0)
    }
  }

  /// Makes the written rows durable.
  ///
  /// - Throws: `outcome_unknown` if it is unknown whether the file has the commit: retry with the same key.
  func commit() throws(LedgerError) {
    let path = connection.path
    let begunLogs = SQLiteVFS.begunLogCount.load(ordering: .relaxed)
    do throws(SQLiteFailure) {
      let commit = try tables.statements.hot(.commit)
      try connection.gatheringFrames { () throws(SQLiteFailure) in try commit.run() }
      let hasBegunLog = SQLiteVFS.begunLogCount.load(ordering: .relaxed) != begunLogs
      owesGeneration = (owesGeneration == true || hasBegunLog) && !wroteGeneration
    } catch {
      guard error.code == SQLITE_IOERR else { throw error.ledgerError(path: path) }
      throw LedgerError(
        .outcomeUnknown,
        "Writing the commit to \(path) failed (\(error.message)); its outcome is unknown. Try again with the same "
          + "key.", details: [.text("file", path)])
    }
    if let misplaced = connection.misplaced() { throw misplaced.outcomeUnknown(path) }
    tables.cache.commit()
  }

  /// Rolls back the writes since ``begin()``; errors are ignored, since the first error matters.
  func rollBack() {
    tables.lists.buffer.forgetCount()
    tables.accounts.buffer.forgetCount()
    tables.cache.removeAll()
    wroteGeneration = false
    guard connection.isInTransaction else { return }
    sqlite3_exec(connection.database, "ROLLBACK", nil, nil, nil)
  }

  func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>) {
    tables.customers.prefetchIntoCache(commands)
  }

  // MARK: Writing

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    tables.cache.write(changes)
    let owes = if let owesGeneration { owesGeneration } else { try connection.hasEmptyLog() }
    if owes { try writeGeneration() }
    // A new customer may have the id of an erased one.
    if let cold = changes.cold { try tables.customers.freeIDs(of: cold.erasures) }
    try write(journal: changes)
    try write(projections: changes)
    if !changes.orders.isEmpty {
      try tables.orders.write(changes.orders)
      try tables.accountTokens.add(changes.orders.accountTokens)
      try tables.entitlements.write(changes.orders.entitlements)
    }
    if let cold = changes.cold { try write(cold, with: changes) }
    if changes.cold != nil || !changes.transactionsWithoutEntries.isEmpty { try tables.lists.buffer.flush() }
    if let rows = changes.catalog {
      try tables.catalog.replaceCatalog(rows, at: changes.copy == nil ? changes.catalogAppliedAt : nil)
    }
    if let copy = changes.copy {
      try tables.statements.insert(copy.catalogVersions)
      try tables.copies.write(copy)
    }
    try tables.sums.add(changes.sums())
  }

  /// Writes the log's generation, which distinguishes it from a log that continues another state of the file.
  private func writeGeneration() throws(LedgerError) {
    let salt = try tables.catalog.project().salt
    try tables.statements.translating { () throws(SQLiteFailure) in
      var version = try connection.version()
      version.generation = version.nextGeneration(salt: salt)
      try connection.execute("PRAGMA user_version = \(version.userVersion)")
    }
    wroteGeneration = true
  }

  private func write(journal changes: borrowing ChangeSet) throws(LedgerError) {
    if tables.statements.replacesOrphans, changes.copy == nil, let first = changes.entries.first {
      try tables.journal.refuseUsed(first.number)
    }
    try tables.journal.add(changes.transactions, changes.entries)
    try tables.keys.add(changes.keys)
    try tables.journal.add(changes.notes)
    try tables.lists.list(changes.transactionsWithoutEntries)
    try tables.journal.add(changes.allocations)
    try tables.items.add(changes.itemEntries)
    for row in changes.purchases { try tables.purchases.add(row) }
  }

  private func write(projections changes: borrowing ChangeSet) throws(LedgerError) {
    try tables.statements.insert(changes.environments)
    try tables.customers.add(changes.customers)
    try tables.accounts.write(new: changes.newAccounts, changed: changes.changedAccounts)
    try tables.lots.write(changes)
    try tables.accounts.add(changes.checkpoints)
    try tables.items.setOwned(after: changes.itemEntries)
  }

  private func write(_ cold: ColdChanges, with changes: borrowing ChangeSet) throws(LedgerError) {
    let listed = Dictionary(changes.transactionsWithoutEntries.map { ($0.number, $0.customer) }) { first, _ in first }
    try tables.lots.write(cold)
    try tables.customers.write(cold)
    try tables.journal.add(cold.merges)
    try tables.refunds.write(cold)
    try tables.events.add(cold.events)
    try tables.holds.write(cold, begun: listed)
    try tables.counters.write(cold)
    try tables.documents.write(cold)
    try tables.lists.list(cold.events, but: listed, areNew: !changes.transactions.isEmpty)
    let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
    try ErasureWriter(tables: tables).erase(cold.erasures, new: new + cold.addedIDs)
    if !cold.idChanges.isEmpty { try tables.customers.write(cold.idChanges) }
  }
}
