public import GemLedger
internal import Synchronization

/// Records in a keychain: the format and guarantees of ``FileEventLog``, in values of bounded size.
///
/// The records are in segments of at most 8 KiB, each a separate value, and a small head counts them. An append writes
/// the last segment, and new segments if it is full. An append that was interrupted between two values was never
/// acknowledged and is dropped silently. Damaged bytes are kept under `NAME.damaged-N` and reported in ``problems``;
/// the rest is kept. A log takes at most 8 MiB; the client compacts its log long before.
///
/// A keychain outlives the app: a reinstalled app continues with its earlier customer and purchases. One process uses a
/// log at a time. A keychain has no locks: after a write by another process, the next append detects it and is refused.
///
/// ```swift
/// let log = try KeychainEventLog(name: "gems", in: SystemKeychain(service: "com.example.gems"))
/// ```
public final class KeychainEventLog: EventLog, DamageReporting {
  private struct State {
    /// The values; nil after ``close()``.
    var file: KeychainFile?
    /// The records at opening, until the first read.
    var unread: [String]?
    /// The failure that prevents all further writes.
    var failure: LedgerError?
  }

  /// The common prefix of the names of the log's values.
  public let name: String
  /// The unreadable parts found when the log was opened, oldest first.
  public let problems: [FileEventLog.Problem]
  private let state: Mutex<State>

  /// The maximum bytes of records in one value.
  static let segmentBytes = 8192

  /// Opens the log, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - name: Distinguishes this log from others in the keychain.
  ///   - keychain: The keychain that keeps the log's values.
  /// - Throws: `LedgerError` with, in order of precedence: `input_output` if the keychain refuses; `storage_newer`;
  ///   `storage_foreign`.
  public convenience init(name: String, in keychain: any KeychainValues) throws(LedgerError) {
    try self.init(name: name, in: keychain, segmentBytesMax: Self.segmentBytes) { .random(in: 0 ... .max) }
  }

  init(
    name: String, in keychain: any KeychainValues, segmentBytesMax: Int, newLog: () -> UInt64
  ) throws(LedgerError) {
    let found = try KeychainFile.open(keychain, name, segmentBytesMax: segmentBytesMax, newLog: newLog)
    let scan = RecordScan(found.bytes)
    try Self.checkForm(scan.form, name)
    let isHarmed = !scan.damaged.isEmpty || !found.foreign.isEmpty || found.missingCount > 0
    if isHarmed {
      problems = try Self.setAside(found, scan)
      let file = try found.file.replaced(by: RecordScan.header + RecordFrame.lines(scan.records))
      state = Mutex(State(file: file, unread: scan.records))
    } else {
      problems = []
      state = Mutex(State(file: try Self.mend(found, scan), unread: scan.records))
    }
    self.name = name
  }

  /// Returns all readable records, oldest first.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable` after ``close()``, `input_output`.
  public func records() throws(LedgerError) -> [String] {
    try state.withLock { (state) throws(LedgerError) in
      if let unread = state.unread.take() { return unread }
      guard let file = state.file else { throw closed() }
      return RecordScan(try file.read()).records
    }
  }

  /// Appends the records, all or none; they are durable when this returns.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_request` if a record has more than one line;
  ///   `storage_unavailable` after ``close()``, and if another writer has changed the log: then all later appends fail;
  ///   `limit_exceeded`; `input_output` if the keychain refuses: then nothing was appended.
  public func append(_ records: [String]) throws(LedgerError) {
    guard !records.isEmpty else { return }
    let bytes = try RecordFrame.lines(records)
    try state.withLock { (state) throws(LedgerError) in
      let file = try usable(&state)
      try file.checkRoom(for: bytes)
      state.unread = nil
      var next = file
      do throws(LedgerError) { try next.append(bytes) } catch {
        // Half a record must not precede the next record. If the restore fails too, all later writes must fail.
        do throws(LedgerError) { try file.restore(from: next) } catch let second { state.failure = second }
        throw error
      }
      state.file = next
    }
  }

  /// Replaces all records by these, all or none.
  ///
  /// - Throws: `LedgerError` as ``append(_:)``.
  public func compact(to records: [String]) throws(LedgerError) {
    let bytes = RecordScan.header + (try RecordFrame.lines(records))
    try state.withLock { (state) throws(LedgerError) in
      let file = try usable(&state)
      state.file = try file.replaced(by: bytes)
      state.unread = nil
    }
  }

