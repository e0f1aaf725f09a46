import GemLedger
import SimulatedStores
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

final class VirtualClockTests: XCTestCase {
  func testItStandsUntilItIsMovedAndNeverGoesBack() {
    let clock = VirtualClock(startingAt: Timestamp(milliseconds: 5000))
    clock.advance(by: .milliseconds(1500))
    XCTAssertEqual(clock.now.milliseconds, 6500)
    clock.advance(by: .seconds(-10))
    clock.advance(to: Timestamp(milliseconds: 6000))
    XCTAssertEqual(clock.now.milliseconds, 6500)
    XCTAssertEqual(clock.storeClock.now(), clock.ledgerClock.now())
  }

  func testTheEndOfTimeIsWhereItStops() {
    let clock = VirtualClock()
    clock.advance(by: .seconds(Int64.max))
    XCTAssertEqual(clock.now.milliseconds, .max)
  }

  func testSleepersWakeWhenTheirTimeComes() async throws {
    let clock = VirtualClock(startingAt: Timestamp(milliseconds: 0))
    let store = clock.storeClock
    let woken = WakeLog()
    await withTaskGroup(of: Void.self) { group in
      for until in [300, 100, 200] as [Int64] {
        group.addTask {
          // The sleep is never cancelled.
          try? await store.sleep(Timestamp(milliseconds: until))
          woken.add(until)
        }
      }
      while clock.sleeperCount < 3 { await Task.yield() }
      for (time, left) in [(99, 3), (100, 2), (299, 1), (300, 0)] as [(Int64, Int)] {
        clock.advance(to: Timestamp(milliseconds: time))
        XCTAssertEqual(clock.sleeperCount, left, "\(time)")
        while woken.all.count < 3 - left { await Task.yield() }
      }
    }
    XCTAssertEqual(woken.all, [100, 200, 300])
    try await store.sleep(Timestamp(milliseconds: 0))
  }

  func testACancelledSleeperStops() async {
    let clock = VirtualClock()
    let store = clock.storeClock
    let until = Timestamp(milliseconds: .max)
    let sleeper = Task { () -> Bool in
      do throws(CancellationError) {
        try await store.sleep(until)
        return false
      } catch { return true }
    }
    while clock.sleeperCount == 0 { await Task.yield() }
    sleeper.cancel()
    let isCancelled = await sleeper.value
    XCTAssertTrue(isCancelled)
    XCTAssertEqual(clock.sleeperCount, 0)
  }

  func testAFollowingClockGoesOnAndCanBeMovedAhead() async throws {
    let base = VirtualClock(startingAt: Timestamp(milliseconds: 1000))
    let clock = VirtualClock(following: base.storeClock)
    XCTAssertEqual(clock.now.milliseconds, 1000)
    clock.advance(by: .seconds(60))
    base.advance(by: .seconds(1))
    XCTAssertEqual(clock.now.milliseconds, 62_000)
    let store = clock.storeClock
    let sleeper = Task { try await store.sleep(Timestamp(milliseconds: 63_000)) }
    while base.sleeperCount == 0 { await Task.yield() }
    base.advance(by: .seconds(1))
    try await sleeper.value
  }

  /// A home saves the way that its clock was moved, and the next command goes on from there.
  func testAFollowingClockIsMovedWholeWhileTheOtherGoesOn() {
    let machine = VirtualClock(startingAt: Timestamp(milliseconds: 1000))
    // A machine under load: time passes between any two looks at it.
    let clock = VirtualClock(
      following: StoreClock(
        now: {
          machine.advance(by: .milliseconds(3))
          return machine.now
        }, sleep: { (_) throws(CancellationError) in }))
    clock.advance(by: .seconds(60))
    XCTAssertEqual(clock.reading, 60_000)
    clock.advance(by: .milliseconds(1))
    XCTAssertEqual(clock.reading, 60_001)
    clock.advance(by: .seconds(-5))
    XCTAssertEqual(clock.reading, 60_001)
  }
}

/// The sleepers that woke, in order.
private final class WakeLog: Sendable {
  private let woken = Mutex<[Int64]>([])

  var all: [Int64] { woken.withLock { $0 } }

  func add(_ sleeper: Int64) { woken.withLock { $0.append(sleeper) } }
}
