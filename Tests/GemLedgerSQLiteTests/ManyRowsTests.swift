import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// Insertions of many rows with one statement.
final class ManyRowsTests: XCTestCase {
  func testTheTextHasTheParametersOfEachRow() {
    let text = SQL.inserting(manyRowsLike: "INSERT INTO t (b, a) VALUES (?2, ?1, 0, ?10)")
    let beginning = "INSERT OR FAIL INTO t (b, a) VALUES (?2, ?1, 0, ?10), (?12, ?11, 0, ?20), (?22, "
    XCTAssertTrue(text.hasPrefix(beginning), text)
    XCTAssertTrue(text.hasSuffix(", (?152, ?151, 0, ?160)"), text)
    XCTAssertEqual(text.split(separator: "(").count - 2, SQL.rowsPerInsertion)
  }

  /// Groups below, at and above the number of rows of a statement leave the same rows as single commands.
  func testGroupsOfAnySizeWriteTheirRows() throws {
    let directory = try TemporaryDirectory()
    let time = ManualClock()
    let sizes = [1, 15, 16, 17, 31, 32, 40, 256]
    var rows: [[String]] = []
    for isSingle in [true, false] {
      let path = directory.path("\(isSingle).sqlite")
      let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
      try ledger.apply(Make.catalog())
      for size in sizes {
        let commands = try (0..<size).map { number -> LedgerCommand in
          // Every third key is no UUID.
          let digits = "\(1_000_000 + number)"
          let key = number % 3 == 0 ? "key \(size).\(number)" : "\(10_000_000 + size)-0000-7000-8000-00000\(digits)"
          return .grant(
            [try Make.amount("GEM", Int64(number) + 1)], customer: try Make.customer("customer \(number % 50)"),
            key: try Make.key(key))
        }
        let answers = isSingle ? commands.map { ledger.submit([$0])[0] } : ledger.submit(commands)
        for answer in answers { XCTAssertNoThrow(try answer.get()) }
      }
      try assertBooksAddUp(ledger)
      rows.append(
        try ledger.storage.read { (snapshot) throws(LedgerError) in
          var all: [String] = []
          try snapshot.scan().pages(after: KeyRow.blank) { (page) in all += page.map { "\($0)" } }
          return all
        })
      ledger.close()
    }
    XCTAssertEqual(rows[0].count, sizes.reduce(0, +))
    XCTAssertEqual(rows[0], rows[1])
  }
}
