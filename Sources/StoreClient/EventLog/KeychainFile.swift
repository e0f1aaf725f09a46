internal import GemLedger

/// The bytes of a log in several values of bounded size: a head, and segments in order.
///
/// A segment is written as a whole. An interruption between two writes leaves a prefix of the bytes, as in a file. A
/// replacement writes segments of the next generation and then the head, which completes it.
struct KeychainFile {
  /// The maximum number of segments: with 8 KiB each, 8 MiB.
  static let segmentsMax = 1024

  let keychain: any KeychainValues
  let name: String
  let segmentBytesMax: Int
  private(set) var head: KeychainHead
  /// The bytes of the last segment, and its offset.
  private(set) var last: [UInt8] = []
  private(set) var lastStart = 0

  private var headName: String { Self.headName(name) }
  static func headName(_ name: String) -> String { "\(name).head" }
  private func segmentName(_ index: Int, _ generation: UInt64) -> String { "\(name).\(generation).\(index)" }
  /// The size of all segments in bytes.
  var byteCount: Int { lastStart + last.count }

  /// The state of a log when it is opened.
  struct Found {
    var file: KeychainFile
    var bytes: [UInt8]
    /// Bytes that another log wrote under this log's names.
    var foreign: [UInt8] = []
    /// The number of missing segments that the head counts.
    var missingCount = 0
    /// Whether the head was unreadable and was recreated.
    var hasLostHead = false
  }

  // MARK: Opening

  /// Reads the head and all segments, and removes the remains of an interrupted replacement.
  ///
  /// - Parameter newLog: Chooses a log's number if it has none yet.
  static func open(
    _ keychain: any KeychainValues, _ name: String, segmentBytesMax: Int, newLog: () -> UInt64
  ) throws(LedgerError) -> Found {
    let names = Set(try keychain.names(from: "\(name)."))
    var (head, hasLostHead) = (KeychainHead(log: newLog()), false)
    if let value = try keychain.read(headName(name)) {
      if let known = KeychainHead(value) {
        head = known
      } else {
        guard !KeychainHead.isNewer(value) else {
          throw LedgerError(
            .storageNewer, "\"\(name)\" in the keychain was written by a newer version. Update this program.",
            details: [.text("keychain", name)])
        }
        hasLostHead = true
      }
    } else {
      hasLostHead = names.contains { generation(of: $0, name) != nil }
    }
    if hasLostHead { head = try recoveredHead(keychain, name, names) ?? head }
    var found = Found(
      file: KeychainFile(keychain: keychain, name: name, segmentBytesMax: segmentBytesMax, head: head), bytes: [],
      hasLostHead: hasLostHead)
    try found.file.readSegments(names, &found.bytes, &found.foreign, &found.missingCount)
    if hasLostHead { found.foreign += try found.file.readOthers(names) }
    try found.file.removeOthers(names)
    return found
  }

  private init(keychain: any KeychainValues, name: String, segmentBytesMax: Int, head: KeychainHead) {
    self.keychain = keychain
    self.name = name
    self.segmentBytesMax = segmentBytesMax
    self.head = head
  }

  /// Returns the generation in a segment's name.
  private static func generation(of segment: String, _ name: String) -> UInt64? {
    let words = segment.dropFirst(name.count + 1).split(separator: ".")
    guard words.count == 2, Int(words[1]) != nil else { return nil }
    return UInt64(words[0])
  }

  /// Returns whether a value with this name is a segment of the log, or unreadable bytes that it set aside.
  static func isPart(_ value: String, of name: String) -> Bool {
    if generation(of: value, name) != nil { return true }
    let rest = value.utf8.dropFirst(name.utf8.count + 1)
    return rest.starts(with: "damaged-".utf8) && !rest.contains(UInt8(ascii: "."))
  }

  /// Creates the head for segments without one, with the oldest generation.
  ///
  /// A newer generation may be an incomplete replacement.
  private static func recoveredHead(
    _ keychain: any KeychainValues, _ name: String, _ names: Set<String>
  ) throws(LedgerError) -> KeychainHead? {
    guard let oldest = names.compactMap({ generation(of: $0, name) }).min(),
      let value = try keychain.read("\(name).\(oldest).0"), value.count >= KeychainSegment.overhead
    else { return nil }
    let log = value.prefix(KeychainSegment.overhead).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return KeychainHead(log: log, generation: oldest)
  }

  private mutating func readSegments(
    _ names: Set<String>, _ bytes: inout [UInt8], _ foreign: inout [UInt8], _ missingCount: inout Int
  ) throws(LedgerError) {
    var index = 0
    var isLost = false
    while index < head.segmentCount || names.contains(segmentName(index, head.generation)) {
      guard index < Self.segmentsMax else { break }
      let value = try keychain.read(segmentName(index, head.generation))
      if let value, let records = KeychainSegment.records(of: value, of: head.log) {
        lastStart = bytes.count
        last = records
        bytes += records
        isLost = false
      } else {
        if let value { foreign += value } else { missingCount += 1 }
        isLost = true
      }
      index += 1
    }
    head.segmentCount = index
    // The next append replaces a lost last segment, and does not extend the segment before it.
    if isLost { (lastStart, last) = (bytes.count, []) }
  }

