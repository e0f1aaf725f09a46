internal import Dispatch
package import GemLedger
internal import GemLedgerAudit
internal import Synchronization
import XCTest

/// The guarantees to many concurrent callers, on any storage.
package struct ConcurrencyContract {
  private let make: () throws -> Ledger

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping () throws -> Ledger) { self.make = make }

  package func runAll() async throws {
    let run = ContractRun(Self.self)
    await run.step("testHalfOfTheSpendersSucceed", testHalfOfTheSpendersSucceed)
    await run.step("testOneKeyIsBookedOnce", testOneKeyIsBookedOnce)
    await run.step("testOneStoreTransactionIsCreditedOnce", testOneStoreTransactionIsCreditedOnce)
    await run.step("testTasksAndThreadsMix", testTasksAndThreadsMix)
    await run.step("testReadersSeeWholeTransactions", testReadersSeeWholeTransactions)
    await run.step("testCurrenciesDefinedAtOnceAreAllThere", testCurrenciesDefinedAtOnceAreAllThere)
  }

  private func ledger(gems: Int64) throws -> (Ledger, CustomerID) {
    let (ledger, alice) = (try make(), try Make.customer("alice"))
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", gems)], customer: alice)
    return (ledger, alice)
  }

  func testHalfOfTheSpendersSucceed() async throws {
    let count = 400
    let (ledger, alice) = try ledger(gems: Int64(count) / 2)
    let spend = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: alice)
    let counts = await outcomes(of: count) { _ in await outcome { try await ledger.book(spend) } }
    XCTAssertEqual(counts, ["booked": count / 2, "insufficient_balance": count / 2])
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 0)
    XCTAssertEqual(try ledger.verify().transactions, Int64(count) / 2 + 1)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testOneKeyIsBookedOnce() async throws {
    let (ledger, alice) = try ledger(gems: 1000)
    let spend = try LedgerCommand.spend([Make.amount("GEM", 3)], customer: alice, key: Make.key("tap"))
    let counts = await outcomes(of: 300) { _ in await outcome { try await ledger.book(spend) } }
    XCTAssertEqual(counts, ["booked": 1, "replayed": 299])
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 997)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testOneStoreTransactionIsCreditedOnce() async throws {
    let (ledger, _) = try ledger(gems: 1)
    let purchase = try Make.purchase("t")
    let customers = try (0..<10).map { try Make.customer("buyer \($0)") }
    let counts = await outcomes(of: 200) { number in
      await outcome { try await ledger.book(.creditPurchase(purchase, customer: customers[number % 10])) }
    }
    XCTAssertEqual(counts, ["booked": 1, "replayed": 199])
    XCTAssertEqual(try ledger.everyCustomer().count, 2)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testTasksAndThreadsMix() async throws {
    let (ledger, alice) = try ledger(gems: 300)
    let spend = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: alice)
    let succeeded = Mutex(0)
    let threads = DispatchGroup()
    for _ in 0..<4 {
      threads.enter()
      Thread.detachNewThread {
        for _ in 0..<50 where (try? book(spend, in: ledger)) != nil { succeeded.withLock { $0 += 1 } }
        threads.leave()
      }
    }
    let counts = await outcomes(of: 200) { _ in await outcome { try await ledger.book(spend) } }
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
    XCTAssertEqual(succeeded.withLock { $0 } + (counts["booked"] ?? 0), 300)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 0)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Money moves between two currencies of a customer; every read finds the same sum.
  func testReadersSeeWholeTransactions() async throws {
    let (ledger, alice) = try ledger(gems: 100)
    let there = LedgerCommand.adjust([try Make.amount("GEM", -1), try Make.amount("COIN", 1)], customer: alice)
    let back = LedgerCommand.adjust([try Make.amount("GEM", 1), try Make.amount("COIN", -1)], customer: alice)
    let counts = await outcomes(of: 200) { number in
      if number % 2 == 0 {
        return await outcome { try await ledger.book(number % 4 == 0 ? there : back) }
      }
      let balances = try? ledger.balances(of: alice)
      return "sum \(balances?.reduce(0) { $0 + $1.balance } ?? -1)"
    }
    XCTAssertEqual(counts["sum 100"], 100, "\(counts)")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testCurrenciesDefinedAtOnceAreAllThere() async throws {
    let (ledger, _) = try ledger(gems: 1)
    let counts = await outcomes(of: 20) { number in
      do {
        try ledger.define(Currency(code: CurrencyCode("NEW\(number)"), name: "New"))
        return "defined"
      } catch {
        return (error as? LedgerError)?.code.description ?? "\(error)"
      }
    }
    XCTAssertEqual(counts, ["defined": 20])
    XCTAssertEqual(try ledger.currentCatalog().currencies.count, 24)
    ledger.close()
  }
}

/// Books on the thread it is called on.
private func book(_ command: LedgerCommand, in ledger: Ledger) throws -> Booking { try ledger.book(command) }

private func outcome(_ body: () async throws -> Booking) async -> String {
  do {
    return try await body().isReplayed ? "replayed" : "booked"
  } catch {
    return (error as? LedgerError)?.code.description ?? "\(error)"
  }
}

/// Runs that many tasks at once and counts their outcomes.
private func outcomes(
  of count: Int, _ body: @escaping @Sendable (Int) async -> String
) async -> [String: Int] {
  await withTaskGroup(of: String.self) { group in
    for number in 0..<count { group.addTask { await body(number) } }
    var counts: [String: Int] = [:]
    for await outcome in group { counts[outcome, default: 0] += 1 }
    return counts
  }
}
