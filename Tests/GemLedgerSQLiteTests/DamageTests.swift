import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// With any content of a file, every verb ends with an answer or an error: no trap, no work without end.
///
/// The verbs run in processes of their own (`gemdamage`), since a trap ends the process that it strikes. The seeds are
/// fixed; others run with
///
///     GEMLEDGER_DAMAGE_SEEDS=1000 .ci/test --filter DamageTests
///
/// which draws that many for each kind of damage and prints the first.
final class DamageTests: XCTestCase {
  func testExtremeValuesInAnyColumnEndNoProcess() throws {
    for name in ["rich", "economy"] {
      try assertEnds("values", of: try original(name), fixed: Tier.current.length(2, thorough: 12))
    }
  }

  func testDamagedPagesEndNoProcess() throws {
    try assertEnds("pages", of: try original("rich"), fixed: Tier.current.length(3, thorough: 15))
  }

  func testExtremeNumbersInAnExportEndNoProcess() throws {
    try assertEnds("export", of: try original("export"), fixed: Tier.current.length(6, thorough: 25))
  }

  // MARK: Running

  private func assertEnds(
    _ damage: String, of original: String, fixed: Int, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let drawn = ProcessInfo.processInfo.environment["GEMLEDGER_DAMAGE_SEEDS"].flatMap { UInt64($0) }
    let first = drawn == nil ? 1 : UInt64.random(in: 1...UInt64(Int64.max / 2))
    let end = first + (drawn ?? UInt64(fixed))
    if drawn != nil { print("\(damage): seeds \(first) to \(end - 1)") }
    var next = first
    var failures: [String] = []
    while next < end, failures.count < 20 {
      let run = try DamageRun(
        damage, original: original, directory: directory().url.path, first: next, count: end - next)
      failures += run.complaints
      guard let ended = run.endedAt else { break }
      failures.append(ended.message)
      next = ended.seed + 1
    }
    XCTAssertEqual(failures, [], file: file, line: line)
  }

  // MARK: Originals

  private var made: TemporaryDirectory?

  private func directory() throws -> TemporaryDirectory {
    let directory = try made ?? TemporaryDirectory()
    made = directory
    return directory
  }
  private let time = ManualClock()

  private func original(_ name: String) throws -> String {
    let path = try directory().path("\(name).original")
    switch name {
    case "rich":
      try RichJournal.fill(SeededRandom(seed: 11), time) {
        try Ledger.createSQLite(at: path, clock: $0, salt: 1)
      } open: {
        try Ledger.openSQLite(at: path, clock: $0)
      }
    case "economy": try fillEconomy(path)
    default:
      let ledger = try Ledger.openSQLite(at: original("economy"), clock: time.clock)
      defer { ledger.close() }
      var text: [UInt8] = []
      let gathered = Gathered()
      _ = try ledger.export { (bytes) throws(LedgerError) in gathered.append(bytes) }
      text = gathered.bytes
      try Data(text).write(to: URL(fileURLWithPath: path))
    }
    return path
  }

  /// A ledger that a random stream of everything filled while time went on.
  private func fillEconomy(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 2)
    try ledger.apply(EconomyStream.catalog())
    var stream = EconomyStream(generator: SeededRandom(seed: 12))
    for name in ["zoe", "yan", "holder"] { try ledger.grant([Make.amount("GEM", 100)], customer: Make.customer(name)) }
    for _ in 0..<500 {
      time.advance(seconds: 7)
      // Some are refused, as in the life of any ledger.
      if let booking = try? ledger.book(stream.command(now: time.now)) { stream.heard(booking) }
    }
    try ledger.book(.registerToken(TokenNumber(high: 1, low: 7), customer: Make.customer("zoe")))
    try ledger.book(.openOrder(RichJournal.opening("ORDER-1", key: "order-key"), customer: Make.customer("yan")))
    ledger.close()
  }
}
