internal import GemLedger

/// The readable part of a file of records.
struct RecordScan {
  static let header = header(version: "1")

  /// The version with a separate checksum, so that a damaged version is not mistaken for a newer one.
  static func header(version: String) -> [UInt8] {
    let text = "gemledger-records \(version) "
    return Array((text + HexForm.hex(UInt64(Checksum.of(text.utf8)), digits: 8)).utf8) + [RecordFrame.lineFeed]
  }

  /// The format of a file.
  enum Form {
    /// The present format.
    case records
    /// A newer version of the format.
    case newer
    /// Any other format.
    case foreign
  }

  private(set) var form = Form.records
  /// The readable records, except those of an unfinished append.
  private(set) var records: [String] = []
  /// The unreadable ranges that were written earlier, oldest first.
  private(set) var damaged: [Range<Int>] = []
  /// The end of the last complete append.
  private(set) var end = 0
  /// Whether a crash left bytes after ``end``.
  private(set) var isTorn = false
  /// Whether the last record lacks only the end of its line.
  private(set) var lacksLineEnd = false

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { scan($0) }
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    // A crash during the creation of the file leaves a part of the header; nothing was acknowledged then.
    if bytes.count < Self.header.count, Self.header.starts(with: bytes) {
      isTorn = !bytes.isEmpty
      return
    }
    var position = readHeader(bytes)
    guard form == .records else { return }
    var open: [String] = []
    while position < bytes.count {
      guard let frame = RecordFrame(in: bytes, at: position) else {
        guard let next = Self.nextFrame(in: bytes, after: position) else {
          tail(bytes, from: position, open: &open)
          break
        }
        damaged.append(position..<next)
        position = next
        continue
      }
      open.append(String(decoding: bytes[frame.text], as: UTF8.self))
      if frame.isTerminated == false { damaged.append(frame.text.upperBound..<frame.end) }
      position = frame.end
      guard frame.isLast else { continue }
      records += open
      open = []
      end = position
      if frame.isTerminated == nil { lacksLineEnd = true }
    }
    if !open.isEmpty { isTorn = true }
  }

  private mutating func readHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    if bytes.starts(with: Self.header) {
      end = Self.header.count
      return end
    }
    if let line = bytes.prefix(40).firstIndex(of: RecordFrame.lineFeed) {
      let words = String(decoding: bytes[..<line], as: UTF8.self).split(separator: " ")
      if words.count == 3, bytes.starts(with: Self.header(version: String(words[1]))) {
        form = .newer
        return 0
      }
    }
    // A damaged header before readable records is ordinary damage.
    guard let first = Self.nextFrame(in: bytes, after: -1) else {
      form = Self.isNearHeader(bytes) ? .records : .foreign
      if form == .records { damaged.append(0..<bytes.count) }
      return bytes.count
    }
    damaged.append(0..<first)
    return first
  }

  /// Returns whether it is the header with one or two wrong bytes, without anything after it.
  private static func isNearHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == header.count && zip(bytes, header).count(where: { $0 != $1 }) <= 2
  }

  /// Handles the bytes after the last record: interrupted by a crash, or damaged.
  ///
  /// A crash leaves the beginning of a line. All other bytes count as damage: they were complete before, or their
  /// origin is unknown.
  private mutating func tail(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int, open: inout [String]) {
    guard !RecordFrame.isBeginning(bytes[position...]) else {
      isTorn = true
      return
    }
    damaged.append(position..<bytes.count)
    // The lost line may have ended its append, so the records before it may have been acknowledged.
    records += open
    open = []
  }

  /// Returns the beginning of the next readable record, which is at the beginning of a line.
  private static func nextFrame(in bytes: UnsafeBufferPointer<UInt8>, after position: Int) -> Int? {
    var next = position + 1
    while next < bytes.count {
      if RecordFrame(in: bytes, at: next) != nil { return next }
      guard let line = bytes[next...].firstIndex(of: RecordFrame.lineFeed) else { return nil }
      next = line + 1
    }
    return nil
  }
}
