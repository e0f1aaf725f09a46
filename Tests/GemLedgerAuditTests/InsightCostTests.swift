import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

/// The cost of a page of a report depends on the page, however long the history.
final class InsightCostTests: XCTestCase {
  func testAPageAsksTheSameHoweverLongTheHistory() throws {
    let (short, long) = (try questions(entries: 640), try questions(entries: 25_600))
    // Finding an instant takes more steps among more anchors, and up to 64 from the nearest; each asks for two rows.
    XCTAssertLessThan(long.explanation, short.explanation + 16)
    XCTAssertLessThan(long.statement, short.statement + 3 * 2 * 64)
    XCTAssertLessThan(long.spends, short.spends + 3 * 64)
  }

  private func questions(entries count: Int) throws -> (explanation: Int, statement: Int, spends: Int) {
    let (time, alice) = (ManualClock(), try Make.customer("alice"))
    let storage = CountedStorage(MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now)))
    let ledger = Ledger(storage: storage, clock: time.clock)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 100_000)], customer: alice)
    let start = time.now
    let spend = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: alice)
    for _ in 0..<count / 64 {
      time.advance(seconds: 1)
      for answer in ledger.submit([LedgerCommand](repeating: spend, count: 64)) { _ = try answer.get() }
    }
    func asked(_ body: () throws -> Void) throws -> Int {
      _ = storage.takeQuestions()
      try body()
      return storage.takeQuestions().values.reduce(0, +)
    }
    let seconds = Int64(count / 64)
    let from = Timestamp(milliseconds: start.milliseconds + seconds * 500)
    let until = Timestamp(milliseconds: start.milliseconds + seconds * 900)
    return (
      try asked { _ = try ledger.explain(CurrencyCode("GEM"), customer: alice, limit: 50) },
      try asked { _ = try ledger.statement(of: alice, from: from, until: until, limit: 50) },
      try asked { _ = try ledger.spends(of: alice, limit: 50) }
    )
  }
}
