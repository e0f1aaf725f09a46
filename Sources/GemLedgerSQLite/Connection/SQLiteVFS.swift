internal import CSQLite
internal import Synchronization

/// SQLite's default file access with three additions for a ledger.
///
/// - A sync that a signal interrupted is retried: SQLite would give up, and the state of the commit would be unknown.
/// - A read that fails or ends early is a read error: SQLite would fill the rest with zeros and treat the rows as
/// damaged.
/// - It detects the start of a log.
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

  /// The methods of an open file, three of them replaced.
  fileprivate struct Methods {
    /// The first member, since SQLite sees only this.
    var own: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
  }

  private struct KnownMethods: ~Copyable {
    var addresses: [UInt: UInt] = [:]
  }

  /// The methods for each kind of file; a process has two or three kinds.
  private static let known = Mutex(KnownMethods())

  fileprivate static func methods(over original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<Methods>? {
    let key = UInt(bitPattern: original)
    let address = known.withLock { known in
      if let address = known.addresses[key] { return address }
      let made = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
      made.initialize(to: Methods(own: original.pointee, original: original))
      made.pointee.own.xSync = syncFile
      made.pointee.own.xRead = readFile
      made.pointee.own.xWrite = writeFile
      known.addresses[key] = UInt(bitPattern: made)
      return UInt(bitPattern: made)
    }
    return UnsafePointer(bitPattern: address)
  }

  fileprivate static func original(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafePointer<sqlite3_io_methods>? {
    guard let methods = file?.pointee.pMethods else { return nil }
    return UnsafeRawPointer(methods).assumingMemoryBound(to: Methods.self).pointee.original
  }
}

// Swift does not import these macros of SQLite.
private let errorOfReading = SQLITE_IOERR | 1 << 8
private let errorOfShortReading = SQLITE_IOERR | 2 << 8
private let errorOfWriting = SQLITE_IOERR | 3 << 8
private let errorOfSyncing = SQLITE_IOERR | 4 << 8

/// Opens the file with the default VFS and installs the replaced methods.
private func openFile(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let vfs, let file, let base = sqlite3_vfs_find(nil), let open = base.pointee.xOpen,
    base.pointee.szOsFile <= vfs.pointee.szOsFile
  else { return SQLITE_CANTOPEN }
  let code = open(base, name, file, flags, outFlags)
  guard code == SQLITE_OK, let original = file.pointee.pMethods, let methods = SQLiteVFS.methods(over: original) else {
    return code
  }
  file.pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
  return code
}

private func syncFile(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
  guard let original = SQLiteVFS.original(file), let sync = original.pointee.xSync else { return errorOfSyncing }
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
  guard let original = SQLiteVFS.original(file), let write = original.pointee.xWrite else { return errorOfWriting }
  // Only the header has this length.
  if offset == 0, count == WriteAheadLog.headerByteCount {
    SQLiteVFS.begunLogCount.add(1, ordering: .sequentiallyConsistent)
  }
  return write(file, bytes, count, offset)
}

private func readFile(
  _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
) -> Int32 {
  guard let original = SQLiteVFS.original(file), let read = original.pointee.xRead else { return errorOfReading }
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