  /// Returns the segments of other generations.
  ///
  /// Without a head they may be newer than the records that were read, and must not be removed silently.
  private func readOthers(_ names: Set<String>) throws(LedgerError) -> [UInt8] {
    var bytes: [UInt8] = []
    let others = names.filter { Self.generation(of: $0, name).map { $0 != head.generation } ?? false }
    for segment in others.sorted() { bytes += try keychain.read(segment) ?? [] }
    return bytes
  }

  /// Removes segments of other generations: old segments if a replacement was interrupted after its head, new segments
  /// if it was interrupted before its head.
  private func removeOthers(_ names: Set<String>) throws(LedgerError) {
    for segment in names where Self.generation(of: segment, name).map({ $0 != head.generation }) == true {
      try keychain.remove(segment)
    }
  }

  // MARK: Writing

  /// Writes the head if the values were found without one.
  func writeHead() throws(LedgerError) { try keychain.write(head.bytes, to: headName) }

  /// Returns all bytes in their present state.
  func read() throws(LedgerError) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<head.segmentCount {
      let value = try keychain.read(segmentName(index, head.generation)) ?? []
      bytes += KeychainSegment.records(of: value, of: head.log) ?? []
    }
    return bytes
  }

  /// Returns whether no other writer has changed the log since the last read or write.
  func isCurrent() throws(LedgerError) -> Bool {
    guard let value = try keychain.read(headName), let found = KeychainHead(value), found.log == head.log,
      found.generation == head.generation
    else { return false }
    // A head that was not written after the last segment has a count that is one less.
    guard head.segmentCount > 0 else { return found.segmentCount == 0 }
    let name = segmentName(head.segmentCount - 1, head.generation)
    let next = segmentName(head.segmentCount, head.generation)
    guard let value = try keychain.read(name) else { return last.isEmpty }
    guard KeychainSegment.records(of: value, of: head.log) ?? last == last else { return false }
    return try keychain.read(next) == nil
  }

  /// Checks that the bytes fit into the segments that a log can have.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded`.
  func checkRoom(for bytes: [UInt8]) throws(LedgerError) {
    let room = head.segmentCount == 0 ? 0 : segmentBytesMax - last.count
    let added = (max(0, bytes.count - room) + segmentBytesMax - 1) / segmentBytesMax
    guard head.segmentCount + added <= Self.segmentsMax else {
      throw LedgerError(
        .limitExceeded, "\"\(name)\" in the keychain would have more than \(Self.segmentsMax) parts.",
        details: [.text("keychain", name)])
    }
  }

  /// Appends the bytes: into the last segment as far as they fit, and into new segments.
  ///
  /// - Throws: `LedgerError` of the keychain. Then a prefix of the bytes may be written, and ``restore(from:)`` removes
  ///   it.
  mutating func append(_ bytes: [UInt8]) throws(LedgerError) {
    let room = segmentBytesMax - last.count
    var rest = bytes[...]
    let before = head.segmentCount
    if head.segmentCount > 0, room > 0 {
      try write(last + rest.prefix(room), at: head.segmentCount - 1)
      rest = rest.dropFirst(room)
    }
    while !rest.isEmpty {
      let part = Array(rest.prefix(segmentBytesMax))
      lastStart = byteCount
      head.segmentCount += 1
      last = []
      try write(part, at: head.segmentCount - 1)
      rest = rest.dropFirst(segmentBytesMax)
    }
    if head.segmentCount != before { try writeHead() }
  }

  private mutating func write(_ records: [UInt8], at index: Int) throws(LedgerError) {
    try keychain.write(
      KeychainSegment.value(records, of: head.log), to: segmentName(index, head.generation))
    last = records
  }

  /// Restores an earlier state of this log, if the values are newer.
  func restore(from later: KeychainFile) throws(LedgerError) {
    if head.segmentCount > 0 {
      try keychain.write(
        KeychainSegment.value(last, of: head.log), to: segmentName(head.segmentCount - 1, head.generation))
    }
    try writeHead()
    // In reverse order, so that an interruption leaves no gap.
    for index in (head.segmentCount..<max(head.segmentCount, later.head.segmentCount)).reversed() {
      try keychain.remove(segmentName(index, head.generation))
    }
  }

  /// Returns the file with these bytes instead of all others; the old values are removed after the new head is written.
  func replaced(by bytes: [UInt8]) throws(LedgerError) -> KeychainFile {
    var new = self
    new.head.generation += 1
    new.head.segmentCount = 0
    (new.last, new.lastStart) = ([], 0)
    try new.checkRoom(for: bytes)
    do throws(LedgerError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        new.lastStart = new.byteCount
        new.head.segmentCount += 1
        new.last = []
        try new.write(Array(rest.prefix(segmentBytesMax)), at: new.head.segmentCount - 1)
        rest = rest.dropFirst(segmentBytesMax)
      }
      try new.writeHead()
    } catch {
      // The head may have been written although the answer was lost; then the new generation is valid.
      if let value = try keychain.read(headName), KeychainHead(value) == new.head { return new }
      // Remaining values are removed the next time the log is opened.
      for index in 0..<new.head.segmentCount { try? keychain.remove(segmentName(index, new.head.generation)) }
      throw error
    }
    // Remaining values are removed the next time the log is opened.
    for index in 0..<head.segmentCount { try? keychain.remove(segmentName(index, head.generation)) }
    return new
  }
}
