#if Server
package import GemLedger

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A file without a name, which ends with its value: for a body that must be complete before a slow reader takes it.
package final class TemporaryFile: Sendable {
  private let descriptor: Int32

  /// Makes an empty file in the system's folder for temporary files, or that of `TMPDIR`.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  package init() throws(LedgerError) {
    let folder = TemporaryFolder.parent
    var path = Array("\(folder)/gemledger-XXXXXX".utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw Self.failure("made in \(folder)") }
    unlink(path)
  }

  /// Takes over the file at a path, which loses its name.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  package init(taking path: String) throws(LedgerError) {
    descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Adds bytes at the end.
  ///
  /// - Throws: `LedgerError` with `input_output`, such as for a full disk.
  package func append(_ bytes: [UInt8]) throws(LedgerError) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        #if canImport(Darwin)
        Darwin.write(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        #else
        write(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        #endif
      }
      guard count >= 0 || errno == EINTR else { throw Self.failure("written") }
      start += max(0, count)
    }
  }

  /// Passes the content on, in pieces, until the receiver returns false.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  package func forEachPiece(_ take: ([UInt8]) -> Bool) throws(LedgerError) {
    var position: off_t = 0
    while true {
      var failed = false
      let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        let read = pread(descriptor, buffer.baseAddress, buffer.count, position)
        failed = read < 0
        count = max(0, read)
      }
      guard !failed else { throw Self.failure("read") }
      guard !piece.isEmpty, take(piece) else { return }
      position += off_t(piece.count)
    }
  }

  private static func failure(_ what: String) -> LedgerError {
    LedgerError(.inputOutput, "A temporary file could not be \(what) (error \(errno)). Is the disk full?")
  }
}
#endif
