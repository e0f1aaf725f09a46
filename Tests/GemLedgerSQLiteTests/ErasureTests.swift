import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A file forgets an erased customer, and protects the rows of all others.
final class ErasureTests: XCTestCase {
  private let time = ManualClock()

  /// Deleted bytes are overwritten, not only unlinked.
  func testTheFileHoldsNothingOfTheCustomer() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ErasureContract.fill(ledger)
    try ledger.unfreeze(Make.customer("alice-secret"))
    for number in 0..<500 {
      try ErasureContract.spend(
        ledger, 1, customer: Make.customer("carol-secret"), key: "key-secret-\(number)",
        reference: "note-secret-\(number)")
      try ledger.createCustomer(Make.customer("somebody-\(number)"))
    }
    ledger.close()
    XCTAssertEqual(try Self.secrets(in: path), Set(ErasureContract.secrets))
    let again = try Ledger.openSQLite(at: path, clock: time.clock)
    try ErasureContract.erase(again)
    try assertBooksAddUp(again)
    again.close()
    XCTAssertEqual(try Self.secrets(in: path), [])
  }

  /// The erased form of an id holds the customer's number, so that the customer is found without a row of the id.
  func testWhatIsLeftOfAnIDIsFound() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 7)
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.grant([Make.amount("GEM", 5)], customer: alice)
    try ledger.grant([Make.amount("GEM", 6)], customer: bob)
    try ledger.merge(from: bob, into: alice)
    let left = try ledger.erase(alice).customer
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: left).balance, 11)
    XCTAssertEqual(try ledger.customerIDs(of: left).count, 2)
    for id in try ledger.customerIDs(of: left) {
      XCTAssertEqual(try ledger.history(of: id).transactions.count, 4)
    }
    for id in ["$erased:0000000000000000", "$erased:", "$erased:12", "$erased:g"] {
      XCTAssertThrowsError(try ledger.balances(of: CustomerID(unchecked: id)), id)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
    let raw = try RawSQLite(path)
    XCTAssertEqual(raw.rows("SELECT count(*) FROM aliases"), ["0"])
    // Other storages keep such aliases.
    XCTAssertNil(raw.run("INSERT INTO aliases SELECT id, customer FROM customers"))
    let again = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(again)
    again.close()
    XCTAssertNil(raw.run("UPDATE customers SET id = (SELECT id FROM customers WHERE customer = 2) WHERE customer = 1"))
    let damaged = try Ledger.openSQLite(at: path, clock: time.clock)
    XCTAssertTrue(try damaged.verify().problems.contains { $0.equation == "ids_name_customers" })
    damaged.close()
  }

  func testOnlyWhoWasErasedMayBeForgotten() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ErasureContract.fill(ledger)
    let bob = try ledger.number(of: "bob")
    let transaction = try ledger.newestTransaction(of: "bob")
    ledger.close()
    let raw = try RawSQLite(path)
    let announced = "what an order announced never changes"
    XCTAssertEqual(raw.run("DELETE FROM keys WHERE customer = \(bob)"), "keys is append-only")
    XCTAssertEqual(raw.run("UPDATE orders SET request = '{}' WHERE customer = \(bob)"), announced)
    XCTAssertEqual(raw.run("UPDATE orders SET key = NULL WHERE customer = \(bob)"), announced)
    XCTAssertNil(raw.run("INSERT INTO erasures VALUES (\(bob), \(transaction))"))
    XCTAssertEqual(raw.run("DELETE FROM keys"), "keys is append-only")
    XCTAssertEqual(raw.run("UPDATE keys SET key = 'x' WHERE customer = \(bob)"), "keys is append-only")
    XCTAssertEqual(raw.run("UPDATE orders SET request = 'x' WHERE customer = \(bob)"), announced)
    XCTAssertEqual(raw.run("UPDATE orders SET key = 'x' WHERE customer = \(bob)"), announced)
    XCTAssertEqual(raw.run("UPDATE orders SET request = '{}', key = NULL"), announced)
    XCTAssertNil(raw.run("UPDATE orders SET request = '{}', key = NULL WHERE customer = \(bob)"))
    XCTAssertNil(raw.run("DELETE FROM keys WHERE customer = \(bob)"))
    XCTAssertEqual(raw.run("DELETE FROM erasures"), "erasures is append-only")
  }

  /// Every query of a command with a hold or a limit seeks in an index and searches no table.
  func testEveryQuestionIsASeek() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock, salt: 1).close()
    let raw = try RawSQLite(path)
    let questions = [
      "SELECT * FROM journal_events WHERE transaction_number = 1 ORDER BY position",
      """
      SELECT * FROM journal_events WHERE target = 1 AND target <> 0 AND target <> transaction_number
      ORDER BY transaction_number, position
      """,
      """
      SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
      WHERE t.customer = 1 AND t.list = 2 AND t.number < 9 AND e.customer = 1 AND e.kind BETWEEN 3 AND 6
      ORDER BY t.number DESC, e.position DESC LIMIT 3
      """,
      """
      SELECT number FROM customer_lists_buffer WHERE customer = 1 AND list = 1 AND number < 9
      ORDER BY number DESC LIMIT 3
      """,
      """
      SELECT h.* FROM customer_lists_buffer t CROSS JOIN open_holds h ON h.hold = t.number
      WHERE t.customer = 1 AND t.list = 3
      """,
      """
      SELECT * FROM journal_events
      WHERE customer = 1 AND transaction_number = 2 AND position < 3 AND kind BETWEEN 3 AND 6
      ORDER BY position DESC
      """,
      """
      SELECT * FROM journal_events WHERE (transaction_number, position) > (1, 2)
      ORDER BY transaction_number, position
      """,
      "SELECT * FROM open_holds WHERE hold = 1",
      "SELECT * FROM counters WHERE customer = 1 AND kind = 2 AND subject = 'x'",
      "SELECT * FROM counters WHERE customer = 1 ORDER BY kind, subject",
    ]
    for question in questions {
      let plan = raw.rows("EXPLAIN QUERY PLAN " + question).map { $0.split(separator: "|").last ?? "" }
      XCTAssertEqual(plan.count, question.contains("JOIN") ? 2 : 1, "\(question): \(plan)")
      XCTAssertTrue(plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(question): \(plan)")
    }
  }

  private static func secrets(in path: String) throws -> Set<String> {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return Set(ErasureContract.secrets.filter { data.range(of: Data($0.utf8)) != nil })
  }
}
