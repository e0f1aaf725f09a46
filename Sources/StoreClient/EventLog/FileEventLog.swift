public import GemLedger
internal import Synchronization

/// Records in a file: appended, checked on reading, and never rewritten one by one.
///
/// Every record is a line of readable text with its length and a checksum. An append is one write and one sync. An
/// append that a crash interrupted was never acknowledged and is dropped silently. Bytes that were damaged later are
/// copied to `NAME.damaged-N` and reported in ``problems``; the rest is kept. Only the file's owner may read it, and
/// one process uses it at a time.
public final class FileEventLog: EventLog {
  /// An unreadable part of the file.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// Its offset in the file, in bytes.
    public let offset: Int
    /// Its size in bytes; 0 for a missing part of a ``KeychainEventLog``.
    public let byteCount: Int
    /// The file, or the keychain's value, that now contains those bytes.
    public let savedAs: String

    /// A sentence for people.
    public var description: String {
      byteCount == 0
        ? "A part is missing before \(offset)."
        : "\(byteCount) bytes at \(offset) could not be read; they are kept in \"\(savedAs)\"."
    }
  }

  /// A file, and the offset of the next append.
  private struct Tail: ~Copyable {
    var file: SystemFile
    var end: Int
    /// Whether the directory was synced since the file was opened.
    ///
    /// The process that named the file may have been killed before the sync; a power failure would then lose the name
    /// with all later appends.
    var isNameDurable = false
  }

  private struct State: ~Copyable {
    var tail: Tail?
    /// The file's records at opening, until the first read.
    var unread: [String]?
    /// The failure that prevents all further writes.
    var failure: LedgerError?
  }

  /// The path of the file.
  public let path: String
  /// The unreadable ranges found when the file was opened, oldest first.
  public let problems: [Problem]
  private let state: Mutex<State>
  private let syncDirectory: @Sendable (String) throws(LedgerError) -> Void

  /// Opens the file, and creates it if it is missing; its directory must exist.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - timeout: How long to wait for another process that uses the file.
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `storage_unavailable` if another process
  ///   uses the file, `storage_newer`, `storage_foreign`.
  public convenience init(path: String, timeout: LockTimeout = .none) throws(LedgerError) {
    try self.init(
      path: path, timeout: timeout,
      syncDirectory: { (path) throws(LedgerError) in
        try SystemFile.synchronizeDirectory(of: path)
      })
  }

  /// - Parameter syncDirectory: Makes the name of the file at the path durable.
  init(
    path: String, timeout: LockTimeout = .none,
    syncDirectory: @escaping @Sendable (String) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let file = try Self.locked(path, timeout)
    let bytes = try file.read()
    let scan = RecordScan(bytes)
    try Self.checkForm(scan.form, path)
    let tail: Tail
    if scan.damaged.isEmpty {
      problems = []
      let end = try Self.mend(file, scan)
      tail = Tail(file: file, end: end)
    } else {
      problems = try Self.setAside(scan.damaged, of: bytes, path)
      tail = try Self.replacement(for: path, with: scan.records)
    }
    self.path = path
    self.syncDirectory = syncDirectory
    state = Mutex(State(tail: tail, unread: scan.records, failure: nil))
  }

  /// Returns all readable records, oldest first.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable` after ``close()``, `input_output`.
  public func records() throws(LedgerError) -> [String] {
    try state.withLock { (state) throws(LedgerError) in
      if let unread = state.unread.take() { return unread }
      guard state.tail != nil else { throw closed() }
      return RecordScan(try state.tail?.file.read() ?? []).records
    }
  }

  /// Appends the records, all or none; they are durable when this returns.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_request` if a record has more than one line;
  ///   `storage_unavailable` after ``close()``; `input_output` if the system refuses, for example on a full disk: then
  ///   nothing was appended; `storage_unavailable` if the file was moved, replaced or removed in the meantime: then all
  ///   later appends fail.
  public func append(_ records: [String]) throws(LedgerError) {
    guard !records.isEmpty else { return }
    let bytes = try RecordFrame.lines(records)
    try state.withLock { (state) throws(LedgerError) in
      if let failure = state.failure { throw failure }
      guard let end = state.tail?.end else { throw closed() }
      state.unread = nil
      do throws(LedgerError) {
        try state.tail?.file.write(bytes, at: end)
        try state.tail?.file.synchronize()
        try confirmName(&state.tail)
      } catch {
        // Half a record must not precede the next record. If the truncation fails too, all later writes must fail.
        do throws(LedgerError) { try state.tail?.file.truncate(to: end) } catch let second { state.failure = second }
        throw error
      }
      try checkCurrent(&state)
      state.tail?.end += bytes.count
    }
  }

  /// Replaces all records by these, all or none.
  ///
  /// - Throws: `LedgerError` as ``append(_:)``. If only the last sync fails, the new records are in the file, and
  ///   appends fail until that sync succeeds.
  public func compact(to records: [String]) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if let failure = state.failure { throw failure }
      guard state.tail != nil else { throw closed() }
      try checkCurrent(&state)
      state.tail = try Self.replacement(for: path, with: records)
      state.unread = nil
      try confirmName(&state.tail)
    }
  }

  /// Releases the file, so that another process can use it; all later calls are refused.
  public func close() {
    state.withLock {
      $0.tail = nil
      $0.unread = nil
    }
  }

  /// Ensures that the file's name survives a power failure.
  private func confirmName(_ tail: inout Tail?) throws(LedgerError) {
    guard tail?.isNameDurable == false else { return }
    try syncDirectory(path)
    tail?.isNameDurable = true
  }

  /// Checks that the next start will find the written records, which fails if the path names another file.
  private func checkCurrent(_ state: inout State) throws(LedgerError) {
    guard try state.tail?.file.isCurrent() == false else { return }
    let error = LedgerError(
      .storageUnavailable,
      "\"\(path)\" was moved, replaced or removed while it was in use. All later writes fail. Restore the right file, "
        + "then start again.", details: [.text("file", path)])
    state.failure = error
    throw error
  }

  private func closed() -> LedgerError {
    LedgerError(.storageUnavailable, "\"\(path)\" was closed.", details: [.text("file", path)])
  }
}

