#if Server
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import StoreBackend
import StoreClientHTTP
import Synchronization
import XCTest

/// Apps that spend at a real server, which is killed again and again and started anew on the same file.
final class KilledServerTests: XCTestCase {
  func testASpendIsBookedOnceWhereItsKeyIsKept() async throws {
    let outcome = try await play(keepsKeys: true)
    XCTAssertEqual(outcome.problems, [], "seed \(outcome.seed)")
    XCTAssertGreaterThan(outcome.spendCount, 100)
  }

  /// Apps that try again under new keys pay twice, and the check shows it.
  func testAControlThatTriesAgainUnderNewKeysPaysTwice() async throws {
    let outcome = try await play(keepsKeys: false)
    XCTAssertTrue(outcome.problems.contains { $0.contains("were booked") }, "\(outcome.problems)")
    XCTAssertFalse(outcome.problems.contains { $0.contains("verify") }, "\(outcome.problems)")
  }

  private struct Outcome {
    let seed: UInt64
    var spendCount = 0
    var problems: [String] = []
  }

  private func play(keepsKeys: Bool) async throws -> Outcome {
    var generator = SeededRandom()
    var apps = try (0..<12).map { number in
      try SpendingApp(number, keepsKeys: keepsKeys, losesEvery: 5 + generator.below(20))
    }
    let file = try ServedFile(customers: apps.map(\.customer))
    for _ in 0..<6 {
      let server = try file.start()
      defer { server.kill() }
      let left = Mutex(50 + generator.below(100))
      apps = try await spend(apps, at: file.backend(server)) {
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { server.kill() }
      }
      server.waitUntilExit()
    }
    let server = try file.start()
    let backend = try file.backend(server)
    for index in apps.indices { try await apps[index].finish(at: backend) }
    server.kill()
    server.waitUntilExit()
    var outcome = Outcome(seed: generator.seed)
    try check(apps, file, &outcome)
    return outcome
  }

  /// Lets all apps spend at once, until the server is gone.
  private func spend(
    _ apps: [SpendingApp], at backend: HTTPBackend, onAnswer: @escaping @Sendable () -> Void
  ) async -> [SpendingApp] {
    await withTaskGroup(of: SpendingApp.self) { group in
      for app in apps {
        group.addTask {
          var app = app
          await app.spend(at: backend, onAnswer)
          return app
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func check(_ apps: [SpendingApp], _ file: ServedFile, _ outcome: inout Outcome) throws {
    let ledger = try Ledger.openSQLite(at: file.path)
    defer { ledger.close() }
    outcome.problems += try ledger.verify().problems.map { "verify: \($0)" }
    for app in apps {
      outcome.problems += app.problems
      outcome.spendCount += app.count
      let booked = try ledger.wholeHistory(of: app.customer).map(\.booking).filter { $0.kind == .spend }
      if booked.count != app.count { outcome.problems.append("\(app.count) spends were booked \(booked.count) times") }
      if Set(app.acknowledged).count != app.acknowledged.count { outcome.problems.append("two spends are one booking") }
      let missing = Set(app.acknowledged).subtracting(booked.compactMap(\.transactionID))
      if !missing.isEmpty { outcome.problems.append("acknowledged and not booked: \(missing)") }
      let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: app.customer).balance
      if balance != ServedFile.gems - Int64(booked.count) { outcome.problems.append("the balance is \(balance)") }
    }
  }
}

/// An app that spends one gem after the other.
private struct SpendingApp: Sendable {
  let customer: CustomerID
  /// How many spends it wanted.
  private(set) var count = 0
  private(set) var acknowledged: [TransactionID] = []
  private(set) var problems: [String] = []
  private let keepsKeys: Bool
  /// One answer in so many is lost on its way to the app.
  private let losesEvery: Int
  private var answerCount = 0
  /// The key of the spend without an answer.
  private var pending: IdempotencyKey?

  init(_ number: Int, keepsKeys: Bool, losesEvery: Int) throws {
    customer = try CustomerID("customer-\(number)")
    self.keepsKeys = keepsKeys
    self.losesEvery = losesEvery
  }

  /// Spends until the server does not answer.
  mutating func spend(at backend: HTTPBackend, _ onAnswer: () -> Void) async {
    do throws(LedgerError) {
      while true {
        try await spendOnce(at: backend)
        onAnswer()
      }
    } catch {
      if error.code != .backendUnreachable { problems.append("\(error)") }
    }
  }

  /// Spends once more where the last answer is not there.
  mutating func finish(at backend: HTTPBackend) async throws(LedgerError) {
    while pending != nil { try await spendOnce(at: backend) }
  }

  private mutating func spendOnce(at backend: HTTPBackend) async throws(LedgerError) {
    if pending == nil { count += 1 }
    let key = if keepsKeys, let pending { pending } else { IdempotencyKey.timeOrdered() }
    pending = key
    let booking = try await backend.spend([Adjustment(CurrencyCode("GEM"), 1)], customer: customer, key: key)
    answerCount += 1
    guard !answerCount.isMultiple(of: losesEvery), let id = booking.transactionID else { return }
    acknowledged.append(id)
    pending = nil
  }
}
#endif
