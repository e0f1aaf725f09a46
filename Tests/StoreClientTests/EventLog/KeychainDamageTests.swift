import GemLedger
import GemTestSupport
import StoreTestSupport
import XCTest

@testable import StoreClient

/// Values that were changed, cut off, removed or written by another installation: the rest is kept, the loss is named.
final class KeychainDamageTests: XCTestCase {
  private let all = (0..<12).map { #"{"what":"queued","id":"\#($0)"}"# }

  private func open(_ keychain: FaultyKeychain, log: UInt64 = 7) throws(LedgerError) -> KeychainEventLog {
    try KeychainEventLog(name: "queue", in: keychain, segmentBytesMax: 90) { log }
  }

  private func sample() throws -> FaultyKeychain {
    let keychain = FaultyKeychain()
    let log = try open(keychain)
    for record in all { try log.append([record]) }
    return keychain
  }

  private func segments(_ keychain: FaultyKeychain) -> [String] {
    keychain.values.keys.filter { $0 != "queue.head" }.sorted()
  }

  /// - Parameter isNamed: Whether the damage must be found: the end of the last value may be that of a cut-off append.
  private func check(_ keychain: FaultyKeychain, isNamed: Bool = true, _ what: String) throws {
    let before = Set(keychain.values.values)
    let log = try open(keychain)
    let read = try log.records()
    XCTAssertTrue(Self.isSubsequence(read, of: all), "\(what): \(read)")
    XCTAssertGreaterThanOrEqual(read.count, all.count - 4, what)
    if read.count < all.count, isNamed { XCTAssertFalse(log.problems.isEmpty, what) }
    for problem in log.problems where problem.byteCount > 0 {
      XCTAssertNotNil(keychain.values[problem.savedAs], "\(what): \(problem)")
    }
    try log.append(["next"])
    log.close()
    let again = try open(keychain)
    XCTAssertEqual(again.problems, [], what)
    XCTAssertEqual(try again.records(), read + ["next"], what)
    XCTAssertFalse(before.isEmpty)
  }

  private static func isSubsequence(_ part: [String], of all: [String]) -> Bool {
    var rest = all[...]
    for one in part {
      guard let index = rest.firstIndex(of: one) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }

  func testAnyByteOfAnyValueMayBeChanged() throws {
    let names = segments(try sample())
    XCTAssertGreaterThan(names.count, 4)
    for name in names {
      let count = try XCTUnwrap(sample().values[name]?.count)
      for position in stride(from: 0, to: count, by: 3) {
        let keychain = try sample()
        keychain.values[name]?[position] ^= 0x11
        try check(keychain, "byte \(position) of \(name)")
      }
    }
  }

  func testAValueMayBeCutOffAnywhere() throws {
    let names = segments(try sample())
    for (index, name) in names.enumerated() {
      let count = try XCTUnwrap(sample().values[name]?.count)
      for length in stride(from: 0, to: count, by: 5) {
        let keychain = try sample()
        keychain.values[name] = Array(try XCTUnwrap(keychain.values[name]).prefix(length))
        try check(keychain, isNamed: index < names.count - 1, "\(name) cut at \(length)")
      }
    }
  }

  func testAnyValueMayBeGone() throws {
    for name in segments(try sample()) {
      let keychain = try sample()
      keychain.values[name] = nil
      try check(keychain, "\(name) gone")
    }
  }

  /// An app that was installed again and began anew under the same names, as far as a value of it came.
  func testAValueOfAnotherInstallationIsNotTakenForOwn() throws {
    let other = FaultyKeychain()
    let theirs = try open(other, log: 99)
    for index in 0..<12 { try theirs.append(["theirs \(index) of another installation"]) }
    for name in segments(try sample()) {
      let keychain = try sample()
      keychain.values[name] = other.values[name]
      try check(keychain, "\(name) of another installation")
    }
  }

  /// Without its head a log is still read: the oldest generation is the whole one.
  func testALostHeadIsMadeAnew() throws {
    for head in [nil, [UInt8]("nonsense".utf8)] {
      let keychain = try sample()
      keychain.values["queue.head"] = head
      let log = try open(keychain, log: 1234)
      XCTAssertEqual(try log.records(), all)
      try log.append(["next"])
      XCTAssertEqual(try open(keychain).records(), all + ["next"])
    }
  }

  /// It is not known which of two generations is newer, so none is removed without a trace.
  func testALostHeadWithTwoGenerationsLosesNothing() throws {
    let keychain = FaultyKeychain()
    let log = try KeychainEventLog(name: "queue", in: keychain, segmentBytesMax: 200) { 7 }
    try log.append(["old"])
    // The new segment and the head are written; the removal of the old segment is refused.
    keychain.inject(.refused, atChange: 2)
    try log.compact(to: ["compacted"])
    try log.append(["paid for since"])
    keychain.values["queue.head"] = nil
    let again = try KeychainEventLog(name: "queue", in: keychain, segmentBytesMax: 200) { 8 }
    XCTAssertEqual(again.problems.count, 1)
    let kept = keychain.values.values.map { String(decoding: $0, as: UTF8.self) }
    for record in ["old", "compacted", "paid for since"] {
      XCTAssertTrue(kept.contains { $0.contains(record) }, "\(record) is gone: \(kept)")
    }
  }

  func testValuesOfANewerVersionAreLeftAlone() throws {
    let keychain = try sample()
    let words = "gemledger-keychain 2 0000000000000007 1 3 "
    keychain.values["queue.head"] = Array((words + HexForm.hex(UInt64(Checksum.of(words.utf8)), digits: 8)).utf8)
    let before = keychain.values
    assertRefused(.storageNewer) { try open(keychain) }
    XCTAssertEqual(keychain.values, before)
  }

  func testTheClientIsToldOfDamage() throws {
    let keychain = try sample()
    keychain.values["queue.1.2"]?[20] ^= 0x11
    let log: any EventLog = try open(keychain)
    XCTAssertEqual((log as? any DamageReporting)?.problems.count, 1)
  }
}