// MARK: Opening and replacing

extension FileEventLog {
  /// Opens and locks the file, with no other process using it.
  ///
  /// The previous owner of the lock may have replaced the file in the meantime; then the new file is opened.
  private static func locked(_ path: String, _ timeout: LockTimeout) throws(LedgerError) -> SystemFile {
    var wait = LockWait(timeout)
    while true {
      let file = try SystemFile(path: path)
      if try file.lock() {
        if try file.isCurrent() { return file }
        continue
      }
      let holder = file.lockHolder()
      guard wait.goOn(holder: holder?.process) else {
        throw .inUse(path, by: holder, waited: timeout.limit)
      }
    }
  }

  private static func checkForm(_ form: RecordScan.Form, _ path: String) throws(LedgerError) {
    switch form {
    case .records: return
    case .newer:
      throw LedgerError(
        .storageNewer, "\"\(path)\" is of a newer version. Update this program.", details: [.text("file", path)])
    case .foreign:
      throw LedgerError(.storageForeign, "\"\(path)\" is not a file of records.", details: [.text("file", path)])
    }
  }

  /// Writes the header of an empty file, and removes the remains of a crash; returns the new end of the file.
  private static func mend(_ file: borrowing SystemFile, _ scan: RecordScan) throws(LedgerError) -> Int {
    var end = scan.end
    guard end == 0 || scan.isTorn || scan.lacksLineEnd else { return end }
    if end == 0 {
      try file.truncate(to: 0)
      try file.write(RecordScan.header, at: 0)
      end = RecordScan.header.count
    } else if scan.lacksLineEnd {
      // The last record lacks only the end of its line.
      try file.write([RecordFrame.lineFeed], at: end)
      end += 1
    } else {
      try file.truncate(to: end)
    }
    try file.synchronize()
    return end
  }

  /// Copies the unreadable bytes to a separate file.
  private static func setAside(
    _ damaged: [Range<Int>], of bytes: [UInt8], _ path: String
  ) throws(LedgerError) -> [Problem] {
    var number = 1
    while SystemFile.exists("\(path).damaged-\(number)") { number += 1 }
    let name = "\(path).damaged-\(number)"
    let copy = try SystemFile(replacing: name)
    var offset = 0
    for range in damaged {
      try copy.write(Array(bytes[range]), at: offset)
      offset += range.count
    }
    try copy.synchronize()
    try SystemFile.synchronizeDirectory(of: path)
    return damaged.map { Problem(offset: $0.lowerBound, byteCount: $0.count, savedAs: name) }
  }

  /// Replaces the old file by a new one with these records.
  private static func replacement(for path: String, with records: [String]) throws(LedgerError) -> Tail {
    let bytes = RecordScan.header + (try RecordFrame.lines(records))
    let draft = path + ".new"
    do throws(LedgerError) {
      let file = try SystemFile(replacing: draft, for: path)
      try file.write(bytes, at: 0)
      try file.synchronize()
      // The file is locked before it gets its name, so that no other process can use it in between.
      guard try file.lock() else { throw .inUse(draft, by: file.lockHolder(), waited: nil) }
      try SystemFile.rename(draft, to: path)
      return Tail(file: file, end: bytes.count)
    } catch {
      SystemFile.remove(draft)
      throw error
    }
  }
}