  /// Ends the use of the log; all later calls are refused.
  public func close() {
    state.withLock {
      $0.file = nil
      $0.unread = nil
    }
  }

  /// Removes the log with all its values, for an app that starts anew after a reinstallation.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  public static func remove(name: String, from keychain: any KeychainValues) throws(LedgerError) {
    // The name of another log may begin with this name. The head is removed last: without it, the rest would count as
    // damage.
    let names = try keychain.names(from: "\(name).").filter { KeychainFile.isPart($0, of: name) }
    for value in names { try keychain.remove(value) }
    try keychain.remove(KeychainFile.headName(name))
  }

  private func usable(_ state: inout State) throws(LedgerError) -> KeychainFile {
    if let failure = state.failure { throw failure }
    guard let file = state.file else { throw closed() }
    guard try !file.isCurrent() else { return file }
    let error = LedgerError(
      .storageUnavailable,
      "\"\(name)\" in the keychain was changed by another process while it was in use. All later writes to it fail.",
      details: [.text("keychain", name)])
    state.failure = error
    throw error
  }

  private func closed() -> LedgerError {
    LedgerError(.storageUnavailable, "\"\(name)\" was closed.", details: [.text("keychain", name)])
  }
}

// MARK: Opening

extension KeychainEventLog {
  private static func checkForm(_ form: RecordScan.Form, _ name: String) throws(LedgerError) {
    switch form {
    case .records: return
    case .newer:
      throw LedgerError(
        .storageNewer, "\"\(name)\" in the keychain was written by a newer version. Update this program.",
        details: [.text("keychain", name)])
    case .foreign:
      throw LedgerError(
        .storageForeign, "\"\(name)\" in the keychain is not a log of records.", details: [.text("keychain", name)])
    }
  }

  /// Writes the head of a new log, and removes the remains of a crash.
  private static func mend(_ found: KeychainFile.Found, _ scan: RecordScan) throws(LedgerError) -> KeychainFile {
    var file = found.file
    if found.hasLostHead { try file.writeHead() }
    if scan.end == 0 {
      if !found.bytes.isEmpty { return try file.replaced(by: RecordScan.header) }
      try file.writeHead()
      try file.append(RecordScan.header)
    } else if scan.isTorn {
      return try file.replaced(by: Array(found.bytes[..<scan.end]))
    } else if scan.lacksLineEnd {
      try file.append([RecordFrame.lineFeed])
    } else {
      // The write may have been interrupted between the last segment and the head that counts it.
      try file.writeHead()
    }
    return file
  }

  /// Keeps the unreadable bytes under separate names.
  private static func setAside(
    _ found: KeychainFile.Found, _ scan: RecordScan
  ) throws(LedgerError) -> [FileEventLog.Problem] {
    let file = found.file
    let names = Set(try file.keychain.names(from: "\(file.name)."))
    var number = 1
    while names.contains("\(file.name).damaged-\(number)") { number += 1 }
    let name = "\(file.name).damaged-\(number)"
    let bytes = scan.damaged.flatMap { found.bytes[$0] } + found.foreign
    // The later parts are written first: the name without a part number confirms that all parts exist.
    var start = 0
    var parts: [(name: String, bytes: [UInt8])] = []
    while start < bytes.count {
      let end = min(start + file.segmentBytesMax, bytes.count)
      parts.append((parts.isEmpty ? name : "\(name)-\(parts.count + 1)", Array(bytes[start..<end])))
      start = end
    }
    for part in parts.reversed() { try file.keychain.write(part.bytes, to: part.name) }
    var problems = scan.damaged.map {
      FileEventLog.Problem(offset: $0.lowerBound, byteCount: $0.count, savedAs: name)
    }
    if !found.foreign.isEmpty {
      problems.append(FileEventLog.Problem(offset: found.bytes.count, byteCount: found.foreign.count, savedAs: name))
    }
    if found.missingCount > 0, scan.damaged.isEmpty {
      problems.append(FileEventLog.Problem(offset: found.bytes.count, byteCount: 0, savedAs: ""))
    }
    return problems
  }
}

/// An event log that reports its damage.
protocol DamageReporting {
  var problems: [FileEventLog.Problem] { get }
}

extension FileEventLog: DamageReporting {}
