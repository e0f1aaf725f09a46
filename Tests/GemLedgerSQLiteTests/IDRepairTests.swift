import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Ids and customers of which a damaged file has one without the other.
///
/// Alice is customer 1, also called ally; bob is customer 2.
final class IDRepairTests: XCTestCase {
  private struct Damage {
    let line: UInt
    let sql: String
    let equation: String
    let steps: [String]
  }

  func testEachIsFoundAndRepairedOnce() throws {
    let damages = [
      Damage(
        line: #line, sql: "DELETE FROM aliases WHERE id = 'alice'", equation: "customers_are_known",
        steps: ["named alice 1"]),
      Damage(
        line: #line, sql: "DELETE FROM aliases WHERE id = 'ally'", equation: "ids_name_customers",
        steps: ["named ally 1"]),
      Damage(
        line: #line, sql: "DELETE FROM aliases", equation: "customers_are_known",
        steps: ["named alice 1", "named ally 1", "named bob 2"]),
      Damage(
        line: #line, sql: "INSERT INTO aliases VALUES ('eve', 99)", equation: "ids_name_customers",
        steps: ["removed eve 99"]),
      Damage(
        line: #line, sql: "INSERT INTO aliases VALUES ('eve', 1)", equation: "ids_name_customers",
        steps: ["removed eve 1"]),
      Damage(
        line: #line, sql: "UPDATE aliases SET customer = 1 WHERE id = 'bob'", equation: "ids_name_customers",
        steps: ["named bob 2", "removed bob 1"]),
      Damage(
        line: #line, sql: "UPDATE aliases SET customer = 99 WHERE id = 'bob'", equation: "ids_name_customers",
        steps: ["named bob 2", "removed bob 99"]),
    ]
    for damage in damages {
      let directory = try TemporaryDirectory()
      let ledger = try damaged(directory.path("ledger.sqlite"), damage.sql)
      let found = Set(try ledger.verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(damage.equation), "\(found)", line: damage.line)
      func steps(_ repair: IDRepair) -> [String] {
        repair.steps.map { "\($0.action) \($0.id) \($0.customer)" }.sorted()
      }
      XCTAssertEqual(steps(try ledger.repairIDs(isDryRun: true)), damage.steps, line: damage.line)
      XCTAssertFalse(try ledger.verify().isOK, line: damage.line)
      XCTAssertEqual(steps(try ledger.repairIDs()), damage.steps, line: damage.line)
      XCTAssertEqual(try ledger.verify().problems, [], line: damage.line)
      XCTAssertEqual(try ledger.repairIDs(), IDRepair(), line: damage.line)
      let balances = try ["alice", "ally", "bob"].map {
        try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer($0)).balance
      }
      XCTAssertEqual(balances, [10, 10, 20], line: damage.line)
      ledger.close()
    }
  }

  /// A customer's row that is gone cannot be made of the id alone.
  func testALostRowIsLeftToABackup() throws {
    let directory = try TemporaryDirectory()
    let ledger = try damaged(directory.path("ledger.sqlite"), "DELETE FROM customers WHERE id = 'bob'")
    let repair = try ledger.repairIDs()
    XCTAssertEqual(repair.steps, [])
    XCTAssertEqual(repair.questions.map(\.id), [try Make.customer("bob")])
    XCTAssertEqual(repair.questions.first?.message.contains("backup"), true)
    ledger.close()
  }

  /// A ledger without damage, in memory or in a file, has nothing to repair, even after merges and erasures.
  func testAHealthyLedgerHasNothingToRepair() throws {
    let directory = try TemporaryDirectory()
    for ledger in [Ledger.inMemory(), try Ledger.createSQLite(at: directory.path("ledger.sqlite"))] {
      try fill(ledger)
      try ledger.merge(from: Make.customer("bob"), into: Make.customer("alice"))
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("carol"))
      try ledger.erase(Make.customer("carol"))
      XCTAssertEqual(try ledger.repairIDs(), IDRepair())
      assertRefused(.invalidRequest) { try ledger.repairIDs(naming: [1: Make.customer("other")]) }
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  private func fill(_ ledger: Ledger) throws {
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 20)], customer: Make.customer("bob"))
    try ledger.createAlias(Make.customer("ally"), of: Make.customer("alice"))
  }

  private func damaged(_ path: String, _ sql: String) throws -> Ledger {
    let ledger = try Ledger.createSQLite(at: path)
    try fill(ledger)
    ledger.close()
    XCTAssertNil(try RawSQLite(path).run(sql), sql)
    return try Ledger.openSQLite(at: path)
  }
}
