import GemLedger

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files and directories, by the system's own calls: `gemctl` starts faster without a framework for them.
enum FileAccess {
  /// The largest file that is read whole; a catalog of ten thousand products has a tenth of it.
  static let byteCountMax = 64 << 20

  /// The file's bytes; `-` is standard input.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `limit_exceeded`.
  static func read(_ path: String, atMost byteCountMax: Int = byteCountMax) throws(LedgerError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "read") }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    while true {
      let count = try append(from: descriptor, path, to: &bytes)
      if count == 0 { return bytes }
      guard bytes.count <= byteCountMax else {
        throw LedgerError(.limitExceeded, "\(path.quotedForPeople) has more than \(byteCountMax) bytes.")
      }
    }
  }

  /// Makes a file that only its owner can read.
  ///
  /// - Returns: False where there is something of that name already.
  /// - Throws: `LedgerError` with `input_output`.
  static func create(_ path: String, _ text: String = "") throws(LedgerError) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw failure(path, "made")
    }
    defer { close(descriptor) }
    guard ByteWriter.write(text, to: descriptor) == .done, ByteWriter.sync(descriptor) else {
      throw failure(path, "written")
    }
    return true
  }

  /// Puts a file with this text in the place of the one that is there; a crash leaves one or the other, whole.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func replace(_ path: String, _ text: String) throws(LedgerError) {
    let new = "\(path).new"
    unlink(new)
    guard try create(new, text) else { throw failure(new, "made") }
    guard rename(new, path) == 0 else { throw failure(path, "replaced") }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Removes files, as far as they are there; for taking back what was just made.
  static func remove(_ paths: [String]) {
    for path in paths { unlink(path) }
  }

  private static func append(
    from descriptor: Int32, _ path: String, to bytes: inout [UInt8]
  ) throws(LedgerError) -> Int {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count >= 0 {
        bytes += chunk.prefix(count)
        return count
      }
      guard errno == EINTR else { throw failure(path, "read") }
    }
  }

  static func failure(_ path: String, _ verb: String) -> LedgerError {
    let reason = ByteWriter.name(of: errno)
    return LedgerError(
      .inputOutput, "\(path.quotedForPeople) cannot be \(verb): \(reason).", details: [.text("file", path)])
  }
}

// MARK: Directories

extension FileAccess {
  /// Makes the directory, and those above it, unless it is there; a new one is private to its owner.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func makeDirectory(_ path: String) throws(LedgerError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let parent = parent(of: path) else { throw failure(path, "made") }
    try makeDirectory(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path, "made") }
  }

  /// Whether there is nothing in the directory.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func isEmptyDirectory(_ path: String) throws(LedgerError) -> Bool {
    guard let stream = opendir(path) else { throw failure(path, "used as a home") }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    // The directory itself and the one above it are listed too.
    return count <= 2
  }

  /// Keeps others out of the directory.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func makePrivate(_ path: String) throws(LedgerError) {
    guard chmod(path, 0o700) == 0 else { throw failure(path, "kept private") }
  }

  /// A new private directory for temporary files.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func makeTemporaryDirectory(_ name: String) throws(LedgerError) -> String {
    let parent = Environment.value("TMPDIR") ?? "/tmp"
    // `mkdtemp` puts letters of its own choice in the place of the six.
    var template = Array("\(parent)/\(name)-\(String(repeating: "X", count: 6))".utf8CString)
    guard mkdtemp(&template) != nil else { throw failure(parent, "written to") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func removeDirectory(_ path: String) { rmdir(path) }

  /// Removes a file, and the directory that was made for it.
  static func removeWithDirectory(_ path: String) {
    remove([path])
    if let directory = parent(of: path) { removeDirectory(directory) }
  }

  private static func parent(of path: String) -> String? {
    let trimmed = path.utf8.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
    guard let slash = trimmed.lastIndex(of: "/"), slash > trimmed.startIndex else { return nil }
    return String(trimmed[..<slash])
  }
}

/// The C function; inside ``FileAccess`` the name means its own methods.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}
