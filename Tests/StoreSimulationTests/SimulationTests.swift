import GemLedger
import GemTestSupport
import XCTest

@testable import StoreSimulation

/// The soak repeats exactly, and finds planted bugs.
final class SimulationTests: XCTestCase {
  func testTheSameSeedGivesTheSameRun() async throws {
    let count = Tier.current.length(120, thorough: 400)
    let settings = Simulation.Settings(seed: 11, eventCount: count)
    var first = try await Simulation(settings).run()
    var second = try await Simulation(settings).run()
    first.elapsed = .zero
    second.elapsed = .zero
    XCTAssertEqual(first, second)
    let other = try await Simulation(Simulation.Settings(seed: 12, eventCount: count)).run()
    XCTAssertNotEqual(first.digest, other.digest)
  }

  func testEventsFollowFromSeedAndPlaceAlone() {
    let short = Simulation.Settings(seed: 5, eventCount: 10)
    let long = Simulation.Settings(seed: 5, eventCount: 1000)
    for index in 0..<10 {
      XCTAssertEqual(SimulationEvent(index: index, settings: short), SimulationEvent(index: index, settings: long))
    }
  }

  func testFinishingBeforeTheCreditIsFound() async throws {
    var settings = Simulation.Settings(seed: 21, eventCount: 600)
    settings.faultPercent = 50
    // A store's own notice would make up for the loss.
    settings.sendsPurchaseNotices = false
    let report = try await Simulation(settings, sabotage: .finishBeforeCredit).run()
    let failure = try XCTUnwrap(report.failure, "the control must not pass")
    XCTAssertTrue(failure.problems.contains { $0.contains("was paid for and is not credited") }, "\(failure)")
    let honest = try await Simulation(settings).run()
    XCTAssertNil(honest.failure, honest.failure?.description ?? "")
  }

  func testCreditingTwiceIsFoundAtTheEventThatDoesIt() async throws {
    let settings = Simulation.Settings(seed: 22, eventCount: 300)
    let target = 40
    let simulation = Simulation(settings, sabotage: .creditTwice(atPost: target))
    let report = try await simulation.run()
    let failure = try XCTUnwrap(report.failure, "the control must not pass")
    XCTAssertEqual(failure.seed, 22)
    XCTAssertTrue(failure.problems.contains { $0.contains("should have") }, "\(failure)")
    XCTAssertEqual(failure.lastEvents.last?.index, failure.prefix - 1)
    let (_, before, _) = try await simulation.play(failure.prefix - 1) { _ in }
    XCTAssertEqual(before, [], "one event fewer must not break anything")
  }

  func testLosingRefundsIsFound() async throws {
    var settings = Simulation.Settings(seed: 23, eventCount: 400)
    // Google's devices never learn of a refund, so that only notices tell.
    settings.hasAppleStore = false
    let report = try await Simulation(settings, sabotage: .loseRefunds).run()
    let failure = try XCTUnwrap(report.failure, "the control must not pass")
    XCTAssertTrue(failure.problems.contains { $0.contains("clawed back") }, "\(failure)")
  }

  /// One token and one row in every list, but an order and a credit for each period.
  func testRenewalsAtGooglePlayAreCountedAndCreditedByTheirOrders() async throws {
    var settings = Simulation.Settings(seed: 24, eventCount: Tier.current.length(2000, thorough: 3000))
    settings.hasAppleStore = false
    settings.deviceCount = 12
    let (report, problems, _) = try await Simulation(settings).play(settings.eventCount) { _ in }
    XCTAssertEqual(problems, [])
    XCTAssertGreaterThan(report.renewals, 0)
    let control = Simulation(settings, sabotage: .mergeRenewals)
    let (_, found, _) = try await control.play(settings.eventCount) { _ in }
    XCTAssertTrue(found.contains { $0.contains("..") && $0.contains("is not credited") }, "\(found)")
  }

  func testTakingFreePurchasesForPaidOnesIsFound() async throws {
    let settings = Simulation.Settings(seed: 25, eventCount: 400)
    let (_, problems, _) = try await Simulation(settings, sabotage: .chargeForOffers).play(settings.eventCount) { _ in }
    XCTAssertTrue(problems.contains { $0.contains("counts as paid") }, "the control must not pass: \(problems)")
    let (_, honest, _) = try await Simulation(settings).play(settings.eventCount) { _ in }
    XCTAssertEqual(honest, [])
  }

  func testImpossibleSettingsAreRefused() async throws {
    var settings = Simulation.Settings(seed: 1, eventCount: 1)
    settings.deviceCount = 0
    do throws(LedgerError) {
      _ = try await Simulation(settings).run()
      XCTFail("expected a refusal")
    } catch {
      XCTAssertEqual(error.code, .invalidRequest)
    }
  }
}
