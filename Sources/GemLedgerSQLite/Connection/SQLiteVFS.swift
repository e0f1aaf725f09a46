internal import CSQLite
internal import Synchronization

/// SQLite's default file access with five additions for a ledger.
///
/// - A sync that a signal interrupted is retried: SQLite would give up, and the state of the commit would be unknown.
/// - A read that fails or ends early is a read error: SQLite would fill the rest with zeros and treat the rows as
/// damaged.
/// - It detects the start of a log.
/// - It writes the frames of a commit with few system calls (``LogBuffer``).
/// - No connection commits during a checkpoint, with a version of SQLite that could lose the commit
/// (``CheckpointLock``).
enum SQLiteVFS {
  /// The name of the registered VFS; nil if SQLite has no default VFS.
  static let name: String? = register()

  /// The number of failed reads in the process: SQLite's check does not distinguish such a page from a damaged page.
  static let failedReadCount = Atomic(0)

  /// The number of write-ahead logs started or restarted in the process, detected by the write of the header.
  static let begunLogCount = Atomic(0)

  private static func register() -> String? {
    guard let base = sqlite3_vfs_find(nil) else { return nil }
    // SQLite keeps a registered VFS for the life of the process.
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    own.initialize(to: base.pointee)
    own.pointee.zName = SystemCalls.immortal("gemledger")
    own.pointee.pNext = nil
    own.pointee.xOpen = openFile
    guard sqlite3_vfs_register(own, 0) == SQLITE_OK else { return nil }
    return "gemledger"
  }

  /// The methods of an open file, some of them replaced.
  fileprivate struct Methods {
    /// The first member, since SQLite sees only this.
    var own: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
    /// The frames of a running commit that are not in the log yet; nil for files that are no log.
    let buffer: LogBuffer?
    /// Nil for files that are no database.
    let checkpointLock: CheckpointLock?

    init(
      over original: UnsafePointer<sqlite3_io_methods>, buffer: LogBuffer? = nil, checkpointLock: CheckpointLock? = nil
    ) {
      (own, self.original, self.buffer, self.checkpointLock) = (original.pointee, original, buffer, checkpointLock)
      own.xSync = syncFile
      own.xRead = readFile
      own.xWrite = writeFile
      if buffer != nil {
        own.xTruncate = truncateLog
        own.xFileSize = measureLog
        own.xClose = closeFile
      }
      if checkpointLock != nil {
        own.xShmLock = lockIndex
        own.xClose = closeFile
      }
    }
  }

  private struct KnownMethods: ~Copyable {
    var addresses: [UInt: UInt] = [:]
  }

  /// The methods for each kind of file except logs and databases; a process has one or two kinds.
  private static let known = Mutex(KnownMethods())

  fileprivate static func methods(over original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<Methods>? {
    let key = UInt(bitPattern: original)
    let address = known.withLock { known in
      if let address = known.addresses[key] { return address }
      let address = UInt(bitPattern: allocate(Methods(over: original)))
      known.addresses[key] = address
      return address
    }
    return UnsafePointer(bitPattern: address)
  }

  /// Returns the methods of a file that is opened, for a log or a database until it is closed.
  fileprivate static func methods(
    over original: UnsafePointer<sqlite3_io_methods>, flags: Int32
  ) -> UnsafePointer<Methods>? {
    if flags & SQLITE_OPEN_WAL != 0 { return UnsafePointer(allocate(Methods(over: original, buffer: LogBuffer()))) }
    if flags & SQLITE_OPEN_MAIN_DB != 0, original.pointee.iVersion >= 2, CheckpointLock.isNeeded {
      return UnsafePointer(allocate(Methods(over: original, checkpointLock: CheckpointLock())))
    }
    return methods(over: original)
  }

  private static func allocate(_ methods: Methods) -> UnsafeMutablePointer<Methods> {
    let made = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
    made.initialize(to: methods)
    return made
  }

  /// Returns the buffer of a connection's log; nil if the connection has no log open.
  static func logBuffer(of database: OpaquePointer) -> LogBuffer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    // Without a log this is the rollback journal, which may have methods of SQLite.
    guard code == SQLITE_OK, let close = file?.pointee.pMethods?.pointee.xClose,
      unsafeBitCast(close, to: UInt.self) == closeFileAddress
    else { return nil }
    return methods(of: file)?.pointee.buffer
  }

  private static let closeFileAddress: UInt = {
    let close: @convention(c) (UnsafeMutablePointer<sqlite3_file>?) -> Int32 = closeFile
    return unsafeBitCast(close, to: UInt.self)
  }()

