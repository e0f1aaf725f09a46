internal import GemLedger

/// The first value of a log in a keychain, which determines the log's other values.
struct KeychainHead: Equatable {
  /// Distinguishes the values of this log from those of another installation with equal names.
  let log: UInt64
  /// Counts the replacements of all records.
  var generation: UInt64
  /// The number of started segments; after an interruption there may be one more.
  var segmentCount: Int

  var bytes: [UInt8] {
    let words = "gemledger-keychain 1 \(HexForm.hex(log, digits: 16)) \(generation) \(segmentCount) "
    return Array((words + HexForm.hex(UInt64(Checksum.of(words.utf8)), digits: 8)).utf8)
  }

  init(log: UInt64, generation: UInt64 = 1, segmentCount: Int = 0) {
    self.log = log
    self.generation = generation
    self.segmentCount = segmentCount
  }

  /// Reads a head; nil for other or changed bytes.
  init?(_ bytes: [UInt8]) {
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count == 6, let log = UInt64(words[2], radix: 16), let generation = UInt64(words[3]),
      let count = Int(words[4]), count >= 0
    else { return nil }
    self.init(log: log, generation: generation, segmentCount: count)
    guard self.bytes == bytes else { return nil }
  }

  /// Returns whether a newer version wrote the bytes.
  static func isNewer(_ bytes: [UInt8]) -> Bool {
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 6, words[0] == "gemledger-keychain", let version = Int(words[1]), version > 1 else {
      return false
    }
    let text = words.dropLast().joined(separator: " ") + " "
    return HexForm.hex(UInt64(Checksum.of(text.utf8)), digits: 8) == words[5]
  }
}

/// A segment's value: the log's number, then bytes of the records.
struct KeychainSegment {
  /// The size of the log's number before the records, in bytes.
  static let overhead = 8

  static func value(_ records: some Collection<UInt8>, of log: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: log >> (56 - 8 * $0)) } + records
  }

  /// Returns the records' bytes; nil if the segment belongs to another log.
  static func records(of value: [UInt8], of log: UInt64) -> [UInt8]? {
    guard value.count >= overhead, value.prefix(overhead).reduce(UInt64(0), { $0 << 8 | UInt64($1) }) == log else {
      return nil
    }
    return Array(value.dropFirst(overhead))
  }
}
