import GemLedger
import GemTestSupport
import SimulatedStores
import Synchronization
import XCTest

@testable import StoreBackend

final class FaultyBackendTests: XCTestCase {
  func testWorksUntilToldOtherwise() async throws {
    let shop = try Shop()
    let backend = FaultyBackend(shop.backend)
    _ = try await backend.post(shop.post(shop.transaction("t1")))
    XCTAssertEqual(backend.count(of: .post), 1)
    XCTAssertEqual(backend.count(), 1)
    XCTAssertEqual(backend.failureCount(), 0)
    XCTAssertEqual(try shop.gems(), 1200)
  }

  func testTheNetworkGoesBeforeOrAfterTheEffect() async throws {
    let shop = try Shop()
    let backend = FaultyBackend(shop.backend)
    let post = try shop.post(shop.transaction("t1"))
    backend.fail(.post, with: .networkLostBeforeEffect)
    await assertRefused(.backendUnreachable) { try await backend.post(post) }
    assertRefused(.customerNotFound) { try shop.gems() }
    backend.fail(.post, with: .networkLostAfterEffect)
    await assertRefused(.backendUnreachable) { try await backend.post(post) }
    XCTAssertEqual(try shop.gems(), 1200)
    backend.fail(.post, with: .timesOut)
    await assertRefused(.timedOut) { try await backend.post(post) }
    let answer = try await backend.post(post)
    XCTAssertTrue(answer.booking.isReplayed)
    XCTAssertEqual(backend.failureCount(of: .post), 3)
    XCTAssertEqual(backend.count(of: .post), 4)
  }

  func testFaultsHitTheCallsTheyAreMeantFor() async throws {
    let shop = try Shop()
    let backend = FaultyBackend(shop.backend)
    let alice = try CustomerID("alice")
    backend.fail(.balances, with: .refused(.unauthenticated), .call(3))
    for call in 1...4 {
      if call == 3 {
        await assertRefused(.unauthenticated) { try await backend.balances(of: alice) }
      } else {
        _ = try await backend.balances(of: alice)
      }
    }
    backend.fail(with: .rateLimited(retryAfterSeconds: 7), .always)
    let refusal = await assertRefused(.rateLimited) { try await backend.register(alice) }
    XCTAssertEqual(refusal?.integer("retry_after"), 7)
    await assertRefused(.rateLimited) { try await backend.offerings(for: AppPlatform(store: .apple)) }
    await assertRefused(.rateLimited) { try await backend.balances(of: alice) }
    backend.heal()
    _ = try await backend.balances(of: alice)
  }

  func testRandomFaultsRepeatWithTheirSeed() async throws {
    let generator = SeededRandom()
    let shop = try Shop()
    let alice = try CustomerID("alice")
    var runs: [[Bool]] = []
    for _ in 0..<2 {
      let backend = FaultyBackend(shop.backend, seed: generator.seed)
      backend.fail(.balances, with: .networkLostBeforeEffect, .random(percent: 50))
      var run: [Bool] = []
      for _ in 0..<64 {
        do {
          _ = try await backend.balances(of: alice)
          run.append(true)
        } catch {
          run.append(false)
        }
      }
      XCTAssertEqual(run.count { !$0 }, backend.failureCount())
      runs.append(run)
    }
    XCTAssertEqual(runs[0], runs[1])
    XCTAssertTrue(runs[0].contains(true) && runs[0].contains(false))
  }

  func testLatencyGoesThroughTheTestsClock() async throws {
    let shop = try Shop()
    let waits = Waits()
    let backend = FaultyBackend(shop.backend) { waits.add($0) }
    backend.fail(.balances, with: .latency(.seconds(3)))
    _ = try await backend.balances(of: CustomerID("alice"))
    _ = try await backend.balances(of: CustomerID("alice"))
    XCTAssertEqual(waits.all, [.seconds(3)])
    XCTAssertEqual(backend.failureCount(), 0)
  }

  /// Under any fault of the network, a caller that asks until there is an answer is credited once.
  func testAnObstinateCallerIsCreditedOnce() async throws {
    let generator = SeededRandom()
    let shop = try Shop()
    let backend = FaultyBackend(shop.backend, seed: generator.seed)
    backend.fail(.post, with: .networkLostAfterEffect, .random(percent: 30))
    backend.fail(.post, with: .networkLostBeforeEffect, .random(percent: 30))
    backend.fail(.post, with: .refused(.storageUnavailable), .random(percent: 10))
    for number in 0..<40 {
      let post = try shop.post(shop.transaction("t\(number)"))
      var answer: ReceiptAnswer?
      while answer == nil { answer = try? await backend.post(post) }
      XCTAssertEqual(answer?.booking.entries.map(\.amount), [1200])
    }
    XCTAssertEqual(try shop.gems(), 40 * 1200)
    XCTAssertGreaterThan(backend.failureCount(), 0)
    try assertBooksAddUp(shop.ledger)
  }
}

private final class Waits: Sendable {
  private let durations = Mutex<[Duration]>([])

  var all: [Duration] { durations.withLock { $0 } }
  func add(_ duration: Duration) { durations.withLock { $0.append(duration) } }
}
