internal import GemLedger

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An open file of the system, closed when it is given up.
struct SystemFile: ~Copyable {
  /// What messages call it.
  let path: String
  private let descriptor: Int32

  /// Opens the file, and makes it where there is none, readable by its owner only.
  init(path: String) throws(LedgerError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, "opened") }
  }

  /// Makes the file anew; what had the name is emptied.
  ///
  /// - Parameter name: The name that it will have, where that is another one.
  init(replacing path: String, for name: String? = nil) throws(LedgerError) {
    self.path = name ?? path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, "made") }
  }

  deinit { close(descriptor) }

  /// Makes this process the file's only user.
  ///
  /// - Returns: False where another one is, and `waits` is false.
  func lock(waits: Bool) throws(LedgerError) -> Bool {
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw failure("locked") }
    }
    return true
  }

  /// Whether the path still names this file.
  func isCurrent() throws(LedgerError) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { throw failure("read") }
    guard stat(path, &named) == 0 else { return false }
    return own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// All bytes.
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

  /// Cuts the file off.
  func truncate(to byteCount: Int) throws(LedgerError) {
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw failure("cut") }
  }

  /// Makes what was written durable.
  func synchronize() throws(LedgerError) {
    #if canImport(Darwin)
      // Apple's fsync hands the bytes to the drive and no further.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
      guard Self.untilDone({ fsync(descriptor) }) else { throw failure("written") }
    #else
      guard Self.untilDone({ fdatasync(descriptor) }) else { throw failure("written") }
    #endif
  }

  /// Gives the file another name, taking the place of what has it.
  static func rename(_ path: String, to name: String) throws(LedgerError) {
    guard systemRename(path, name) == 0 else { throw failure(name, "replaced") }
  }

  static func remove(_ path: String) { unlink(path) }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes the names in the file's directory durable.
  static func synchronizeDirectory(of path: String) throws(LedgerError) {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(parent, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(parent, "opened") }
    defer { close(descriptor) }
    // Some file systems cannot do this to a directory, and need not.
    guard untilDone({ fsync(descriptor) }) || errno == EINVAL else { throw failure(parent, "written") }
  }

  /// A signal may interrupt a sync before it is done.
  private static func untilDone(_ sync: () -> Int32) -> Bool {
    while sync() != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  private func failure(_ verb: String) -> LedgerError { Self.failure(path, verb) }

  private static func failure(_ path: String, _ verb: String) -> LedgerError {
    let reason = String(cString: strerror(errno))
    return LedgerError(
      .inputOutput, "\"\(path)\" cannot be \(verb): \(reason).", details: [.text("file", path), .text("why", reason)])
  }
}

/// The C function; inside ``SystemFile`` the name means its own method.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
