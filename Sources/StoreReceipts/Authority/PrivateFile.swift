#if Receipts
public import GemLedger

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file with a secret, readable only by its owner; the first process creates it in one step.
enum PrivateFile {
  /// A key and three certificates need a twentieth of this size.
  private static let byteCountMax = 65_536

  /// Returns the bytes of the file; creates a missing file with the text.
  ///
  /// After a crash, the file is complete or absent; at worst another private file remains next to it.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func open(_ path: String, makingIt text: () -> String) throws(LedgerError) -> [UInt8] {
    if let bytes = try read(path) { return bytes }
    try make(path, text())
    guard let bytes = try read(path) else { throw failure(path, "read", ENOENT) }
    return bytes
  }

  private static func read(_ path: String) throws(LedgerError) -> [UInt8]? {
    let descriptor = retrying { systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(path, "read", errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: byteCountMax)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { room in
        systemRead(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
      }
      if more == 0 { break }
      if more > 0 { count += more } else if errno != EINTR { throw failure(path, "read", errno) }
    }
    return Array(bytes.prefix(count))
  }

  /// Writes a new file and renames it, unless another process was faster.
  private static func make(_ path: String, _ text: String) throws(LedgerError) {
    let new = "\(path).\(UInt64.random(in: 0 ... .max))"
    let descriptor = retrying { systemOpen(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw failure(new, "made", errno) }
    defer { unlink(new) }
    let isWritten = write(Array(text.utf8), to: descriptor)
    let number = errno
    guard close(descriptor) == 0, isWritten else { throw failure(new, "written", number) }
    // Some file systems do not support links.
    guard link(new, path) == 0 || errno == EEXIST || rename(new, path) == 0 else { throw failure(path, "made", errno) }
    try synchronizeDirectory(of: path)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
    }
    return retrying { fsync(descriptor) } == 0
  }

  private static func synchronizeDirectory(of path: String) throws(LedgerError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let name = parts.isEmpty ? "." : parts.joined(separator: "/")
    let descriptor = retrying { systemOpen(name.isEmpty ? "/" : name, O_RDONLY | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { throw failure(name, "opened", errno) }
    defer { close(descriptor) }
    // Some file systems cannot synchronize directories, and report EINVAL.
    guard retrying({ fsync(descriptor) }) == 0 || errno == EINVAL else { throw failure(name, "written", errno) }
  }

  private static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let answer = call()
      if answer >= 0 || errno != EINTR { return answer }
    }
  }

  private static func failure(_ path: String, _ verb: String, _ number: Int32) -> LedgerError {
    LedgerError(
      .inputOutput, "\"\(path)\" cannot be \(verb): \(String(cString: strerror(number))).",
      details: [.text("file", path)])
  }
}

// The C functions; some of their names are also methods of ``PrivateFile``.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemRead(_ descriptor: Int32, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, room, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

extension LocalAuthority {
  /// Opens the authority in a file; creates the file with a new authority on first use.
  ///
  /// Only the file's owner can read it. Several processes may do this at once: all get the same authority.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `storage_damaged`.
  public init(file path: String) throws(LedgerError) {
    let bytes = try PrivateFile.open(path) { LocalAuthority().pem }
    do throws(LedgerError) { try self.init(pem: bytes) } catch { throw error.naming(file: path) }
  }
}

extension PlayKey {
  /// Opens the key in a file; creates the file with a new key on first use.
  ///
  /// - Throws: As ``LocalAuthority/init(file:)``.
  public init(file path: String) throws(LedgerError) {
    let bytes = try PrivateFile.open(path) { PlayKey().pem }
    do throws(LedgerError) { try self.init(pem: bytes) } catch { throw error.naming(file: path) }
  }
}

extension LedgerError {
  fileprivate func naming(file path: String) -> Self {
    LedgerError(
      code, "\"\(path)\": \(message) Restore it from a backup; without it earlier receipts cannot be verified.",
      details: [.text("file", path)])
  }
}
#endif
