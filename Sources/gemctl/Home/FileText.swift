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
    return { () throws(LedgerError) in try file.read() }
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
    descriptor = SystemCall.retrying { openFile(path, flags | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileAccess.failure(path, flags & O_CREAT == 0 ? "read" : "made") }
  }

  /// Standard output.
  init() {
    path = "standard output"
    descriptor = STDOUT_FILENO
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The next bytes; none at the end.
  func read() throws(LedgerError) -> [UInt8] {
    while true {
      var failed = false
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        let read = readBytes(descriptor, buffer)
        failed = read < 0
        count = max(0, read)
      }
      if !failed { return bytes }
      guard errno == EINTR else { throw FileAccess.failure(path, "read") }
    }
  }

  /// - Returns: False if the reader has closed the file.
  func write(_ bytes: [UInt8]) throws(LedgerError) -> Bool {
    switch bytes.withUnsafeBytes({ ByteWriter.write($0, to: descriptor) }) {
    case .done: return true
    case .closed: return false
    case .failed(let number):
      throw LedgerError(
        .inputOutput, "\(path.quotedForPeople) cannot be written: \(ByteWriter.name(of: number)).",
        details: [.text("file", path)])
    }
  }

  /// Makes the file's content and its name durable.
  func sync() throws(LedgerError) {
    guard ByteWriter.sync(descriptor) else { throw FileAccess.failure(path, "written") }
    try FileAccess.synchronizeDirectory(of: path)
  }
}

// The C functions; inside the types above their names are methods.

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}
