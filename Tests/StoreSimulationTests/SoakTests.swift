import Foundation
import GemLedger
import GemTestSupport
import StoreSimulation
import XCTest

#if Receipts
import StoreReceipts
#endif

/// The soak itself: under any random events, each paid purchase is credited once.
final class SoakTests: XCTestCase {
  /// Another seed than the drawn ones, such as `GEMLEDGER_SOAK_SEED=17`; and how many events each run has.
  private static let seedVariable = "GEMLEDGER_SOAK_SEED"
  private static let eventsVariable = "GEMLEDGER_SOAK_EVENTS"

  func testEverythingPaidForIsCreditedOnceWhateverHappens() async throws {
    let environment = ProcessInfo.processInfo.environment
    let events = environment[Self.eventsVariable].flatMap { Int($0) } ?? Tier.current.length(500, thorough: 1500)
    let drawn = UInt64.random(in: 1...1_000_000)
    let wanted = environment[Self.seedVariable].flatMap { UInt64($0) }
    let seeds: [UInt64] = if let wanted { [wanted] } else { Tier.current.items(1, of: [1, 2, 3]) + [drawn] }
    for seed in seeds {
      print("\(#function): seed \(seed)")
      fflush(nil)
      var simulation = Simulation(Simulation.Settings(seed: seed, eventCount: events))
      #if Receipts
      simulation.makeReceipts = SignedReceipts.withNewKeys
      #endif
      let report = try await simulation.run()
      XCTAssertNil(report.failure, report.failure.map(\.description) ?? "")
      XCTAssertEqual(report.eventCount, events)
      XCTAssertGreaterThan(report.credits, events / 10, "seed \(seed)")
      XCTAssertGreaterThan(report.refunds, 0, "seed \(seed)")
      XCTAssertGreaterThan(report.deaths, 0, "seed \(seed)")
    }
  }
}
