internal import GemLedger

/// The readable part of a file of records.
struct RecordScan {
  static let header = header(version: "1")

  /// The version with a checksum of its own, so that a damaged one does not pass for a later one.
  static func header(version: String) -> [UInt8] {
    let text = "gemledger-records \(version) "
    return Array((text + HexForm.hex(UInt64(Checksum.of(text.utf8)), digits: 8)).utf8) + [RecordFrame.lineFeed]
  }

  /// The kind of file.
  enum Form {
    /// One of ours.
    case records
    /// One of ours, of a later version.
    case newer
    /// Something else.
    case foreign
  }

  private(set) var form = Form.records
  /// The readable records, without those of an append that never ended.
  private(set) var records: [String] = []
  /// The unreadable ranges that were once written, oldest first.
  private(set) var damaged: [Range<Int>] = []
  /// Where the last whole append ends.
  private(set) var end = 0
  /// Whether something stands behind ``end`` that a crash left there.
  private(set) var isTorn = false
  /// Whether the last record is whole but for the end of its line.
  private(set) var lacksLineEnd = false

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { scan($0) }
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) {
    // A crash while the file was made leaves a part of the header; nothing was acknowledged then.
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
    // A damaged header in front of records that can be read is damage like any other.
    guard let first = Self.nextFrame(in: bytes, after: -1) else {
      form = Self.isNearHeader(bytes) ? .records : .foreign
      if form == .records { damaged.append(0..<bytes.count) }
      return bytes.count
    }
    damaged.append(0..<first)
    return first
  }

  /// Whether it is our header but for a byte or two, with nothing behind it.
  private static func isNearHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == header.count && zip(bytes, header).count(where: { $0 != $1 }) <= 2
  }

  /// Handles the bytes behind the last record: cut off by a crash, or damaged.
  ///
  /// A crash leaves the beginning of a line. All other bytes count as damage: they were whole before, or their origin
  /// is unknown.
  private mutating func tail(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int, open: inout [String]) {
    guard !RecordFrame.isBeginning(bytes[position...]) else {
      isTorn = true
      return
    }
    damaged.append(position..<bytes.count)
    // The lost line may have been the end of its append, so the records before it may have been acknowledged.
    records += open
    open = []
  }

  /// Where the next readable record begins: at the beginning of a line.
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
