import GemLedger
import GemLedgerArchive
import StoreClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that is read from its beginning, a piece at a time, as often as need be.
struct FileText: ImportText {
  let path: String

  func open() throws(LedgerError) -> () throws(LedgerError) -> [UInt8] {
    let file = try OpenFile(path, O_RDONLY)
    return { () throws(LedgerError) in try file.next() }
  }

  /// The size in bytes; 0 if it is unknown.
  var size: Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// An open file, closed with its last reference.
final class OpenFile: Sendable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String, _ flags: Int32) throws(LedgerError) {
    self.path = path
    descriptor = SystemCall.retrying { open(path, flags | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw FileAccess.failure(path, flags & O_CREAT == 0 ? "read" : "made") }
  }

  private init(_ path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  static let standardInput = OpenFile("-", descriptor: STDIN_FILENO)
  static let standardOutput = OpenFile("standard output", descriptor: STDOUT_FILENO)

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The next bytes; none at the end.
  func next() throws(LedgerError) -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      let taken = SystemCall.retrying { read(descriptor, buffer.baseAddress, buffer.count) }
      failed = taken < 0
      count = max(0, taken)
    }
    if failed { throw FileAccess.failure(path, "read") }
    return bytes
  }

  /// - Returns: False if the reader has closed the file.
  func write(_ bytes: [UInt8]) throws(LedgerError) -> Bool {
    switch bytes.withUnsafeBytes({ ByteWriter.write($0, to: descriptor) }) {
    case .done: return true
    case .closed: return false
    case .failed(let number): throw FileAccess.failure(path, "written", number)
    }
  }

  /// Makes the file's content and its name durable.
  func sync() throws(LedgerError) {
    guard ByteWriter.sync(descriptor) else { throw FileAccess.failure(path, "written") }
    try FileAccess.synchronizeDirectory(of: path)
  }
}
