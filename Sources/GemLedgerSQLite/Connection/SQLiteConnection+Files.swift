internal import CSQLite
internal import GemLedger

/// Access to a ledger's files through SQLite.
///
/// A process that opens and closes the database file outside SQLite loses all of SQLite's locks on it. Another process
/// could then remove a log that is in use. So the file is read through SQLite's handle.
extension SQLiteConnection {
  /// Opens the file for writing, or for reading if it cannot be written.
  static func open(_ file: SQLiteFile) throws(LedgerError) -> SQLiteConnection {
    do throws(SQLiteFailure) {
      let connection = try SQLiteConnection(path: file.path)
      guard connection.isReadOnly else { return connection }
      do throws(SQLiteFailure) {
        _ = try connection.version()
        return connection
      } catch {
        // Without write access to the folder, SQLite cannot create the log's index, which it needs to read a log.
        guard error.isOfRights else { throw error }
      }
    } catch {
      throw error.ledgerError(path: file.path)
    }
    return try openUnchanging(file)
  }

  private static func openUnchanging(_ file: SQLiteFile) throws(LedgerError) -> SQLiteConnection {
    let connection: SQLiteConnection
    do throws(SQLiteFailure) {
      connection = try SQLiteConnection(path: file.path, .unchanging)
    } catch {
      throw error.ledgerError(path: file.path)
    }
    guard try connection.logSize() == 0 else { throw file.logCannotBeRead(connection.logPath) }
    return connection
  }

