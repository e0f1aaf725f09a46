import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// An export after a cursor finds the keys of its transactions without reading all keys, and loses none in any order.
final class NewestKeysTests: XCTestCase {
  private let time = ManualClock()
  private var ledger: Ledger!
  private var directory: TemporaryDirectory!

  override func setUpWithError() throws {
    directory = try TemporaryDirectory()
    ledger = try Ledger.createSQLite(at: directory.path("it.sqlite"), clock: time.clock)
    try ledger.define(Currency(code: CurrencyCode("GEM"), name: "Gem"))
  }

  override func tearDown() { ledger.close() }

  func testKeysOrderedByTimeAreFoundAtTheEnd() throws {
    try grant((0..<600).map(Self.timed))
    let first = try last()
    let cursor = try Exported(ledger).summary.cursor
    try grant((600..<620).map(Self.timed) + ["text-1", "text-2"])
    XCTAssertEqual(try search(after: first)?.count, 22)
    try assertKeys((600..<620).map(Self.timed) + ["text-1", "text-2"], after: cursor)
  }

  func testTextsOrderedByTimeAreFoundBelowUUIDs() throws {
    try grant((0..<600).map(Self.timed) + (1000..<1600).map { "order-\($0)" })
    let first = try last()
    let cursor = try Exported(ledger).summary.cursor
    let new = (1600..<1620).map { "order-\($0)" }
    try grant(new)
    XCTAssertEqual(try search(after: first)?.map(\.key.text), new)
    try assertKeys(new, after: cursor)
  }

  func testKeysInAnyOrderAreFoundByAScan() throws {
    var generator = SeededRandom()
    let keys = (0..<1200).map { _ in Self.uuid(UInt64.random(in: .min ... .max, using: &generator)) }
    try grant(Array(keys.prefix(1180)))
    let first = try last()
    let cursor = try Exported(ledger).summary.cursor
    try grant(Array(keys.suffix(20)))
    XCTAssertNil(try search(after: first), "seed \(generator.seed)")
    try assertKeys(Array(keys.suffix(20)), after: cursor)
  }

  /// A search in ranges loses no key at their ends.
  func testRangesOfKeys() throws {
    let keys = (0..<40).map { Self.timed($0 * 7919 % 40) }
    try grant(keys)
    let first = try last() - 10
    let storage = try SQLiteStorage(path: directory.path("it.sqlite"))
    defer { storage.close() }
    for size in [1, 7, 10, 40, 41] {
      let found = try storage.read { (snapshot) throws(LedgerError) -> [String] in
        guard let snapshot = snapshot as? SQLiteSnapshot else { return [] }
        var found: [String] = []
        try snapshot.tables.keys.pages(.booked(after: first), of: size) { found += $0.map(\.key.text) }
        return found
      }
      XCTAssertEqual(found, keys.suffix(10).sorted(), "ranges of \(size)")
    }
  }

  /// Transactions that do not state their keys' digests do not hide the keys.
  func testKeysWithoutDigestsAreFound() throws {
    try grant((0..<10).map(Self.timed))
    let first = try last()
    try grant([Self.timed(10), Self.timed(11)])
    let found = try storage { (snapshot) throws(LedgerError) in
      try snapshot.scan().newestKeys(after: first, digests: 0, limit: 100)
    }
    XCTAssertNil(found)
  }

  /// A damaged outcome is an error as it always was, and no line that is left out.
  func testAKeyOfTransactionZeroStopsAnExport() throws {
    try grant((0..<10).map(Self.timed))
    let cursor = try Exported(ledger).summary.cursor
    let raw = try RawSQLite(directory.path("it.sqlite"))
    XCTAssertNil(raw.run("DROP TRIGGER keys_refuse_update"))
    XCTAssertNil(raw.run("UPDATE keys SET transaction_number = 0 WHERE transaction_number = 4"))
    assertRefused(.booksWrong) { try Exported(ledger) }
    assertRefused(.booksWrong) { try Exported(ledger, after: cursor) }
  }

  func testAnErasedCustomersKeysDoNotStopTheOthers() throws {
    try grant((0..<10).map(Self.timed))
    let cursor = try Exported(ledger).summary.cursor
    try grant([Self.timed(10)])
    try ledger.grant(
      [Make.amount("GEM", 1)], customer: Make.customer("bob"), key: Make.key(Self.timed(11)))
    try ledger.erase(Make.customer("bob"))
    try assertKeys([Self.timed(10)], after: cursor)
  }

  func testRefusalsAndTransactionsWithoutKeys() throws {
    try grant((0..<10).map(Self.timed))
    let cursor = try Exported(ledger).summary.cursor
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 1_000)], customer: Make.customer("alice"), key: Make.key("refused"))
    }
    let increment = try Exported(ledger, after: cursor)
    XCTAssertEqual(Self.keys(of: increment).filter { $0 == "refused" }, ["refused"])
    let again = try Exported(ledger, after: increment.summary.cursor)
    XCTAssertEqual(Self.keys(of: again), [])
    XCTAssertEqual(again.summary.cursor, increment.summary.cursor)
  }

  // MARK: Helpers

  private func grant(_ keys: [String]) throws {
    for key in keys {
      time.advance(seconds: 1)
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key(key))
    }
  }

  private func last() throws -> TransactionNumber {
    try storage { (snapshot) throws(LedgerError) in try snapshot.sequences().transaction }
  }

  /// Searches as an export does, by the digests that the transactions state.
  private func search(after number: TransactionNumber) throws -> [KeyRow]? {
    try storage { (snapshot) throws(LedgerError) in
      let scan = try snapshot.scan()
      let digests = try scan.transactions(after: number, limit: 4096)
        .reduce(UInt64(0)) { $0 &+ UInt64(bitPattern: $1.erasable) }
      return try scan.newestKeys(after: number, digests: digests, limit: 100)
    }
  }

  private func storage<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws -> R {
    let storage = try SQLiteStorage(path: directory.path("it.sqlite"))
    defer { storage.close() }
    return try storage.read(body)
  }

  private func assertKeys(_ expected: [String], after cursor: ExportCursor, line: UInt = #line) throws {
    let keys = Self.keys(of: try Exported(ledger, after: cursor))
    XCTAssertEqual(keys.sorted(), expected.sorted(), line: line)
    let whole = Self.keys(of: try Exported(ledger))
    XCTAssertEqual(keys, whole.filter(Set(keys).contains), "the order of the whole export", line: line)
  }

  private static func keys(of export: Exported) -> [String] {
    export.lines.filter { $0.contains("\"type\":\"key\"") }.compactMap { line in
      line.components(separatedBy: "\"key\":\"").last?.components(separatedBy: "\"").first
    }
  }

  /// A UUID that begins with its time.
  private static func timed(_ index: Int) -> String { uuid(0x0190_0000_0000_7000 + UInt64(index)) }

  private static func uuid(_ high: UInt64) -> String {
    let digits = Array(String(repeating: "0", count: 16 - String(high, radix: 16).count) + String(high, radix: 16))
    return "\(String(digits[0..<8]))-\(String(digits[8..<12]))-\(String(digits[12..<16]))-8000-000000000000"
  }
}
