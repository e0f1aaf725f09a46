package import GemLedger
internal import XCTest

/// An exchange with another server, on a storage that every process opens anew; the processes die at every step.
package struct SagaContract {
  private let open: @Sendable () throws -> any LedgerStorage

  /// - Parameter open: Opens a ledger that is there and has no customers.
  package init(open: @escaping @Sendable () throws -> any LedgerStorage) { self.open = open }

  /// Runs every exchange; the second process dies too, or resumes the exchange of the first one.
  package func runAll() async throws {
    let time = ManualClock()
    var count = 0
    var last: SagaWorld?
    try await SagaWorld.matrix { path, deaths in
      // Where the second process dies matters little where the first one did nothing; memory is tried with all pairs.
      if deaths.second != nil, deaths.first.step != 1 { return }
      count += 1
      guard Tier.current.plays(count, quickDivisor: 5) else { return }
      let world = try SagaWorld("customer-\(count)", time, open: open)
      try await world.play(path, deaths) {
        if count.isMultiple(of: 2) || deaths.second == nil {
          _ = try await world.run()
        } else {
          try await resume(world)
        }
      }
      XCTAssertTrue(try world.isExactlyOnceOnBothSides(), "\(path) \(deaths)")
      if path == .refused { XCTAssertEqual(world.server.coins, 0) }
      last?.storage.close()
      last = world
    }
    guard let last else { return XCTFail("no exchanges") }
    try assertBooksAddUp(last.ledger)
    last.storage.close()
  }

  /// Begins the exchange in the first process; the others look for the begun exchange.
  private func resume(_ world: SagaWorld) async throws {
    if try world.ledger.holds(of: world.alice).isEmpty, world.server.calls == 0 {
      _ = try await world.run()
    } else {
      _ = try await world.saga.resumeAll()
      if world.crashPoint.isDead { throw CrashPoint.death }
      _ = try await world.run()
    }
  }
}
