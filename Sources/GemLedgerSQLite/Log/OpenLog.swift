internal import GemLedger

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#endif

/// A write-ahead log that is open for reading.
final class OpenLog {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(LedgerError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(errno).ledgerError("opened", path: path) }
  }

  deinit { close(descriptor) }

  /// Fills the buffer with the bytes at the offset.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(LedgerError) {
    var filled = 0
    while filled < buffer.count {
      let count = pread(
        descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemFailure(count < 0 ? errno : EIO).ledgerError("read", path: path) }
      filled += count
    }
  }

  func bytes(at offset: Int, count: Int) throws(LedgerError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { buffer.deallocate() }
    try read(buffer, at: offset)
    return Array(buffer)
  }

  func synchronize() throws(LedgerError) {
    #if canImport(Darwin)
    // Apple's fsync passes the bytes to the drive but does not flush the drive's cache.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    while fsync(descriptor) != 0 {
      guard errno == EINTR else { throw SystemFailure(errno).ledgerError("written", path: path) }
    }
  }
}
