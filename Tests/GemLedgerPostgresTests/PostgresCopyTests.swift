#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemLedgerSQLite
import GemTestSupport
import PostgresTestSupport
import XCTest

#if Receipts
import GemLedgerSeal
#endif

/// A ledger that moves keeps everything that its readers have seen.
final class PostgresCopyTests: XCTestCase {
  func testFromAFileIntoADatabaseAndBack() throws {
    let directory = try TemporaryDirectory()
    let (from, back) = (directory.path("from.sqlite"), directory.path("back.sqlite"))
    let url = try PostgresServer.shared().createDatabase()
    try CopyContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openCopy: { try PostgresStorage.openCopy(url: url, project: $0, source: $1) },
      openResult: { try .openPostgres(at: url, clock: $0) }
    ).runAll()
    // Rows that the database added since have numbers of its own kind; the file takes the numbers unchanged.
    let ledger = try Ledger.openPostgres(at: url)
    let state = try LedgerState(ledger)
    try CopyContract.copy(ledger) { try SQLiteStorage.openCopy(path: back, project: $0, source: $1) }
    let copy = try Ledger.openSQLite(at: back)
    XCTAssertEqual(try LedgerState(copy), state)
    #if Receipts
    // Each knows the other's journal by its seal, and goes on.
    let seals = [try ledger.seal(), try copy.seal()]
    XCTAssertGreaterThan(seals[0].transactionCount, 100)
    for seal in seals { XCTAssertEqual(try ledger.check(seal).problems, []) }
    #endif
    try copy.grant([Make.amount("GEM", 5)], customer: Make.customer("zoe"))
    try assertBooksAddUp(copy)
    // Back again, with the rows that the file added without gaps.
    let again = try PostgresServer.shared().createDatabase()
    let last = try LedgerState(copy)
    try CopyContract.copy(copy) { try PostgresStorage.openCopy(url: again, project: $0, source: $1) }
    let third = try Ledger.openPostgres(at: again)
    XCTAssertEqual(try LedgerState(third), last)
    #if Receipts
    for seal in seals {
      for ledger in [copy, third] { XCTAssertEqual(try ledger.check(seal).problems, []) }
    }
    #endif
    try third.spend([Make.amount("GEM", 5)], customer: Make.customer("zoe"))
    for ledger in [ledger, copy, third] {
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  /// A storage without numbers of its own kind keeps the gaps of the database's.
  func testFromADatabaseIntoKeysAndValues() throws {
    let directory = try TemporaryDirectory()
    let url = try PostgresServer.shared().createDatabase()
    let (to, project) = (directory.path("to"), ProjectRow(salt: 0, createdAt: Timestamp(milliseconds: 0)))
    try CopyContract(
      make: { try .createPostgres(at: "\(url)?lanes=1", clock: $0) }, open: { try .openPostgres(at: url, clock: $0) },
      openCopy: { try KeyValueStorage.openCopy(path: to, project: $0, source: $1) },
      openResult: { Ledger(storage: try KeyValueStorage(path: to, project: project), clock: $0) }
    ).runAll()
  }

  func testFromADatabaseIntoAFile() throws {
    let directory = try TemporaryDirectory()
    let url = try PostgresServer.shared().createDatabase()
    let to = directory.path("to.sqlite")
    try CopyContract(
      // One lane: transactions of several lanes in one instant have no order of their own, and the model needs one.
      make: { try .createPostgres(at: "\(url)?lanes=1", clock: $0) }, open: { try .openPostgres(at: url, clock: $0) },
      openCopy: { try SQLiteStorage.openCopy(path: to, project: $0, source: $1) },
      openResult: { try .openSQLite(at: to, clock: $0) }
    ).runAll()
  }

  /// Frozen products are told apart by their bytes, as all texts are: an editor may write one title in another form.
  func testProductsThatDifferInUnicodeFormAloneStayApart() throws {
    let directory = try TemporaryDirectory()
    let urls = try (0..<2).map { _ in try PostgresServer.shared().createDatabase() }
    let source = try Ledger.createSQLite(at: directory.path("from.sqlite"))
    let served = try Ledger.createPostgres(at: urls[0])
    for ledger in [source, served] {
      for (number, title) in ["Caf\u{e9}", "Cafe\u{301}"].enumerated() {
        let text = #""localizations": [{"locale": "en_US", "title": "\#(title)", "description": "A bag"}]"#
        try ledger.apply(
          Make.catalog(replacing: #"{"code": "gems_1200","#, with: #"{"code": "gems_1200", \#(text),"#))
        try ledger.creditPurchase(Make.purchase("t\(number)"), customer: Make.customer("alice"))
      }
    }
    try CopyContract.copy(source) { try PostgresStorage.openCopy(url: urls[1], project: $0, source: $1) }
    let copy = try Ledger.openPostgres(at: urls[1])
    for ledger in [source, served, copy] {
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }
}
#endif
