import Foundation
import GemLedger
import GemTestSupport
import XCTest

@testable import StoreClient

/// Damage of any kind: acknowledged records are there, or their loss is named; nothing ends the process.
final class RecordLogDamageTests: XCTestCase {
  private struct Sample {
    let bytes: [UInt8]
    let records: [String]
    /// Where each append ended.
    let ends: [Int]
  }

  /// A log of some thousand bytes, with records like the client's, appended singly and together.
  private func sample(_ generator: inout SeededRandom) throws -> Sample {
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("sample"))
    var (records, ends) = ([String](), [Int]())
    while records.count < 40 {
      let group = (0...generator.below(3)).map { index in
        let receipt = String(repeating: "x", count: generator.below(200))
        return #"{"what":"queued","id":"\#(records.count + index)","receipt":"\#(receipt)"}"#
      }
      try log.append(group)
      records += group
      ends.append(try Data(contentsOf: URL(fileURLWithPath: log.path)).count)
    }
    log.close()
    return Sample(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: log.path))), records: records, ends: ends)
  }

  /// The outcome of one damage.
  private enum Outcome: String, CaseIterable { case named, refused, harmless, cut }

  private func play(_ damaged: [UInt8], _ sample: Sample, in directory: TemporaryDirectory, _ what: String) throws
    -> Outcome
  {
    let path = directory.path("log")
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
      try FileManager.default.removeItem(atPath: directory.path(name))
    }
    try Data(damaged).write(to: URL(fileURLWithPath: path))
    let log: FileEventLog
    do { log = try FileEventLog(path: path) } catch {
      XCTAssertTrue([.storageForeign, .storageNewer].contains(error.code), "\(what): \(error)")
      XCTAssertTrue(error.message.contains(path), "\(what): \(error)")
      XCTAssertEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path))), damaged, "\(what): untouched")
      return .refused
    }
    let read = try log.records()
    var rest = sample.records[...]
    for record in read {
      guard let index = rest.firstIndex(of: record) else {
        XCTFail("\(what): an invented record \(record)")
        break
      }
      rest = rest[(index + 1)...]
    }
    log.close()
    if !log.problems.isEmpty { return .named }
    if read == sample.records { return .harmless }
    // Nothing but an end that is missing may go silently: whole appends, and the beginning of one more.
    XCTAssertEqual(read, Array(sample.records.prefix(read.count)), what)
    XCTAssertLessThan(damaged.count, sample.bytes.count, "\(what): lost in silence")
    return .cut
  }

  private func play(_ damages: [(what: String, bytes: [UInt8])], _ sample: Sample) throws {
    let directory = try TemporaryDirectory()
    var counts: [Outcome: Int] = [:]
    for damage in damages {
      counts[try play(damage.bytes, sample, in: directory, damage.what), default: 0] += 1
    }
    print(Outcome.allCases.map { "\($0): \(counts[$0, default: 0])" }.joined(separator: ", "))
  }

  func testSectorsOfZeros() throws {
    var generator = SeededRandom()
    let sample = try sample(&generator)
    var damages: [(String, [UInt8])] = []
    for size in [64, 512, 4096] {
      for start in stride(from: 0, to: sample.bytes.count, by: size) {
        var bytes = sample.bytes
        for index in start..<min(start + size, bytes.count) { bytes[index] = 0 }
        damages.append(("zeros of \(size) at \(start), seed \(generator.seed)", bytes))
      }
    }
    // A file that grew before its bytes arrived.
    damages.append(("zeros behind the end", sample.bytes + [UInt8](repeating: 0, count: 512)))
    try play(damages, sample)
  }

  func testCutsAnywhere() throws {
    var generator = SeededRandom()
    let sample = try sample(&generator)
    let cuts = (0..<300).map { _ in generator.below(sample.bytes.count) } + [0, 1, RecordScan.header.count]
    try play(cuts.map { ("cut at \($0), seed \(generator.seed)", Array(sample.bytes[..<$0])) }, sample)
  }

  /// Without a disk: each bit, and each cut.
  func testEveryBitAndEveryCutOfASmallFile() throws {
    var generator = SeededRandom()
    let sample = try sample(&generator)
    let bytes = Array(sample.bytes.prefix(sample.ends[2]))
    let records = RecordScan(bytes).records
    for index in Tier.current.items(bytes.count / 5, of: bytes.indices) {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        let scan = RecordScan(damaged)
        let isFound = scan.form != .records || !scan.damaged.isEmpty
        XCTAssertTrue(isFound, "bit \(bit) of byte \(index), seed \(generator.seed)")
      }
      let scan = RecordScan(Array(bytes[..<index]))
      XCTAssertEqual(scan.records, Array(records.prefix(scan.records.count)), "cut at \(index), seed \(generator.seed)")
      XCTAssertTrue(scan.damaged.isEmpty, "cut at \(index), seed \(generator.seed)")
      // A full append is there as soon as all but the end of its last line is.
      let whole = sample.ends.last { $0 <= index + 1 } ?? 0
      let expected = RecordScan(Array(bytes[..<whole])).records
      XCTAssertEqual(scan.records, expected, "cut at \(index), seed \(generator.seed)")
    }
  }

  /// Whether the bytes lack whole lines and maybe their end, and nothing else.
  private static func lacksOnlyLines(_ bytes: [UInt8], _ sample: Sample) -> Bool {
    var rest = sample.bytes.split(separator: RecordFrame.lineFeed)[...]
    for line in bytes.split(separator: RecordFrame.lineFeed).dropLast() {
      guard let index = rest.firstIndex(of: line) else { return false }
      rest = rest[(index + 1)...]
    }
    return !sample.bytes.starts(with: bytes)
  }

  /// Several flips, swapped pieces, repeated pieces and cuts together.
  func testDamageOfAllKindsAtOnce() throws {
    var generator = SeededRandom()
    let sample = try sample(&generator)
    let damages: [(String, [UInt8])] = (0..<200).map { round in
      var bytes = sample.bytes
      for _ in 0...generator.below(4) {
        let start = generator.below(bytes.count)
        let end = min(bytes.count, start + 1 + generator.below(300))
        switch generator.below(4) {
        case 0: bytes[start] ^= UInt8(1 + generator.below(255))
        case 1: for index in start..<end { bytes[index] = UInt8(generator.below(256)) }
        case 2: bytes.removeSubrange(start..<end)
        default: for index in start..<end { bytes[index] = 0 }
        }
        if bytes.isEmpty { bytes = [0] }
      }
      // No disk loses whole lines and nothing else, which nothing in the file would show.
      if Self.lacksOnlyLines(bytes, sample) { bytes[bytes.count / 2] ^= 1 }
      return ("round \(round), seed \(generator.seed)", bytes)
    }
    try play(damages, sample)
  }
}
