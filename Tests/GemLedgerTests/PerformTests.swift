import Dispatch
import Foundation
import GemLedger
import Synchronization
import XCTest

/// Tasks call blocking methods without holding a thread of the pool.
final class PerformTests: XCTestCase {
  private func ledger() throws -> Ledger {
    let ledger = Ledger.inMemory()
    try ledger.define(Currency(code: CurrencyCode("GEM"), name: "Gems"))
    try ledger.createCustomer(CustomerID("alice"))
    return ledger
  }

  func testReadsAndCommands() async throws {
    let ledger = try ledger()
    let (alice, gem) = (try CustomerID("alice"), try CurrencyCode("GEM"))
    let balance = try await ledger.perform { (ledger) throws(LedgerError) in
      try ledger.grant([Adjustment(gem, 7)], customer: alice)
      return try ledger.balance(of: gem, customer: alice).balance
    }
    XCTAssertEqual(balance, 7)
    do {
      _ = try await ledger.perform { (ledger) throws(LedgerError) in
        try ledger.spend([Adjustment(gem, 8)], customer: alice)
      }
      XCTFail("the balance is 7")
    } catch {
      XCTAssertEqual(error.code, .insufficientBalance)
    }
  }

  /// More calls than the pool has threads wait for each other.
  func testCallsThatBlockHoldNoThreadOfThePool() async throws {
    let ledger = try ledger()
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    let latch = Latch(count)
    let results = try await withThrowingTaskGroup(of: DispatchTimeoutResult.self) { group in
      for _ in 0..<count {
        group.addTask { try await ledger.perform { (_) throws(LedgerError) in latch.wait() } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(results, Array(repeating: .success, count: count))
  }

  func testACancelledTaskGetsTheResult() async throws {
    let ledger = try ledger()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ledger.perform { (ledger) throws(LedgerError) in try ledger.customer(CustomerID("alice")).id }
    }
    let id = try await task.value
    XCTAssertEqual(id, try CustomerID("alice"))
  }
}

/// Opens once a number of threads wait.
private final class Latch: Sendable {
  private let count: Int
  private let begun = Mutex(0)
  private let all = DispatchSemaphore(value: 0)

  init(_ count: Int) { self.count = count }

  func wait() -> DispatchTimeoutResult {
    let isLast = begun.withLock { begun in
      begun += 1
      return begun == count
    }
    if isLast { for _ in 0..<count { all.signal() } }
    return all.wait(timeout: .now() + 60)
  }
}
