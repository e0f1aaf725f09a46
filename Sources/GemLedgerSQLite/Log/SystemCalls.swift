internal import GemLedger

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#endif

/// Calls of the operating system that have different names in each C library.
enum SystemCalls {
  /// The error number of an interrupted call.
  static let interrupted = EINTR

  static func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func pause(microseconds: UInt32) { usleep(microseconds) }

  /// Returns the absolute path, so that a change of the working directory has no effect; links are not resolved.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Returns a C string that is never freed.
  static func immortal(_ text: String) -> UnsafePointer<CChar>? { UnsafePointer(strdup(text)) }
}

/// The status of the file that a path leads to.
struct FileStatus {
  let device: UInt64
  let inode: UInt64
  let byteCount: Int64
  /// The time of the last change, in nanoseconds.
  let changedAt: Int64
  let isRegularFile: Bool

  init(of path: String) throws(SystemFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemFailure(errno) }
    #if canImport(Darwin)
    let changed = status.st_mtimespec
    #else
    let changed = status.st_mtim
    #endif
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int64(status.st_size)
    changedAt = Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec)
    isRegularFile = status.st_mode & S_IFMT == S_IFREG
  }
}

/// An error of the operating system.
struct SystemFailure: Error {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }
  var isMissingFile: Bool { number == ENOENT }
  var message: String { String(cString: strerror(number)) }

  func ledgerError(_ verb: String, path: String) -> LedgerError {
    LedgerError(.inputOutput, "\(path) cannot be \(verb): \(message).", details: [.text("file", path)])
  }

  /// Whether nothing can be written into the file's folder.
  ///
  /// If SQLite cannot create a file, it tries to open it for reading, and the reason is lost.
  static func isDiskFull(beside path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return false }
    return status.f_bavail == 0 || (status.f_files > 0 && status.f_favail == 0)
  }
}