  private var file: UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, file?.pointee.pMethods != nil else { return nil }
    return file
  }

  /// The path of the write-ahead log; for a symbolic link it is next to the link's target.
  var logPath: String {
    guard let name = sqlite3_db_filename(database, "main"), let log = sqlite3_filename_wal(name) else {
      return path + "-wal"
    }
    return String(cString: log)
  }

  var indexPath: String { logPath.dropLast("-wal".count) + "-shm" }

  /// Whether there is a write-ahead log.
  var hasLog: Bool { SystemCalls.fileExists(logPath) }

  /// Whether the file's path leads to another file, or to none, since it was opened.
  var hasMoved: Bool {
    var moved: Int32 = 0
    sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return moved != 0
  }

  /// Returns the file's first bytes, or fewer if the file is shorter.
  func head(_ count: Int) throws(SQLiteFailure) -> [UInt8] {
    guard let size = try size() else { return [] }
    return try bytes(at: 0, count: min(count, size)) ?? []
  }

  /// - Returns: Nil if the file is shorter.
  private func bytes(at offset: Int, count: Int) throws(SQLiteFailure) -> [UInt8]? {
    guard let file, let read = file.pointee.pMethods.pointee.xRead, let size = try size(), size >= offset + count else {
      return nil
    }
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let code = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(count), Int64(offset)) }
    guard code == SQLITE_OK else { throw SQLiteFailure(fileCode: code) }
    return bytes
  }

  private func size() throws(SQLiteFailure) -> Int? {
    guard let file, let fileSize = file.pointee.pMethods.pointee.xFileSize else { return nil }
    var size: Int64 = 0
    let code = fileSize(file, &size)
    guard code == SQLITE_OK else { throw SQLiteFailure(fileCode: code) }
    return Int(size)
  }

  // MARK: The log

  /// Refuses a log of which SQLite would silently drop a part, and syncs the part that SQLite will use.
  ///
  /// The check runs only if no other connection has the file open. If another process has it open, SQLite takes the
  /// log's length from that process and reads no checksums, and the log may grow during the check. That process checked
  /// the log when it was alone.
  func checkLog() throws(LedgerError) {
    guard try logSize() > WriteAheadLog.headerByteCount else { return }
    // A lock needs write access. Processes with write access may change the log during the check, so only damage that
    // is found twice counts.
    guard !isReadOnly else {
      do throws(LedgerError) { return try checkLogAlone() } catch {
        SystemCalls.pause(microseconds: 50_000)
        return try checkLogAlone()
      }
    }
    do throws(SQLiteFailure) {
      guard try lockAlone() else { return }
    } catch {
      throw error.ledgerError(path: path)
    }
    defer { unlock() }
    try checkLogAlone()
  }

  /// Whether there is no log, or a log without commits.
  func hasEmptyLog() throws(LedgerError) -> Bool { try logSize() <= WriteAheadLog.headerByteCount }

  func logSize() throws(LedgerError) -> Int {
    do throws(SystemFailure) {
      return Int(try FileStatus(of: logPath).byteCount)
    } catch {
      if error.isMissingFile { return 0 }
      throw error.ledgerError("examined", path: logPath)
    }
  }

  private func checkLogAlone() throws(LedgerError) {
    let size = try logSize()
    guard size > WriteAheadLog.headerByteCount else { return }
    // SQLite takes no locks on the log, so it may be opened and closed.
    let log = try OpenLog(logPath)
    let page: (Int, Int) throws(LedgerError) -> [UInt8]? = { (number, size) throws(LedgerError) in
      do throws(SQLiteFailure) {
        return try self.bytes(at: (number - 1) * size, count: size)
      } catch {
        throw error.ledgerError(path: self.path)
      }
    }
    let head = try page(1, 100) ?? []
    let pageSize = head.isEmpty ? 4096 : max(512, Int(head[16]) << 8 | Int(head[17] & 0xFE) | Int(head[17] & 1) << 16)
    let wal = WriteAheadLog(
      head: try log.bytes(at: 0, count: WriteAheadLog.headerByteCount), byteCount: size, pageSize: pageSize,
      read: log.read)
    let found = try wal.examine { (number) throws(LedgerError) in try page(number, wal.reader.pageSize) }
    if let damage = found.damage { throw damage.ledgerError(path: path, log: logPath) }
    let byteCount: Int
    do throws(SQLiteFailure) {
      byteCount = try self.size() ?? 0
    } catch {
      throw error.ledgerError(path: path)
    }
    let first = head.withUnsafeBytes(FirstPage.init)
    guard found.content.continues(first, fileByteCount: byteCount, pageSize: wal.reader.pageSize) else {
      throw logOfAnotherState()
    }
    // A killed process may have written a commit without a sync. Later commits build on it and must not outlast it.
    if !isReadOnly { try log.synchronize() }
  }

  private func logOfAnotherState() -> LedgerError {
    LedgerError(
      .storageDamaged,
      "\(logPath), the write-ahead log of \(path), does not continue this file: the file was replaced, for example "
        + "by a backup, while the log of a killed process remained. Nothing was read or written. To use a backup, run "
        + "gemctl restore, which moves the log away. To continue from the log, put back the file that it belongs to.",
      details: [.text("file", path), .text("log", logPath)])
  }

  /// Locks the whole file, if no other connection has it open.
  private func lockAlone() throws(SQLiteFailure) -> Bool {
    var (tries, uses) = (Int32(0), 0)
    while true {
      switch try claim() {
      case .mine: return true
      case .used: uses += 1
      case .claimed: break
      }
      unlock()
      // A connection that is about to claim the file also holds it briefly, so one attempt is not enough.
      if uses == Self.looksForOthers { return false }
      guard waitForLock(nil, tries) != 0 else { throw SQLiteFailure(fileCode: SQLITE_BUSY) }
      tries += 1
    }
  }

  private static let looksForOthers = 3

  private enum Claim {
    case mine
    /// Others use the file.
    case used
    /// Another connection checks the log, or closes the file.
    case claimed
  }

  /// SQLite does not use the "reserved" lock in write-ahead mode, so this uses it to allow one checker at a time.
  private func claim() throws(SQLiteFailure) -> Claim {
    guard let file, let methods = file.pointee.pMethods, let lock = methods.pointee.xLock,
      let check = methods.pointee.xCheckReservedLock
    else { return .used }
    var reserved: Int32 = 0
    guard check(file, &reserved) == SQLITE_OK, reserved == 0 else { return .claimed }
    for (level, otherwise) in [
      (SQLITE_LOCK_SHARED, Claim.claimed), (SQLITE_LOCK_RESERVED, .claimed), (SQLITE_LOCK_EXCLUSIVE, .used),
    ] {
      let code = lock(file, level)
      if code == SQLITE_OK { continue }
      guard code & 0xFF == SQLITE_BUSY else {
        unlock()
        throw SQLiteFailure(fileCode: code)
      }
      return otherwise
    }
    return .mine
  }

  private func unlock() {
    guard let file, let unlock = file.pointee.pMethods.pointee.xUnlock else { return }
    _ = unlock(file, SQLITE_LOCK_NONE)
  }
}

extension WriteAheadLog.Damage {
  func ledgerError(path: String, log: String) -> LedgerError {
    let position = frame == 0 ? "its header" : "frame \(frame)"
    return LedgerError(
      .storageDamaged,
      "\(log), the write-ahead log of \(path), is damaged in \(position): \(framesBehind) later frames, with "
        + "\(commitsBehind) commits, would be silently lost. Nothing was written. Do not open the file with any other "
        + "program; keep a copy of it and of its log, and restore a backup or an export. To continue without those "
        + "commits, truncate the log to \(soundByteCount) bytes and run verify.",
      details: [
        .text("file", path), .text("log", log), .integer("frame", Int64(frame)),
        .integer("frames_behind", Int64(framesBehind)), .integer("commits_behind", Int64(commitsBehind)),
        .integer("sound_bytes", Int64(soundByteCount)),
      ])
  }
}
