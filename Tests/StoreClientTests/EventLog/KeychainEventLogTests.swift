import GemLedger
import GemTestSupport
import StoreTestSupport
import XCTest

@testable import StoreClient

/// The log over a keychain: what a file promises, over values of bounded size.
final class KeychainEventLogTests: XCTestCase {
  private let records = [#"{"what":"queued","id":"1"}"#, "", #"{"what":"credited","id":"gems 💎"}"#, "= 3 00000000 abc"]

  private func open(_ keychain: FaultyKeychain, segment: Int = 24, log: UInt64 = 7) throws(LedgerError)
    -> KeychainEventLog
  {
    try KeychainEventLog(name: "queue", in: keychain, segmentBytesMax: segment) { log }
  }

  func testKeepsRecordsInTheirOrder() throws {
    for segment in [1, 7, 24, 100, KeychainEventLog.segmentBytes] {
      let keychain = FaultyKeychain()
      let log = try open(keychain, segment: segment)
      XCTAssertEqual(try log.records(), [])
      try log.append([records[0]])
      try log.append(Array(records[1...]))
      XCTAssertEqual(try log.records(), records)
      log.close()
      let again = try open(keychain, segment: segment)
      XCTAssertEqual(try again.records(), records)
      XCTAssertEqual(try again.records(), records, "a second time")
      XCTAssertEqual(again.problems, [])
      XCTAssertLessThanOrEqual(keychain.largest, max(segment + KeychainSegment.overhead, 60))
    }
  }

  func testCompactsAndGoesOn() throws {
    let keychain = FaultyKeychain()
    let log = try open(keychain)
    for index in 0..<100 { try log.append(["\(index)"]) }
    try log.compact(to: ["98", "99"])
    try log.append(["100"])
    XCTAssertEqual(try log.records(), ["98", "99", "100"])
    XCTAssertEqual(try open(keychain).records(), ["98", "99", "100"])
    XCTAssertLessThan(keychain.values.count, 6, "the old values are gone")
    try log.compact(to: [])
    XCTAssertEqual(try open(keychain).records(), [])
  }

  func testTwoLogsInOneKeychainDoNotTouchEachOther() throws {
    let keychain = FaultyKeychain()
    let log = try open(keychain)
    let other = try KeychainEventLog(name: "queue2", in: keychain)
    try log.append(["one"])
    try other.append(["two"])
    try log.compact(to: ["three"])
    XCTAssertEqual(try other.records(), ["two"])
    try KeychainEventLog.remove(name: "queue", from: keychain)
    XCTAssertEqual(try open(keychain).records(), [])
    XCTAssertEqual(try KeychainEventLog(name: "queue2", in: keychain).records(), ["two"])
  }

  func testRemovingALogLeavesAnotherOneWhoseNameBeginsWithItsName() throws {
    let keychain = FaultyKeychain()
    let names = ["queue", "queue.alice", "queue.damaged-1", "queue.5"]
    for name in names {
      try KeychainEventLog(name: name, in: keychain, segmentBytesMax: 24) { 7 }.append(["paid in \(name)"])
    }
    try KeychainEventLog.remove(name: "queue", from: keychain)
    for name in names.dropFirst() {
      let log = try KeychainEventLog(name: name, in: keychain, segmentBytesMax: 24) { 8 }
      XCTAssertEqual(try log.records(), ["paid in \(name)"])
      XCTAssertEqual(log.problems, [])
    }
    XCTAssertEqual(try open(keychain).records(), [])
  }

  func testRefusesARecordOfTwoLinesAndCallsAfterItsEnd() throws {
    let log = try open(FaultyKeychain())
    assertRefused(.invalidRequest) { try log.append(["one", "two\nlines"]) }
    XCTAssertEqual(try log.records(), [])
    log.close()
    assertRefused(.storageUnavailable) { try log.append(["more"]) }
    assertRefused(.storageUnavailable) { try log.records() }
    assertRefused(.storageUnavailable) { try log.compact(to: []) }
  }

  /// A bound on everything: nothing is written of an append that would pass it.
  func testALogThatWouldBeTooLargeTakesNothing() throws {
    let keychain = FaultyKeychain()
    let log = try open(keychain, segment: 8)
    try log.append(["before"])
    let count = keychain.changeCount
    let large = String(repeating: "x", count: 8 * KeychainFile.segmentsMax)
    assertRefused(.limitExceeded) { try log.append([large]) }
    XCTAssertEqual(keychain.changeCount - count, 0)
    assertRefused(.limitExceeded) { try log.compact(to: [large]) }
    try log.append(["after"])
    XCTAssertEqual(try open(keychain, segment: 8).records(), ["before", "after"])
  }

  // MARK: Cuts

  private enum Step {
    case append([String])
    case compact([String])
  }

  private static let steps: [Step] = [
    .append(["a"]), .append(["bb", "{\"c\":1}", ""]), .append([String(repeating: "long ", count: 12)]),
    .compact(["bb", "kept for long enough to need more than one segment"]), .append(["dd"]), .append(["e", "f"]),
    .compact([]), .append(["g"]),
  ]

  private func play(_ step: Step, on log: KeychainEventLog) throws {
    switch step {
    case .append(let records): try log.append(records)
    case .compact(let records): try log.compact(to: records)
    }
  }

  private func outcome(_ step: Step, after before: [String]) -> [String] {
    switch step {
    case .append(let records): before + records
    case .compact(let records): records
    }
  }

  /// The process ends before any change of a value: whole steps are there and nothing else.
  func testSurvivesACutBetweenAnyTwoChanges() throws {
    var cut = 0
    var isCut = true
    while isCut {
      let keychain = FaultyKeychain()
      keychain.inject(.ended, atChange: cut)
      var acknowledged: [String] = []
      var next: [String]?
      do {
        let log = try open(keychain)
        for step in Self.steps {
          next = outcome(step, after: acknowledged)
          try play(step, on: log)
          acknowledged = next ?? []
          next = nil
        }
        isCut = false
      } catch let error as LedgerError { XCTAssertEqual(error.code, .inputOutput, "cut at \(cut)") }
      try check(FaultyKeychain(keychain.values), acknowledged, next, "cut at \(cut)")
      cut += 1
    }
    XCTAssertGreaterThan(cut, 30)
  }

  /// After a cut the log holds what was acknowledged, or also the whole step that was under way.
  private func check(_ keychain: FaultyKeychain, _ acknowledged: [String], _ next: [String]?, _ what: String) throws {
    let log = try open(keychain)
    XCTAssertEqual(log.problems, [], what)
    let found = try log.records()
    XCTAssertTrue(found == acknowledged || found == next, "\(what): \(found) after \(acknowledged)")
    try log.append(["after the cut"])
    log.close()
    XCTAssertEqual(try open(keychain).records(), found + ["after the cut"], what)
    let generations = Set(keychain.values.keys.compactMap { $0.split(separator: ".").dropFirst().first })
    XCTAssertEqual(generations.count, 2, "\(what): a head and one generation, not \(generations)")
  }

  // MARK: Faults

  /// The keychain refuses a change, or makes it and loses the answer: the step is undone or done, and the next goes on.
  func testAChangeThatFailsLeavesAWholeLog() throws {
    for fault in [FaultyKeychain.Fault.refused, .answerLost] {
      for number in 0..<60 {
        let keychain = FaultyKeychain()
        let log = try open(keychain)
        keychain.inject(fault, atChange: number)
        var expected: [String] = []
        for step in Self.steps {
          let outcome = outcome(step, after: expected)
          do {
            try play(step, on: log)
            expected = outcome
          } catch let error as LedgerError {
            XCTAssertEqual(error.code, .inputOutput)
            XCTAssertEqual(try log.records(), expected, "\(fault) \(number)")
          }
        }
        XCTAssertEqual(try log.records(), expected, "\(fault) \(number)")
        let again = try open(FaultyKeychain(keychain.values))
        XCTAssertEqual(try again.records(), expected, "\(fault) \(number)")
        XCTAssertEqual(again.problems, [], "\(fault) \(number)")
      }
    }
  }

  /// Where the beginning of an append cannot be taken back, nothing may be written behind it.
  func testNothingIsWrittenBehindHalfAnAppend() throws {
    let keychain = FaultyKeychain()
    let log = try open(keychain)
    try log.append(["before"])
    keychain.inject(.refused, atChange: 1)
    keychain.inject(.refused, atChange: 2)
    assertRefused(.inputOutput) { try log.append([String(repeating: "x", count: 60)]) }
    assertRefused(.inputOutput) { try log.append(["after"]) }
    assertRefused(.inputOutput) { try log.compact(to: []) }
    XCTAssertEqual(try open(FaultyKeychain(keychain.values)).records(), ["before"])
  }

  func testAnotherWriterIsNoticed() throws {
    let keychain = FaultyKeychain()
    let log = try open(keychain)
    try log.append(["one"])
    let other = try open(keychain)
    try other.append(["two"])
    assertRefused(.storageUnavailable) { try log.append(["three"]) }
    assertRefused(.storageUnavailable) { try log.compact(to: []) }
    try other.compact(to: ["four"])
    XCTAssertEqual(try open(keychain).records(), ["four"])
  }
}
