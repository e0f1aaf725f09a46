import GemLedger
import GemTestSupport
import XCTest

/// An exchange with a process that dies at every step, before it or after it, and once more during the resumption.
final class ExchangeCrashTests: XCTestCase {
  func testItIsOnceOnBothSidesWhereverItDies() async throws {
    var count = 0
    try await SagaWorld.matrix { path, deaths in
      count += 1
      guard Tier.current.plays(count, quickDivisor: 3) else { return }
      let world = try SagaWorld()
      try await world.play(path, deaths) { _ = try await world.run() }
      XCTAssertTrue(try world.isExactlyOnceOnBothSides(), "\(path) \(deaths)")
      if path == .refused { XCTAssertEqual(world.server.coins, 0) }
      if path == .credited { XCTAssertEqual(world.server.coins, 5000, "\(deaths)") }
      try assertBooksAddUp(world.ledger)
    }
  }

  func testResumingFindsItWhereverItDies() async throws {
    var count = 0
    try await SagaWorld.matrix { path, deaths in
      count += 1
      guard Tier.current.plays(count, quickDivisor: 3) else { return }
      let world = try SagaWorld()
      var isFirst = true
      try await world.play(path, deaths) {
        if isFirst {
          isFirst = false
          _ = try await world.run()
        } else {
          let resumed = try await world.saga.resumeAll()
          if world.crashPoint.isDead { throw CrashPoint.death }
          XCTAssertTrue(resumed.exchanges.allSatisfy(\.isFinished), "\(path) \(deaths)")
        }
      }
      XCTAssertTrue(try world.isExactlyOnceOnBothSides(), "\(path) \(deaths)")
      XCTAssertEqual(try world.ledger.holds(of: world.alice), [])
    }
  }

  /// The control: keys of their own for every try, as a caller without the saga would have them, go wrong.
  func testWithoutOneKeyItGoesWrong() async throws {
    var wrong = 0
    try await SagaWorld.matrix { path, deaths in
      let world = try SagaWorld()
      var tries = 0
      try await world.play(path, deaths) {
        tries += 1
        do {
          _ = try await world.run("try \(tries)")
        } catch {
          // By the third try nothing is left to hold, which is no death.
          if world.crashPoint.isDead { throw error }
        }
      }
      if try !world.isExactlyOnceOnBothSides() { wrong += 1 }
    }
    XCTAssertGreaterThan(wrong, 50)
  }

  /// Several exchanges at once, with deaths, lost answers, passing time and other spends.
  func testRandomLivesEndOnceOnBothSides() async throws {
    var generator = SeededRandom()
    for _ in 0..<Tier.current.length(40, thorough: 150) {
      let world = try SagaWorld()
      try world.ledger.grant([Adjustment(world.gem, 200)], customer: world.alice)
      if generator.percent(10) { world.server.refuse() }
      let keys = (0..<(1 + generator.below(4))).map { "k\($0)" }
      var spent: Int64 = 0
      for _ in 0..<(3 + generator.below(12)) {
        var deaths: [Int: CrashPoint.Side] = [:]
        if generator.percent(60) { deaths[generator.below(5)] = generator.one(of: CrashPoint.Side.allCases) }
        world.crashPoint.begin(deaths: deaths)
        world.server.answers(generator.percent(70))
        do {
          if generator.percent(20) {
            _ = try await world.saga.resumeAll()
          } else {
            _ = try await world.run(generator.one(of: keys))
          }
          if generator.percent(15) {
            try world.ledger.spend([Adjustment(world.gem, 40)], customer: world.alice)
            spent += 40
          }
        } catch let error as LedgerError {
          let isLost = error.code == .outcomeUnknown || error.code == .insufficientBalance
          XCTAssertTrue(world.crashPoint.isDead || isLost, "\(error), seed \(generator.seed)")
          if world.crashPoint.isDead { spent = try self.spent(world) }
        }
        if generator.percent(40) { world.time.advance(seconds: Int64(generator.below(100_000))) }
      }
      world.crashPoint.begin()
      world.server.answers(true)
      // Alice gets enough gems for every exchange to end.
      try world.ledger.grant([Adjustment(world.gem, 1000)], customer: world.alice)
      let resumed = try await world.saga.resumeAll()
      XCTAssertTrue(resumed.exchanges.allSatisfy(\.isFinished), "seed \(generator.seed)")
      let balance = try world.balance
      let taken = 1300 - balance.balance - spent
      XCTAssertEqual(taken, 50 * Int64(world.server.creditCount), "seed \(generator.seed)")
      XCTAssertEqual(balance.held, 0, "seed \(generator.seed)")
      XCTAssertLessThanOrEqual(world.server.creditCount, keys.count, "seed \(generator.seed)")
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The spends on other things, from the history.
  private func spent(_ world: SagaWorld) throws -> Int64 {
    try world.ledger.history(of: world.alice, limit: 1000).transactions
      .filter { $0.reference == nil && $0.booking.kind == .spend }
      .reduce(0) { $0 - ($1.booking.entries.first?.amount ?? 0) }
  }
}
