#if Server
import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import GemServer

final class BookRouteTests: XCTestCase {
  func testProvesTheBooks() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    try world.spend(40, by: "alice")
    let answer = try await world.checked("GET", "/verify")
    XCTAssertEqual(answer.body["ok"], true)
    XCTAssertEqual(answer.body["currencies"]?["GEM"]?["outstanding"], 60)
    XCTAssertEqual(answer.body["currencies"]?["GEM"]?["kinds"], ["grant": 100, "spend": -40])
    try await world.refused("GET", "/verify", key: world.key(for: .purchases), status: 403, code: "forbidden")
    let kept = try XCTUnwrap(VerifyRuns(world.ledger, clock: world.time.clock).newest())
    XCTAssertTrue(kept.isOK && kept.actor.hasPrefix("key:"), kept.actor)
    XCTAssertEqual(kept.verification, answer.body)
  }

  func testASecondProofAtATimeIsRefused() async throws {
    let world = try APIWorld()
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let goesOn = DispatchSemaphore(value: 0)
    let first = Task {
      try await world.project.verifying.work.run("A proof of the books") {
        begins.yield()
        goesOn.wait()
      }
    }
    for await _ in begun { break }
    let answer = try await world.send("GET", APIWorld.projectPath + "/verify")
    XCTAssertEqual(answer.status, 423)
    XCTAssertEqual(answer.body["type"], "resource_locked_error")
    XCTAssertEqual(answer.body["retryable"], true)
    goesOn.signal()
    try await first.value
    _ = try await world.checked("GET", "/verify")
  }

  func testASweepBooksWhatIsDue() async throws {
    let world = try APIWorld()
    try await world.ledger.book(
      .grant(
        [Adjustment(CurrencyCode("GEM"), 20)], customer: CustomerID("alice"),
        expiresAt: world.time.now.advanced(milliseconds: 1000)))
    world.time.advance(seconds: 2)
    let first = try await world.checked("POST", "/actions/sweep")
    XCTAssertEqual(first.body["customers"], 1)
    let second = try await world.checked("POST", "/actions/sweep")
    XCTAssertEqual(second.body["customers"], 0)
    try await world.refused(
      "POST", "/actions/sweep", key: world.key(for: .books), status: 403, code: "forbidden")
  }
}
#endif
