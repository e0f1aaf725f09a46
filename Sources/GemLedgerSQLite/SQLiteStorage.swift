package import GemLedger
internal import Synchronization

/// Storage in one SQLite file: the embedded default.
///
/// One connection writes, a few others read snapshots in parallel; several processes may share one file. Every commit
/// is durable when it returns (write-ahead log, `synchronous=FULL`). Memory is bounded for a history of any length: at
/// most 64 MiB of pages per connection, the writer's accounts and customers, and the current group.
package final class SQLiteStorage: LedgerStorage {
  private static let idleReaderCount = 4
  /// The maximum time that a reader works without checking that its files are still in place.
  private static let lookNanoseconds: UInt64 = 10_000_000

  private let file: SQLiteFile
  /// Whether it was opened as the target of a copy or an import.
  private let isCopy: Bool
  private let sizes: TableSizes
  /// The file that the path led to at opening; every connection must use that file.
  private let main: OpenFiles.Identity?
  /// Whether the file is read-only, by its permissions or its medium.
  package let isReadOnly: Bool
  private let isClosed = Atomic(false)
  private let writer: Mutex<Writer>
  private let readers: Mutex<Readers>

  /// The writing connection, opened on first use.
  ///
  /// Protected by its lock.
  // Unchecked: the mutex `writer` gives one thread at a time access to the connection.
  private struct Writer: @unchecked Sendable {
    var session: SQLiteSession?
  }

  /// Idle reading connections.
  ///
  /// Protected by their lock; a connection that was taken out belongs to one reader.
  // Unchecked: the mutex `readers` guards the list, and a connection taken from it belongs to one thread.
  private struct Readers: @unchecked Sendable {
    var idle: [SQLiteSnapshot] = []
  }

  /// Opens an existing ledger, and applies missing schema steps.
  ///
  /// - Throws: In order of precedence `input_output` (also for a missing file), `storage_foreign`, `storage_damaged`,
  ///   `storage_newer`, `storage_unavailable`.
  package convenience init(
    path: String, now: Timestamp = LedgerClock.system.now(), steps: [Migration] = Migration.all,
    sizes: TableSizes = TableSizes()
  ) throws(LedgerError) {
    try self.init(SQLiteFile(path: path, steps: steps), now: now, isCopy: false, sizes: sizes)
  }

  /// - Parameter isCopy: Whether to resume an incomplete copy.
  private init(
    _ file: SQLiteFile, now: Timestamp, isCopy: Bool, sizes: TableSizes = TableSizes()
  ) throws(LedgerError) {
    self.file = file
    self.isCopy = isCopy
    self.sizes = sizes
    switch try file.examine() {
    case .missing, .empty: throw file.noLedger
    case .ledger: break
    }
    let connection = try Self.openChecked(file, isFirst: true)
    main = connection.files?.main
    isReadOnly = connection.isReadOnly
    let lacksSteps = try Self.translating(file.path) { () throws(SQLiteFailure) in
      try connection.version().schema < Int32(file.steps.count)
    }
    if lacksSteps {
      guard !isReadOnly else { throw file.cannotBeUpgraded }
      _ = try Self.translating(file.path) { () throws(SQLiteFailure) in
        try connection.migrate(file.steps, project: nil, at: now)
      }
    }
    let tables = SQLiteTables(connection, isCopy: isCopy, sizes: sizes)
    if !isCopy, try tables.copies.copyProgress() != nil { throw Self.incompleteCopy(file.path) }
    writer = Mutex(Writer())
    readers = Mutex(Readers(idle: [SQLiteSnapshot(tables)]))
  }

  /// Creates a new ledger.
  ///
  /// - Throws: In order of precedence `input_output`, `storage_foreign`, `storage_damaged`, `storage_newer`,
  ///   `already_exists`, `storage_unavailable`.
  package static func create(path: String, project: ProjectRow) throws(LedgerError) -> SQLiteStorage {
    try create(SQLiteFile(path: path), project: project, isCopy: false)
  }

  private static func create(
    _ file: SQLiteFile, project: ProjectRow, isCopy: Bool
  ) throws(LedgerError) -> SQLiteStorage {
    // The process that created the file may have been killed before the end. Without a schema, in the file or in the
    // log, it is not a ledger yet.
    if case .ledger(let schema) = try file.examine() {
      guard schema == 0 else { throw file.ledgerExists }
      guard try self.schema(in: file) == 0 else { throw file.ledgerExists }
    }
    guard try makeSchema(file, project: project) else { throw file.ledgerExists }
    return try SQLiteStorage(file, now: project.createdAt, isCopy: isCopy)
  }

  /// - Returns: Whether this call created the ledger; false if another process was faster.
  private static func makeSchema(_ file: SQLiteFile, project: ProjectRow) throws(LedgerError) -> Bool {
    let connection = try translating(file.path) { () throws(SQLiteFailure) in
      try SQLiteConnection(path: file.path, .create)
    }
    try connection.checkLog()
    return try translating(file.path) { () throws(SQLiteFailure) in
      try connection.executeWaiting("PRAGMA application_id = \(SQLiteFile.applicationID); PRAGMA journal_mode = WAL;")
      try connection.configure()
      return try connection.migrate(file.steps, project: project, at: project.createdAt)
    }
  }

  /// Creates a new file as the target of a copy, or opens the file of an interrupted copy of the same ledger.
  ///
  /// - Parameters:
  ///   - project: The project of the source ledger.
  ///   - source: The newest transaction of the source ledger.
  /// - Throws: As creating a ledger; `already_exists` if the file has anything other than that copy.
  package static func openCopy(
    path: String, project: ProjectRow, source: TransactionNumber
  ) throws(LedgerError) -> SQLiteStorage {
    let file = SQLiteFile(path: path)
    let storage: SQLiteStorage
    do throws(LedgerError) {
      storage = try create(file, project: project, isCopy: true)
    } catch {
      guard error.code == .alreadyExists else { throw error }
      storage = try SQLiteStorage(file, now: project.createdAt, isCopy: true)
    }
    do throws(LedgerError) {
      try storage.commit(lanes: [0]) { (session) throws(LedgerError) in
        guard try session.project() == project else { throw file.ledgerExists }
        guard try session.scan().copyProgress() == nil else { return }
        // The process that created the file may have been killed at this point. A file with any rows is an existing
        // ledger.
        guard try CopyChanges.haveRoom(in: session) else { throw file.ledgerExists }
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
  package static func openImport(
    path: String, now: Timestamp = LedgerClock.system.now(), sizes: TableSizes = TableSizes()
  ) throws(LedgerError) -> SQLiteStorage {
    try SQLiteStorage(SQLiteFile(path: path), now: now, isCopy: true, sizes: sizes)
  }

  private static func incompleteCopy(_ path: String) -> LedgerError {
    LedgerError(
      .storageUnavailable,
      "\(path) contains an incomplete copy or import. To resume it, repeat gemctl storage copy from the same source, "
        + "or import the same export again.", details: [.text("file", path)])
  }

  /// - Parameter isFirst: Whether no other connection of the storage has the file open.
  private static func openChecked(_ file: SQLiteFile, isFirst: Bool) throws(LedgerError) -> SQLiteConnection {
    let connection = try SQLiteConnection.open(file)
    if isFirst { try connection.checkLog() }
    // The log may contain a newer schema than the header; until that is known, nothing may be written.
    connection.setReadsOnly(connection.hasLog)
    let schema = try translating(file.path) { () throws(SQLiteFailure) in
      try connection.configure()
      return try connection.version().schema
    }
    try file.refuseNewer(schema)
    guard schema > 0 else { throw file.noLedger }
    connection.setReadsOnly(false)
    connection.files = try OpenFiles(connection)
    return connection
  }

  private func openAnother() throws(LedgerError) -> SQLiteTables {
    let connection = try Self.openChecked(file, isFirst: false)
    guard connection.files?.main == main else {
      throw MovedFile(what: "\(file.path) was replaced").unavailable(file.path)
    }
    return SQLiteTables(connection, isCopy: isCopy, sizes: sizes)
  }

  /// Returns the file's schema version, including its log.
  private static func schema(in file: SQLiteFile) throws(LedgerError) -> Int32 {
    let connection = try translating(file.path) { () throws(SQLiteFailure) in try SQLiteConnection(path: file.path) }
    try connection.checkLog()
    return try translating(file.path) { () throws(SQLiteFailure) in try connection.version().schema }
  }

  package var traits: StorageTraits {
    var traits = StorageTraits()
    traits.checksIndexes = true
    traits.hasFreeReaders = true
    return traits
  }

  package func read<R>(
    _ body: (any StorageSnapshot) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try read(with: try takeReader(), body)
  }

  private func read<R>(
    with snapshot: SQLiteSnapshot, _ body: (any StorageSnapshot) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let statements = snapshot.tables.statements
    let connection = statements.connection
    if let misplaced = connection.files?.lookNowAndThen(connection, every: Self.lookNanoseconds) {
      throw misplaced.unavailable(file.path)
    }
    // One statement sees one state, but a read has several: a transaction gives all of them one snapshot.
    try statements.translating { () throws(SQLiteFailure) in try statements.hot(.beginRead).run() }
    defer {
      // A check that was never awaited must not stop later reads.
      if connection.stopSign != nil { connection.obey(nil) }
      // Ending a read fails only if the connection fails, which is then not used again.
      if (try? statements.hot(.commit).run()) != nil { giveBack(snapshot) }
    }
    let answer: R
    do throws(LedgerError) { answer = try body(snapshot) } catch { throw connection.explained(error) }
    // A read without locks is consistent only if no process started to write.
    if connection.isUnchanging, try connection.logSize() > 0 { throw file.isWritten }
    return answer
  }

  package func readBeside<R: Sendable>(
    _ scan: any StorageScan, _ body: @escaping @Sendable (any StorageSnapshot) throws(LedgerError) -> R
  ) -> BackgroundTask<R>? {
    // Without another connection the scan of the caller still works.
    guard let taken = try? takeReader() else { return nil }
    let sign = (scan as? SQLiteScan)?.stopSign
    // Only the new thread uses the reader from here on.
    nonisolated(unsafe) let reader = taken
    return BackgroundTask { [self] () throws(LedgerError) in
      try read(with: reader) { (snapshot) throws(LedgerError) in
        if let sign { reader.tables.statements.connection.obey(sign) }
        return try body(snapshot)
      }
    }
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    // The result may be of any type, so it leaves the lock in a variable instead of as the lock's result.
    var result: Result<R, LedgerError>?
    writer.withLock { writer in
      do throws(LedgerError) {
        result = .success(try Self.commit(try openWriter(&writer), body))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .defect("The lock did not run its body") }
    return try result.get()
  }

  private static func commit<R>(
    _ session: SQLiteSession, _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    let statements = session.tables.statements
    defer { if statements.replacesOrphans { statements.replaceOrphans(false) } }
    while true {
      try session.begin()
      do throws(LedgerError) {
        let answer = try body(session)
        try session.commit()
        return answer
      } catch {
        session.rollBack()
        guard SQLiteFailure.isOfConstraint(error), !statements.replacesOrphans else {
          throw statements.connection.explained(error)
        }
        // The number may be used by an orphaned row, which would fail every later group too.
        statements.replaceOrphans(true)
      }
    }
  }

  package func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    readers.withLock { $0.idle.removeAll() }
    // The last connection to close checkpoints the log, so that the next opening is fast.
    writer.withLock { $0.session = nil }
  }

  // MARK: Connections

  private func openWriter(_ writer: inout Writer) throws(LedgerError) -> SQLiteSession {
    try refuseClosed()
    guard !isReadOnly else { throw file.mayOnlyBeRead }
    if let session = writer.session { return session }
    let session = SQLiteSession(try openAnother())
    writer.session = session
    return session
  }

  private func takeReader() throws(LedgerError) -> SQLiteSnapshot {
    try refuseClosed()
    if let snapshot = readers.withLock({ $0.idle.popLast() }) { return snapshot }
    return SQLiteSnapshot(try openAnother())
  }

  private func giveBack(_ snapshot: SQLiteSnapshot) {
    readers.withLock { readers in
      if readers.idle.count < Self.idleReaderCount, !isClosed.load(ordering: .sequentiallyConsistent) {
        readers.idle.append(snapshot)
      }
    }
  }

  private func refuseClosed() throws(LedgerError) {
    guard !isClosed.load(ordering: .sequentiallyConsistent) else {
      throw LedgerError(
        .storageUnavailable, "The ledger at \(file.path) was closed.", details: [.text("file", file.path)])
    }
  }

  private static func translating<R>(
    _ path: String, _ body: () throws(SQLiteFailure) -> R
  ) throws(LedgerError) -> R {
    do throws(SQLiteFailure) { return try body() } catch { throw error.ledgerError(path: path) }
  }
}
