import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Exports with right checksums and wrong lines are refused by the line, and leave nothing in a good export's way.
final class RefusedImportTests: XCTestCase {
  private let time = ManualClock()

  private struct Wrong {
    let name: String
    /// Of the lines between the first and the last.
    let change: ([String]) -> [String]
    let says: String
  }

  private func replacing(_ type: String, _ from: String, _ to: String) -> ([String]) -> [String] {
    { lines in
      var lines = lines
      if let position = lines.firstIndex(where: { $0.contains("\"type\":\"\(type)\"") && $0.contains(from) }) {
        lines[position] = lines[position].replacingOccurrences(of: from, with: to)
      }
      return lines
    }
  }

  private func twice(_ type: String) -> ([String]) -> [String] {
    { lines in
      guard let position = lines.firstIndex(where: { $0.contains("\"type\":\"\(type)\"") }) else { return lines }
      var lines = lines
      lines.insert(lines[position], at: position)
      return lines
    }
  }

  private func wrongs() -> [Wrong] {
    [
      Wrong(name: "a customer twice", change: twice("customer"), says: "\"number\" is 1, but follows"),
      Wrong(
        name: "an id twice", change: replacing("customer", "\"id\":\"bob\"", "\"id\":\"alice\""),
        says: "contradicts an earlier line"),
      Wrong(name: "a purchase twice", change: twice("purchase"), says: "\"number\" is 1, but follows"),
      Wrong(name: "a key twice", change: twice("key"), says: "contradicts an earlier line"),
      Wrong(
        name: "a far customer", change: replacing("key", "\"customer\":1", "\"customer\":1000000000000"),
        says: "\"customer\" is 1000000000000, a missing customer."),
      Wrong(
        name: "a purchase of nobody", change: replacing("purchase", "\"customer\":1", "\"customer\":9"),
        says: "\"customer\" is 9, a missing customer."),
      Wrong(
        name: "terms that are none", change: replacing("purchase", "\"type\":\"consumable\"", "\"type\":\"rented\""),
        says: "\"terms\" of the product"),
      Wrong(
        name: "a catalog that is none", change: replacing("catalog", "\"name\":\"Gems\"", "\"name\":7"),
        says: "\"document\" of the currency \"GEM\" cannot be read"),
      Wrong(
        name: "a lot twice", change: replacing("transaction", "\"new_lots\":[{\"lot\":2", "\"new_lots\":[{\"lot\":1"),
        says: "\"lot\" is 1, but follows"),
      Wrong(
        name: "another balance", change: replacing("transaction", "\"balance\":1150", "\"balance\":1151"),
        says: "An entry of -50 leaves balance 1151"),
    ]
  }

  private func fill(_ ledger: Ledger) throws {
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 50)], customer: alice, key: Make.key("k"))
    try ledger.grant([Make.amount("GEM", 5)], customer: bob, key: Make.key("l"))
  }

  func testAWrongLineIsRefusedByItsNumber() throws {
    let directory = try TemporaryDirectory()
    let ledger = Ledger.inMemory(clock: time.clock, salt: 7)
    try fill(ledger)
    let export = try Exported(ledger)
    for wrong in wrongs() {
      let path = directory.path("\(wrong.name).sqlite")
      let text = JournalImport(
        ImportBytes(ForgedExport.lines(of: export, wrong.change)), clock: time.clock)
      let error = assertRefused(.invalidImport) {
        let target = try ExportTests.open(path, try text.head())
        defer { target.close() }
        try text.run(into: target)
      }
      XCTAssertTrue(error?.message.contains(wrong.says) == true, "\(wrong.name): \(error?.message ?? "taken")")
      XCTAssertTrue(error?.message.contains("Line ") == true, wrong.name)
      XCTAssertFalse(error?.message.contains("verify") == true, wrong.name)
    }
  }

  /// The ledger that an increment continues is as it was, and takes the right one.
  func testARefusedIncrementLeavesTheLedgerAsItWas() throws {
    let directory = try TemporaryDirectory()
    let ledger = Ledger.inMemory(clock: time.clock, salt: 7)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("zoe"), key: Make.key("z"))
    let base = try Exported(ledger)
    let path = directory.path("it.sqlite")
    try run(base.bytes, path)
    try fill(ledger)
    try ledger.book(.erase(Make.customer("zoe")))
    let more = try Exported(ledger, after: base.summary.cursor)
    for wrong in [
      replacing("transaction", "\"balance\":1150", "\"balance\":1151"), twice("key"),
      replacing("key", "\"customer\":2", "\"customer\":8"),
    ] {
      assertRefused(.invalidImport) { try run(ForgedExport.lines(of: more, wrong), path) }
      let copy = try Ledger.openSQLite(at: path, clock: time.clock)
      XCTAssertEqual(try copy.balance(of: CurrencyCode("GEM"), customer: Make.customer("zoe")).balance, 5)
      copy.close()
    }
    try run(more.bytes, path)
    let copy = try Ledger.openSQLite(at: path, clock: time.clock)
    XCTAssertEqual(try LedgerState(copy), try LedgerState(ledger))
    copy.close()
  }

  private func run(_ bytes: [UInt8], _ path: String) throws {
    let text = JournalImport(ImportBytes(bytes), clock: time.clock)
    let target = try ExportTests.open(path, try text.head())
    defer { target.close() }
    try text.run(into: target)
  }
}
