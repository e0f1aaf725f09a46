package import GemLedger
internal import GemLedgerAudit
internal import XCTest

/// All that callers can see of a ledger, to tell whether a refused command left anything behind.
package struct LedgerState: Hashable {
  private let customers: [CustomerSummary]
  private let histories: [[HistoryRecord]]
  private let transactions: Int64

  package init(_ ledger: Ledger) throws {
    customers = try ledger.everyCustomer()
    histories = try customers.map { try ledger.wholeHistory(of: $0.id) }
    transactions = try ledger.verify().transactions
  }
}

extension Ledger {
  package func everyCustomer() throws -> [CustomerSummary] {
    var all: [CustomerSummary] = []
    var cursor: PageCursor?
    repeat {
      let page = try customers(limit: 100, after: cursor)
      all += page.customers
      cursor = page.next
    } while cursor != nil
    return all
  }

  /// Newest first.
  package func wholeHistory(of customer: CustomerID) throws -> [HistoryRecord] {
    var all: [HistoryRecord] = []
    var cursor: PageCursor?
    repeat {
      let page = try history(of: customer, limit: 200, after: cursor)
      all += page.transactions
      cursor = page.next
    } while cursor != nil
    return all
  }
}

/// Fails unless the expression is refused with this code and leaves the ledger as it was.
@discardableResult
package func assertRefusedWithoutTrace<T>(
  _ code: LedgerError.Code, _ ledger: Ledger, file: StaticString = #filePath, line: UInt = #line,
  _ expression: () throws -> T
) throws -> LedgerError? {
  let before = try LedgerState(ledger)
  let error = assertRefused(code, file: file, line: line, expression)
  XCTAssertEqual(try LedgerState(ledger), before, "a refused command left a trace", file: file, line: line)
  try assertBooksAddUp(ledger, file: file, line: line)
  return error
}
