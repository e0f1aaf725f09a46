import Foundation
import GemLedger
import GemTestSupport
import XCTest

@testable import StoreClient

final class RecordLogTests: XCTestCase {
  private let records = [#"{"what":"queued","id":"1"}"#, "", #"{"what":"credited","id":"gems 💎"}"#, "= 3 00000000 abc"]

  func testKeepsRecordsInTheirOrder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let log = try FileEventLog(path: path)
    XCTAssertEqual(try log.records(), [])
    try log.append([records[0]])
    try log.append(Array(records[1...]))
    XCTAssertEqual(try log.records(), records)
    log.close()
    let again = try FileEventLog(path: path)
    XCTAssertEqual(try again.records(), records)
    XCTAssertEqual(try again.records(), records, "a second time")
    XCTAssertEqual(again.problems, [])
  }

  func testIsItsOwnersAlone() throws {
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("queue"))
    XCTAssertEqual(try mode(of: log.path), 0o600)
    try log.compact(to: records)
    XCTAssertEqual(try mode(of: log.path), 0o600)
  }

  func testCompactsAndGoesOn() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let log = try FileEventLog(path: path)
    for index in 0..<100 { try log.append(["\(index)"]) }
    try log.compact(to: ["98", "99"])
    try log.append(["100"])
    XCTAssertEqual(try log.records(), ["98", "99", "100"])
    log.close()
    XCTAssertEqual(try FileEventLog(path: path).records(), ["98", "99", "100"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.url.path), ["queue"])
  }

  func testOneProcessUsesItAtATime() throws {
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("queue"))
    assertRefused(.storageUnavailable) { try FileEventLog(path: log.path) }
    try log.compact(to: records)
    assertRefused(.storageUnavailable) { try FileEventLog(path: log.path) }
    log.close()
    XCTAssertEqual(try FileEventLog(path: log.path).records(), records)
    assertRefused(.storageUnavailable) { try log.append(["more"]) }
    assertRefused(.storageUnavailable) { try log.records() }
  }

  func testRefusesARecordOfTwoLines() throws {
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("queue"))
    assertRefused(.invalidRequest) { try log.append(["one", "two\nlines"]) }
    XCTAssertEqual(try log.records(), [])
  }

  func testRefusesOtherFiles() throws {
    let directory = try TemporaryDirectory()
    let rows: [(line: UInt, text: String, code: LedgerError.Code)] = [
      (#line, "{\"currencies\": []}\n", .storageForeign),
      (#line, "SQLite format 3\u{0}", .storageForeign),
      (#line, String(decoding: RecordScan.header(version: "2"), as: UTF8.self) + "anything\n", .storageNewer),
    ]
    for row in rows {
      let path = directory.path("other")
      try Data(row.text.utf8).write(to: URL(fileURLWithPath: path))
      assertRefused(row.code, line: row.line) { try FileEventLog(path: path) }
      XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), row.text, "untouched", line: row.line)
    }
    let refusal = assertRefused(.inputOutput) { try FileEventLog(path: directory.path("nowhere/queue")) }
    XCTAssertEqual(refusal?.text("file"), directory.path("nowhere/queue"))
    XCTAssertEqual(refusal?.text("why"), "No such file or directory")
  }

  // MARK: Crashes

  /// After a crash at any byte, whole appends are there and nothing else.
  func testSurvivesATornTailAtEveryByte() throws {
    let directory = try TemporaryDirectory()
    let (bytes, ends) = try sample(in: directory)
    for length in 0..<bytes.count {
      let path = directory.path("torn-\(length)")
      try Data(bytes[..<length]).write(to: URL(fileURLWithPath: path))
      let log = try FileEventLog(path: path)
      XCTAssertEqual(log.problems, [], "cut at \(length)")
      // A last line that lacks only its end is whole.
      let whole = ends.last { $0.byteCount <= length + 1 }?.records ?? []
      XCTAssertEqual(try log.records(), whole, "cut at \(length)")
      try log.append(["next"])
      log.close()
      XCTAssertEqual(try FileEventLog(path: path).records(), whole + ["next"], "cut at \(length)")
    }
  }

  /// Every other byte than the one that was written: the other records are there, and the damage is said and kept.
  func testKeepsTheRestWhereAByteIsDamaged() throws {
    let directory = try TemporaryDirectory()
    let (bytes, ends) = try sample(in: directory)
    let all = try XCTUnwrap(ends.last?.records)
    for position in bytes.indices {
      for flip: UInt8 in [0x01, 0x80, bytes[position] ^ 0x0A] where flip != 0 {
        let path = directory.path("damaged-\(position)-\(flip)")
        var damaged = bytes
        damaged[position] ^= flip
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        try checkDamaged(path, all: all, "byte \(position) ^ \(flip)")
      }
    }
  }

  private func checkDamaged(_ path: String, all: [String], _ what: String) throws {
    let log = try FileEventLog(path: path)
    let read = try log.records()
    XCTAssertGreaterThanOrEqual(read.count, all.count - 1, what)
    XCTAssertTrue(isSubsequence(read, of: all), "\(what): \(read)")
    XCTAssertEqual(log.problems.count, 1, what)
    guard let problem = log.problems.first else { return }
    XCTAssertEqual(problem.savedAs, path + ".damaged-1", what)
    let saved = try Data(contentsOf: URL(fileURLWithPath: problem.savedAs))
    XCTAssertEqual(saved.count, problem.byteCount, what)
    XCTAssertEqual(try mode(of: problem.savedAs), 0o600, what)
    log.close()
    let again = try FileEventLog(path: path)
    XCTAssertEqual(again.problems, [], what)
    XCTAssertEqual(try again.records(), read, what)
  }

  func testKeepsEveryDamagedPartUnderANameOfItsOwn() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    for round in 1...2 {
      let log = try FileEventLog(path: path)
      try log.compact(to: ["first", "second", "third"])
      log.close()
      let text = try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(of: "second", with: "sexond")
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let damaged = try FileEventLog(path: path)
      XCTAssertEqual(damaged.problems.map(\.savedAs), ["\(path).damaged-\(round)"])
      XCTAssertEqual(try damaged.records(), ["first", "third"])
      damaged.close()
    }
  }

  /// A file that may not grow stands for a full disk: the system refuses in the middle of a write.
  func testAFullDiskLeavesNothingHalfWritten() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let log = try FileEventLog(path: path)
    try log.append(["before"])
    let refusal = try withFileSizeLimit(200) {
      assertRefused(.inputOutput) { try log.append(["short", String(repeating: "x", count: 400)]) }
    }
    XCTAssertEqual(refusal?.text("file"), path)
    XCTAssertEqual(refusal?.text("why"), "File too large")
    XCTAssertEqual(try log.records(), ["before"])
    try log.append(["after"])
    log.close()
    XCTAssertEqual(try FileEventLog(path: path).records(), ["before", "after"])
  }

  func testAFullDiskLeavesTheOldFileWhenCompacting() throws {
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("queue"))
    try log.append(["before"])
    try withFileSizeLimit(200) {
      _ = assertRefused(.inputOutput) { try log.compact(to: [String(repeating: "x", count: 400)]) }
    }
    XCTAssertEqual(try log.records(), ["before"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.url.path), ["queue"])
  }
}

