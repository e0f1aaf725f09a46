import GemLedger
import GemTestSupport
import XCTest

/// An exchange whose process dies at every step, on either side of it, and once more while it is taken up again.
final class ExchangeCrashTests: XCTestCase {
  /// What a process did before it died: the steps at which the first one and the one after it die.
  private struct Deaths {
    var first: (step: Int, moment: Fate.Moment)?
    var second: (step: Int, moment: Fate.Moment)?
  }

  private enum Path: CaseIterable {
    /// The other side credits.
    case credited
    /// It refuses.
    case refused
    /// It credits, and time goes by between the processes until the hold must be extended.
    case extended
    /// The hold ends between the processes.
    case lapsed
  }

  /// Every pair of deaths on the path.
  private func matrix(_ body: (Path, Deaths) async throws -> Void) async throws {
    for path in Path.allCases {
      for first in 0..<4 {
        for one in Fate.Moment.allCases {
          try await body(path, Deaths(first: (first, one)))
          for second in 0..<5 {
            for other in Fate.Moment.allCases {
              try await body(path, Deaths(first: (first, one), second: (second, other)))
            }
          }
        }
      }
    }
  }

  /// Runs the exchange through its deaths and to its end.
  private func play(
    _ world: SagaWorld, _ path: Path, _ deaths: Deaths, run: () async throws -> Void
  ) async throws {
    if path == .refused { world.server.refuse() }
    for death in [deaths.first, deaths.second] {
      guard let death else { continue }
      world.fate.begin(deaths: [death.step: death.moment])
      do { try await run() } catch { XCTAssertTrue(world.fate.isDead, "\(error)") }
      switch path {
      case .extended: world.time.advance(seconds: 86_400 - 100)
      case .lapsed: world.time.advance(seconds: 86_400 + 100)
      case .credited, .refused: break
      }
    }
    world.fate.begin()
    try await run()
  }

  private func isOnceOnBothSides(_ world: SagaWorld) throws -> Bool {
    let balance = try world.balance
    let isWhole = balance.balance == 50 && world.server.coins == 5000
    let isNothing = balance.balance == 100 && world.server.coins == 0
    return balance.held == 0 && (isWhole || isNothing)
  }

  func testItIsOnceOnBothSidesWhereverItDies() async throws {
    try await matrix { path, deaths in
      let world = try SagaWorld()
      try await play(world, path, deaths) { _ = try await world.run() }
      XCTAssertTrue(try isOnceOnBothSides(world), "\(path) \(deaths)")
      if path == .refused { XCTAssertEqual(world.server.coins, 0) }
      if path == .credited { XCTAssertEqual(world.server.coins, 5000, "\(deaths)") }
      try assertBooksAddUp(world.ledger)
    }
  }

  func testResumingFindsItWhereverItDies() async throws {
    try await matrix { path, deaths in
      let world = try SagaWorld()
      var isFirst = true
      try await play(world, path, deaths) {
        if isFirst {
          isFirst = false
          _ = try await world.run()
        } else {
          let resumed = try await world.saga.resumeAll()
          if world.fate.isDead { throw Fate.death }
          XCTAssertTrue(resumed.exchanges.allSatisfy(\.isFinished), "\(path) \(deaths)")
        }
      }
      XCTAssertTrue(try isOnceOnBothSides(world), "\(path) \(deaths)")
      XCTAssertEqual(try world.ledger.holds(of: world.alice), [])
    }
  }

  /// The control: keys of their own for every try, as a caller without the saga would have them, go wrong.
  func testWithoutOneKeyItGoesWrong() async throws {
    var wrong = 0
    try await matrix { path, deaths in
      let world = try SagaWorld()
      var tries = 0
      try await play(world, path, deaths) {
        tries += 1
        do {
          _ = try await world.run("try \(tries)")
        } catch {
          // By the third try nothing is left to hold, which is no death.
          if world.fate.isDead { throw error }
        }
      }
      if try !isOnceOnBothSides(world) { wrong += 1 }
    }
    XCTAssertGreaterThan(wrong, 50)
  }

  /// Several exchanges at once, with deaths, lost answers, time that goes by and somebody who spends.
  func testRandomLivesEndOnceOnBothSides() async throws {
    var dice = SeededDice()
    for _ in 0..<150 {
      let world = try SagaWorld()
      try world.ledger.grant([Adjustment(world.gem, 200)], customer: world.alice)
      if dice.percent(10) { world.server.refuse() }
      let keys = (0..<(1 + dice.below(4))).map { "k\($0)" }
      var spent: Int64 = 0
      for _ in 0..<(3 + dice.below(12)) {
        var deaths: [Int: Fate.Moment] = [:]
        if dice.percent(60) { deaths[dice.below(5)] = dice.one(of: Fate.Moment.allCases) }
        world.fate.begin(deaths: deaths)
        world.server.answers(dice.percent(70))
        do {
          if dice.percent(20) {
            _ = try await world.saga.resumeAll()
          } else {
            _ = try await world.run(dice.one(of: keys))
          }
          if dice.percent(15) {
            try world.ledger.spend([Adjustment(world.gem, 40)], customer: world.alice)
            spent += 40
          }
        } catch let error as LedgerError {
          let isLost = error.code == .outcomeUnknown || error.code == .insufficientBalance
          XCTAssertTrue(world.fate.isDead || isLost, "\(error), seed \(dice.seed)")
          if world.fate.isDead { spent = try self.spent(world) }
        }
        if dice.percent(40) { world.time.advance(seconds: Int64(dice.below(100_000))) }
      }
      world.fate.begin()
      world.server.answers(true)
      // Whoever owes gets what it takes, so that all can end.
      try world.ledger.grant([Adjustment(world.gem, 1000)], customer: world.alice)
      let resumed = try await world.saga.resumeAll()
      XCTAssertTrue(resumed.exchanges.allSatisfy(\.isFinished), "seed \(dice.seed)")
      let balance = try world.balance
      let taken = 1300 - balance.balance - spent
      XCTAssertEqual(taken, 50 * Int64(world.server.creditCount), "seed \(dice.seed)")
      XCTAssertEqual(balance.held, 0, "seed \(dice.seed)")
      XCTAssertLessThanOrEqual(world.server.creditCount, keys.count, "seed \(dice.seed)")
      try assertBooksAddUp(world.ledger)
    }
  }

  /// What was spent on something else, as the history has it.
  private func spent(_ world: SagaWorld) throws -> Int64 {
    try world.ledger.history(of: world.alice, limit: 1000).transactions
      .filter { $0.reference == nil && $0.receipt.kind == .spend }
      .reduce(0) { $0 - ($1.receipt.entries.first?.amount ?? 0) }
  }
}
