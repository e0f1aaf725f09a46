import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

final class MemoryExportTests: XCTestCase {
  func testAnExportMakesTheSameLedgerInMemory() throws {
    let kept = KeptStorages()
    try ExportContract(
      make: { kept.ledger("from", $0) }, open: { kept.ledger("from", $0) },
      openTarget: { kept.storage($1, $0.project) }, openResult: { kept.ledger($1, $0) }, isKept: false
    ).runAll()
  }

  func testATestBeginsWithAnExport() throws {
    let ledger = Ledger.inMemory()
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 20)], customer: Make.customer("alice"), key: Make.key("one"))
    let copy = try Ledger.inMemory(importing: try Exported(ledger).bytes)
    XCTAssertEqual(try LedgerState(copy), try LedgerState(ledger))
    XCTAssertTrue(
      try copy.grant([Make.amount("GEM", 20)], customer: Make.customer("alice"), key: Make.key("one")).isReplayed)
  }

  /// A page has 4,096 lines; accounts and lots are read again when too many are kept.
  func testManyPagesAreOneLedger() throws {
    let ledger = Ledger.inMemory()
    try ledger.apply(Make.catalog())
    for index in 0..<3000 {
      let customer = try Make.customer("customer \(index % 700)")
      if index % 5 == 0 {
        try ledger.creditPurchase(Make.purchase("p\(index)"), customer: customer)
      } else {
        try ledger.grant(
          [Make.amount("GEM", 3)], customer: customer, key: Make.key("k\(index)"),
          expiresAt: index % 7 == 0 ? Timestamp(milliseconds: 4_000_000_000_000 + Int64(index)) : nil)
      }
      if index % 3 == 0 { try ledger.spend([Make.amount("GEM", 2)], customer: customer) }
    }
    let exported = try Exported(ledger)
    let copy = try Ledger.inMemory(importing: exported.bytes)
    XCTAssertEqual(try Exported(copy).bytes, exported.bytes)
    XCTAssertEqual(try LedgerState(copy), try LedgerState(ledger))
  }

  func testALineCanBeRead() throws {
    let time = ManualClock()
    let ledger = Ledger.inMemory(clock: time.clock, salt: 7)
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("bought"), customer: Make.customer("alice"))
    var spend = LedgerCommand.adjust([try Make.amount("GEM", -50)], customer: try Make.customer("alice"))
    spend.reference = try Reference("order \"17\"")
    let id = try XCTUnwrap(try ledger.book(spend).transactionID)
    let lines = try Exported(ledger).lines
    let line = try XCTUnwrap(lines.first { $0.contains(#""kind":"spend""#) })
    XCTAssertEqual(
      line,
      #"{"type":"transaction","number":2,"id":"\#(id)","kind":"spend","customer":1,"created_at":"\#(time.now)","#
        + #""entries":[{"currency":"GEM","amount":-50,"balance":1150,"lot":1}],"reference":"order \"17\"","#
        // The same in every process and for all time.
        + #""digest":"b4ba2e537bd5e30d","erasable_digest":"ecd39e7a82975811"}"#)
    XCTAssertTrue(lines.last?.hasPrefix(#"{"type":"end","cursor":""#) ?? false)
  }

  func testACursorIsOfOneProject() throws {
    let (one, other) = (Ledger.inMemory(salt: 1), Ledger.inMemory(salt: 2))
    let cursor = try Exported(one).summary.cursor
    XCTAssertEqual(try Exported(one, after: cursor).summary.transactions, 0)
    for text in [cursor.description, "", "nonsense", String(cursor.description.dropLast())] {
      assertRefused(.invalidRequest) { try Exported(other, after: ExportCursor(text)) }
    }
  }
}
