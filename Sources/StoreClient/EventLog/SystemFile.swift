internal import GemLedger

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file of the system, closed at the end of its lifetime.
struct SystemFile: ~Copyable {
  /// The file's name in messages.
  let path: String
  private let descriptor: Int32

  /// Opens the file, or creates it so that only its owner can read it.
  init(path: String) throws(LedgerError) {
    self.path = path
    descriptor = SystemCall.retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw Self.failure(path, "opened") }
  }

  /// Creates a new file; removes any file with that name.
  ///
  /// - Parameter name: The file's final name, if it will be renamed.
  init(replacing path: String, for name: String? = nil) throws(LedgerError) {
    self.path = name ?? path
    unlink(path)
    descriptor = SystemCall.retrying { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw Self.failure(path, "made") }
  }

  deinit { close(descriptor) }

  /// Locks the file for this process alone.
  ///
  /// - Returns: False if another process has the lock.
  func lock() throws(LedgerError) -> Bool {
    if SystemCall.retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw failure("locked") }
    return false
  }

  /// Returns the process that has the file's lock, if the system reports it.
  func lockHolder() -> LockHolder? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return LockHolder(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Returns whether the path still names this file.
  func isCurrent() throws(LedgerError) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw failure("read") }
    // A network file system may still answer for a removed name; a file without a name has no links.
    guard own.st_nlink > 0, stat(path, &named) == 0 else { return false }
    return own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// Returns all bytes.
  func read() throws(LedgerError) -> [UInt8] {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw failure("read") }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled, off_t(filled))
      }
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure("read")
      }
      filled += count
    }
    return Array(bytes.prefix(filled))
  }

  /// Writes all bytes at the offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(LedgerError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(offset + written))
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw failure("written")
      }
      written += count
    }
  }

  /// Truncates the file.
  func truncate(to byteCount: Int) throws(LedgerError) {
    guard SystemCall.retrying({ ftruncate(descriptor, off_t(byteCount)) }) == 0 else { throw failure("cut") }
  }

  /// Makes all writes durable.
  func synchronize() throws(LedgerError) {
    #if canImport(Darwin)
    // Apple's fsync writes the bytes only to the drive's cache.
    if SystemCall.retrying({ fcntl(descriptor, F_FULLFSYNC) }) == 0 { return }
    guard SystemCall.retrying({ fsync(descriptor) }) == 0 else { throw failure("written") }
    #else
    guard SystemCall.retrying({ fdatasync(descriptor) }) == 0 else { throw failure("written") }
    #endif
  }

  /// Renames the file, and replaces any file with the new name.
  static func rename(_ path: String, to name: String) throws(LedgerError) {
    guard SystemCall.retrying({ systemRename(path, name) }) == 0 else { throw failure(name, "replaced") }
  }

  static func remove(_ path: String) { unlink(path) }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes the names in the file's directory durable.
  static func synchronizeDirectory(of path: String) throws(LedgerError) {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard SystemCall.synchronizeDirectory(parent) else { throw failure(parent, "written") }
  }

  private func failure(_ verb: String) -> LedgerError { Self.failure(path, verb) }

  private static func failure(_ path: String, _ verb: String) -> LedgerError {
    let reason = String(cString: strerror(errno))
    return LedgerError(
      .inputOutput, "\"\(path)\" cannot be \(verb): \(reason).", details: [.text("file", path), .text("why", reason)])
  }
}

/// The C function; inside ``SystemFile`` the name means a method.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
