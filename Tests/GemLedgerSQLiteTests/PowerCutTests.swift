import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A power cut is never taken for damage, and loses no acknowledged commit.
///
/// The writes of a commit or a checkpoint since the last sync are on the disk in any part: each sector of 512 bytes is
/// old or new. The ledger goes on from the remains of the cut, is cut again, and so on: remains of several commits lie
/// in one log. More runs with
///
///     GEMLEDGER_POWER_CUTS=1000 .ci/test --filter PowerCutTests
final class PowerCutTests: XCTestCase {
  private let time = ManualClock()

  func testNoPowerCutIsDamageAndNothingAcknowledgedIsLost() throws {
    let drawn = ProcessInfo.processInfo.environment["GEMLEDGER_POWER_CUTS"].flatMap { UInt64($0) }
    let first = drawn == nil ? 1 : UInt64.random(in: 1...UInt64(Int64.max / 2))
    var (cuts, behind) = (0, 0)
    for seed in first..<first + (drawn ?? UInt64(Tier.current.length(3, thorough: 12))) {
      var generator = SeededRandom(seed: seed)
      let directory = try TemporaryDirectory()
      var path = directory.path("0.sqlite")
      try CountedLedger.create(at: path, clock: time.clock).ledger.close()
      for round in 1...6 {
        let left = try run(path, &generator)
        path = directory.path("\(round).sqlite")
        try left.files.write(to: path)
        let opened = try CountedLedger.open(at: path, clock: time.clock)
        let isRight = opened.bookedCount == left.acknowledged || opened.bookedCount == left.written
        XCTAssertTrue(isRight, "\(opened.bookedCount) of \(left.acknowledged), seed \(seed), round \(round)")
        cuts += 1
        if left.isTorn { behind += 1 }
        // The next round finds the log as the cut left it: a closed ledger has none.
        let files = try LedgerFiles(at: path)
        opened.ledger.close()
        try files.write(to: path)
      }
    }
    print("\(cuts) power cuts, \(behind) in the middle of what was written")
    XCTAssertGreaterThan(behind, 0)
  }

  private struct Left {
    let files: LedgerFiles
    let acknowledged: Int
    /// How many there are with the one that the cut came into.
    let written: Int
    let isTorn: Bool
  }

  /// Works for a while, and returns the files that a cut during the last step would leave.
  private func run(_ path: String, _ generator: inout SeededRandom) throws -> Left {
    var counted = try CountedLedger.open(at: path, clock: time.clock)
    defer { counted.ledger.close() }
    let raw = try RawSQLite(path)
    for _ in 0..<generator.below(5) {
      try counted.book(&generator)
      if generator.percent(30) { raw.run("PRAGMA wal_checkpoint(PASSIVE)") }
    }
    let before = try LedgerFiles(at: path)
    let acknowledged = try counted.count()
    if generator.percent(30) {
      raw.run("PRAGMA wal_checkpoint(PASSIVE)")
      let after = try LedgerFiles(at: path)
      var files = before
      files.database = Self.torn(from: before.database, to: after.database, &generator)
      return Left(
        files: files, acknowledged: acknowledged, written: acknowledged, isTorn: files.database != after.database)
    }
    let legs = try (0..<1 + generator.below(CountedLedger.customers)).map { position -> BasketLeg in
      .grant([try Make.amount("GEM", 1)], customer: try Make.customer("c\(position)"), source: .admin)
    }
    try counted.ledger.basket(legs, payer: Make.customer("c0"), key: Make.key("basket \(UUID())"))
    let after = try LedgerFiles(at: path)
    var files = after
    files.log = Self.log(from: before.log, to: after.log, &generator)
    let isTorn = files.log != after.log && files.log != before.log
    return Left(files: files, acknowledged: acknowledged, written: try counted.count(), isTorn: isTorn)
  }

  /// The header is synced before the first frame is written.
  private static func log(from old: [UInt8], to new: [UInt8], _ generator: inout SeededRandom) -> [UInt8] {
    let header = LedgerFiles.headerByteCount
    guard old.count >= header, old[..<header] == new[..<header] else {
      let restarted = old.count >= header ? Array(new[..<header]) + old[header...] : Array(new[..<header])
      if generator.percent(20) { return generator.percent(50) ? old : restarted }
      return torn(from: restarted, to: new, &generator, keeping: header)
    }
    return torn(from: old, to: new, &generator)
  }

  private static func torn(
    from old: [UInt8], to new: [UInt8], _ generator: inout SeededRandom, keeping kept: Int = 0
  ) -> [UInt8] {
    var torn = new
    let share = generator.one(of: [5, 50, 95])
    for sector in stride(from: 0, to: new.count, by: 512) where generator.percent(share) {
      for byte in max(kept, sector)..<max(kept, min(new.count, sector + 512)) {
        torn[byte] = byte < old.count ? old[byte] : 0
      }
    }
    // The length may be as old as the bytes.
    if generator.percent(20), new.count > old.count { torn.removeLast(generator.below(new.count - old.count + 1)) }
    return torn
  }
}