extension RecordLogTests {
  /// A small file, with its size and records after each append.
  private func sample(
    in directory: TemporaryDirectory
  ) throws -> (bytes: [UInt8], ends: [(byteCount: Int, records: [String])]) {
    let log = try FileEventLog(path: directory.path("sample"))
    var ends: [(byteCount: Int, records: [String])] = []
    var all: [String] = []
    for records in [["a"], ["bb", "{\"c\":1}", ""], ["dd"], ["e", "f"]] {
      try log.append(records)
      all += records
      ends.append((try Data(contentsOf: URL(fileURLWithPath: log.path)).count, all))
    }
    log.close()
    return (Array(try Data(contentsOf: URL(fileURLWithPath: log.path))), ends)
  }

  private func isSubsequence(_ part: [String], of all: [String]) -> Bool {
    var rest = all[...]
    for one in part {
      guard let index = rest.firstIndex(of: one) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }

  private func mode(of path: String) throws -> Int {
    try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func withFileSizeLimit<T>(_ byteCount: Int, _ body: () throws -> T) throws -> T {
    #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    var before = rlimit()
    XCTAssertEqual(getrlimit(resource, &before), 0)
    // Without this the system ends the process instead of refusing.
    let handler = signal(SIGXFSZ, SIG_IGN)
    var small = before
    small.rlim_cur = rlim_t(byteCount)
    XCTAssertEqual(setrlimit(resource, &small), 0)
    defer {
      setrlimit(resource, &before)
      signal(SIGXFSZ, handler)
    }
    return try body()
  }
}
