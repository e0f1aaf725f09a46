import GemLedger
import StoreClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Files and directories, through system calls: `gemctl` starts faster without a framework.
enum FileAccess {
  /// The largest file that is read whole; a catalog of ten thousand products has a tenth of it.
  static let byteCountMax = 64 << 20

  /// The file's bytes; `-` is standard input.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `limit_exceeded`.
  static func read(_ path: String, atMost byteCountMax: Int = byteCountMax) throws(LedgerError) -> [UInt8] {
    let file = path == "-" ? OpenFile.standardInput : try OpenFile(path, O_RDONLY)
    var bytes: [UInt8] = []
    while true {
      let next = try file.next()
      if next.isEmpty { return bytes }
      bytes += next
      guard bytes.count <= byteCountMax else {
        throw LedgerError(.limitExceeded, "\(path.quotedForPeople) has more than \(byteCountMax) bytes.")
      }
    }
  }

  /// Makes a file that only its owner can read; removes it if it cannot be written.
  ///
  /// - Returns: False if the name exists already.
  /// - Throws: `LedgerError` with `input_output`.
  static func create(_ path: String, _ text: String = "") throws(LedgerError) -> Bool {
    let descriptor = SystemCall.retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw failure(path, "made")
    }
    defer { close(descriptor) }
    do throws(LedgerError) { try fill(descriptor, path, with: text) } catch {
      unlink(path)
      throw error
    }
    return true
  }

  /// Writes the text to a new or emptied file, and makes it durable.
  static func fill(_ descriptor: Int32, _ path: String, with text: String) throws(LedgerError) {
    switch ByteWriter.write(text, to: descriptor) {
    case .done: break
    case .closed: throw failure(path, "written", EPIPE)
    case .failed(let number): throw failure(path, "written", number)
    }
    guard ByteWriter.sync(descriptor) else { throw failure(path, "written") }
  }

  /// Replaces the file's text atomically: a crash leaves the old or the new text.
  ///
  /// It is durable when this returns.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func replace(_ path: String, _ text: String) throws(LedgerError) {
    let new = "\(path).new"
    unlink(new)
    guard try create(new, text) else { throw failure(new, "made") }
    do throws(LedgerError) { try move(new, to: path) } catch {
      unlink(new)
      throw error
    }
    try synchronizeDirectory(of: path)
  }

  /// Makes a file under a temporary name, durably, and gives it its name when it is whole.
  ///
  /// - Parameter fill: Makes the file at the temporary path.
  static func complete<Answer>(
    _ path: String, _ fill: (String) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    let part = "\(path).unfinished"
    // Leftovers of an interrupted command; a ledger has more than one file.
    remove(Home.files(ofLedger: part))
    do throws(LedgerError) {
      let answer = try fill(part)
      try synchronize(part)
      try move(part, to: path)
      try synchronizeDirectory(of: path)
      return answer
    } catch {
      remove(Home.files(ofLedger: part))
      throw error
    }
  }

  /// - Throws: `LedgerError` with `already_exists`.
  static func checkIsNew(_ path: String) throws(LedgerError) {
    guard exists(path) else { return }
    throw LedgerError(
      .alreadyExists, "\(path.quotedForPeople) already exists; name a new file.", details: [.text("file", path)])
  }

  /// Renames the file; a file that has the new name is replaced.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func move(_ path: String, to name: String) throws(LedgerError) {
    guard SystemCall.retrying({ rename(path, name) }) == 0 else { throw failure(name, "replaced") }
  }

  /// Makes the file's content durable, also the writes of other processes.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func synchronize(_ path: String) throws(LedgerError) {
    let descriptor = SystemCall.retrying { open(path, O_RDWR | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure(path, "opened") }
    defer { close(descriptor) }
    guard ByteWriter.sync(descriptor) else { throw failure(path, "written") }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns whether both paths are the same file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Removes the files that exist; for undoing a step that just made them.
  static func remove(_ paths: [String]) {
    for path in paths { unlink(path) }
  }

  static func failure(_ path: String, _ verb: String, _ number: Int32 = errno) -> LedgerError {
    let reason = ByteWriter.name(of: number)
    return LedgerError(
      .inputOutput, "\(path.quotedForPeople) cannot be \(verb): \(reason).", details: [.text("file", path)])
  }
}

// MARK: Directories

extension FileAccess {
  /// Makes the directory and its parents unless it exists; a new directory is private to its owner.
  ///
  /// - Parameter made: Gets the directories that were made, outermost first.
  /// - Throws: `LedgerError` with `input_output`.
  static func makeDirectory(_ path: String, made: inout [String]) throws(LedgerError) {
    if mkdir(path, 0o700) == 0 { return made.append(path) }
    if errno == EEXIST { return }
    guard errno == ENOENT, let parent = parent(of: path) else { throw failure(path, "made") }
    try makeDirectory(parent, made: &made)
    if mkdir(path, 0o700) == 0 { return made.append(path) }
    guard errno == EEXIST else { throw failure(path, "made") }
  }

  /// The names in the directory.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func names(in path: String) throws(LedgerError) -> Set<String> {
    guard let stream = opendir(path) else { throw failure(path, "used as a home") }
    defer { closedir(stream) }
    var names: Set<String> = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.insert(name)
    }
    return names.subtracting([".", ".."])
  }

  /// Makes the names in the directory durable.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func synchronizeDirectory(_ path: String) throws(LedgerError) {
    guard SystemCall.synchronizeDirectory(path) else { throw failure(path, "written") }
  }

  /// The same for the directory that the file is in.
  static func synchronizeDirectory(of path: String) throws(LedgerError) {
    try synchronizeDirectory(directory(of: path))
  }

  /// Returns the parent directory of a file or directory.
  private static func directory(of path: String) -> String {
    parent(of: path) ?? (path.utf8.first == UInt8(ascii: "/") ? "/" : ".")
  }

  /// Keeps others out of the directory.
  ///
  /// - Returns: The rights that it had.
  /// - Throws: `LedgerError` with `input_output`.
  static func makePrivate(_ path: String) throws(LedgerError) -> mode_t {
    var status = stat()
    guard stat(path, &status) == 0, chmod(path, 0o700) == 0 else { throw failure(path, "kept private") }
    return status.st_mode & 0o7777
  }

  /// A new private directory for temporary files.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  static func makeTemporaryDirectory(_ name: String) throws(LedgerError) -> String {
    let parent = Environment.value("TMPDIR") ?? "/tmp"
    // `mkdtemp` replaces the six letters.
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