  fileprivate static func methods(of file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafePointer<Methods>? {
    file?.pointee.pMethods.map { UnsafeRawPointer($0).assumingMemoryBound(to: Methods.self) }
  }

  fileprivate static func original(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafePointer<sqlite3_io_methods>? { methods(of: file)?.pointee.original }

  /// Writes the frames of a log that are not in the file yet.
  fileprivate static func flush(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
    guard let methods = methods(of: file), let buffer = methods.pointee.buffer else { return SQLITE_OK }
    return buffer.flush { write(file, $0, $1, $2) }
  }

  /// Writes with the default VFS.
  fileprivate static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64
  ) -> Int32 {
    guard let original = original(file), let write = original.pointee.xWrite else { return errorOfWriting }
    return write(file, bytes, Int32(count), offset)
  }
}

// Swift does not import these macros of SQLite.
private let errorOfReading = SQLITE_IOERR | 1 << 8
private let errorOfShortReading = SQLITE_IOERR | 2 << 8
private let errorOfWriting = SQLITE_IOERR | 3 << 8
private let errorOfSyncing = SQLITE_IOERR | 4 << 8
private let errorOfLocking = SQLITE_IOERR | 20 << 8

/// Opens the file with the default VFS and installs the replaced methods.
private func openFile(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let vfs, let file, let base = sqlite3_vfs_find(nil), let open = base.pointee.xOpen,
    base.pointee.szOsFile <= vfs.pointee.szOsFile
  else { return SQLITE_CANTOPEN }
  let code = open(base, name, file, flags, outFlags)
  guard code == SQLITE_OK, let original = file.pointee.pMethods else { return code }
  guard let methods = SQLiteVFS.methods(over: original, flags: flags) else { return code }
  file.pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
  return code
}

private func syncFile(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
  guard let original = SQLiteVFS.original(file), let sync = original.pointee.xSync else { return errorOfSyncing }
  let code = SQLiteVFS.flush(file)
  guard code == SQLITE_OK else { return code }
  while true {
    let code = sync(file, flags)
    if code == SQLITE_OK { return code }
    var number: Int32 = 0
    guard let control = original.pointee.xFileControl,
      control(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK, number == SystemCalls.interrupted
    else { return code }
  }
}

private func writeFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  guard let methods = SQLiteVFS.methods(of: file), let bytes else { return errorOfWriting }
  // Only the header has this length.
  if offset == 0, count == WriteAheadLog.headerByteCount {
    SQLiteVFS.begunLogCount.add(1, ordering: .sequentiallyConsistent)
  }
  guard let buffer = methods.pointee.buffer else { return SQLiteVFS.write(file, bytes, Int(count), offset) }
  return buffer.write(bytes, Int(count), at: offset) { SQLiteVFS.write(file, $0, $1, $2) }
}

private func truncateLog(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: Int64) -> Int32 {
  guard let original = SQLiteVFS.original(file), let truncate = original.pointee.xTruncate else {
    return errorOfWriting
  }
  let code = SQLiteVFS.flush(file)
  return code == SQLITE_OK ? truncate(file, size) : code
}

private func measureLog(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: UnsafeMutablePointer<Int64>?) -> Int32 {
  guard let original = SQLiteVFS.original(file), let measure = original.pointee.xFileSize else {
    return errorOfReading
  }
  let code = SQLiteVFS.flush(file)
  return code == SQLITE_OK ? measure(file, size) : code
}

/// Locks or unlocks a part of the log's index.
private func lockIndex(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ offset: Int32, _ count: Int32, _ flags: Int32
) -> Int32 {
  guard let methods = SQLiteVFS.methods(of: file), let lock = methods.pointee.original.pointee.xShmLock else {
    return errorOfLocking
  }
  guard let checkpointLock = methods.pointee.checkpointLock else { return lock(file, offset, count, flags) }
  return checkpointLock.lock(offset, count, flags) { lock(file, $0, $1, $2) }
}

/// Closes a log, outside of a commit, or a database.
private func closeFile(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
  guard let methods = SQLiteVFS.methods(of: file), let close = methods.pointee.original.pointee.xClose else {
    return SQLITE_IOERR
  }
  let code = close(file)
  let own = UnsafeMutablePointer(mutating: methods)
  own.deinitialize(count: 1)
  own.deallocate()
  return code
}

private func readFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  guard let methods = SQLiteVFS.methods(of: file), let read = methods.pointee.original.pointee.xRead else {
    return errorOfReading
  }
  let original = methods.pointee.original
  if let buffer = methods.pointee.buffer {
    let code = buffer.flush(beforeReadTo: offset + Int64(count)) { SQLiteVFS.write(file, $0, $1, $2) }
    guard code == SQLITE_OK else { return code }
  }
  let code = read(file, bytes, count, offset)
  if code == SQLITE_OK { return code }
  if code == errorOfShortReading {
    var size: Int64 = 0
    guard let fileSize = original.pointee.xFileSize, fileSize(file, &size) == SQLITE_OK,
      size >= offset + Int64(count)
    else { return code }
    // If the file was just extended, the second read is complete.
    let again = read(file, bytes, count, offset)
    if again == SQLITE_OK { return again }
  }
  SQLiteVFS.failedReadCount.add(1, ordering: .sequentiallyConsistent)
  // One error code means a damaged file system, which SQLite would report as a damaged database.
  return errorOfReading
}
