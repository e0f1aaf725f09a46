import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

/// How `verify` asks a storage: for pages, never for a row.
final class VerifyQuestionsTests: XCTestCase {
  private let time = ManualClock()

  func testAsksOnceForEachPage() throws {
    let storage = CountedStorage(MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now)))
    let ledger = Ledger(storage: storage, clock: time.clock)
    try fill(ledger, keys: 1000)
    let few = try questions(of: ledger, storage)
    try fill(ledger, keys: 20_000)
    let many = try questions(of: ledger, storage)
    // About 40,000 rows of five tables more, in pages of 4,096, each with a few questions about its rows.
    let more = many.values.reduce(0, +) - few.values.reduce(0, +)
    XCTAssertLessThanOrEqual(more, 60, "\(many.sorted { $0.value > $1.value })")
    // The journal is read twice: it is replayed, and it is digested.
    for (question, count) in many { XCTAssertLessThanOrEqual(count, 14, question) }
  }

  /// A storage that does not check its indexes may have an id's row, and yet not find it.
  func testFindsIDsThatAnIndexLacks() throws {
    let base = MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now))
    let ledger = Ledger(storage: CountedStorage(base, emptyIndex: AddedIDRow.byID.name), clock: time.clock)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    XCTAssertEqual(try ledger.verify().problems.map(\.equation), ["customers_are_known"])
  }

  func testProvesTheSameInWindowsOfAnySize() throws {
    let storage = CountedStorage(MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now)))
    let ledger = Ledger(storage: storage, clock: time.clock)
    try fill(ledger, keys: 500)
    try ledger.merge(from: Make.customer("c3"), into: Make.customer("c1"))
    try ledger.merge(from: Make.customer("c1"), into: Make.customer("c7"))
    let whole = try ledger.verify()
    XCTAssertEqual(whole.problems, [])
    for size in [1, 2, 7, 99, 100, 101] {
      var shown: [Int64] = []
      let part = try ledger.verify(customersPerWindow: size) { done, total in
        XCTAssertLessThanOrEqual(done, total)
        shown.append(done)
      }
      XCTAssertEqual(part, whole, "\(size)")
      XCTAssertEqual(shown, shown.sorted())
    }
  }

  func testProvesHoldsInWindowsOfAnySize() throws {
    let storage = CountedStorage(MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now)))
    let ledger = Ledger(storage: storage, clock: time.clock)
    try JournalEventFixture.fill(ledger, time)
    let whole = try ledger.verify()
    XCTAssertEqual(whole.problems, [])
    for size in 1...5 { XCTAssertEqual(try ledger.verify(customersPerWindow: size), whole, "\(size)") }
  }

  private func questions(of ledger: Ledger, _ storage: CountedStorage) throws -> [String: Int] {
    _ = storage.takeQuestions()
    try assertBooksAddUp(ledger)
    return storage.takeQuestions()
  }

  /// Books keyed spends of a hundred customers, with purchases, refunds, orders, and transactions that touch no
  /// balance.
  private func fill(_ ledger: Ledger, keys: Int) throws {
    if try ledger.everyCustomer().isEmpty { try ledger.apply(Make.catalog()) }
    let start = try ledger.verify().transactions
    let customers = try (0..<100).map { try Make.customer("c\($0)") }
    for (index, customer) in customers.enumerated() {
      try ledger.grant([Make.amount("GEM", 1_000_000)], customer: customer)
      try ledger.creditPurchase(Make.purchase("\(start) \(index)", product: "bundle"), customer: customer)
      if index % 5 == 0 { try ledger.refund(Make.refund("\(start) \(index)")) }
      if index % 10 == 0 { try open("A\(start)-\(index)", customer, ledger) }
      try ledger.freeze(customer)
      try ledger.unfreeze(customer)
    }
    let spends = try (0..<keys).map { index in
      LedgerCommand.adjust(
        [try Make.amount("GEM", -1)], customer: customers[index % 100], key: try Make.key("\(start) \(index)"))
    }
    for result in ledger.submit(spends) { _ = try result.get() }
  }

  private func open(_ code: String, _ customer: CustomerID, _ ledger: Ledger) throws {
    let opening = OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode("gems_1200"), quantity: 1, request: "{}",
      key: nil, lifetimeMilliseconds: 1000, paidBy: nil)
    try ledger.book(.openOrder(opening, customer: customer))
    let completion = OrderCompletion(
      code: try PurchaseCode(code), purchase: try Make.purchase(code), retryAfterMilliseconds: nil)
    try ledger.book(.completeOrder(completion, customer: customer))
  }
}
