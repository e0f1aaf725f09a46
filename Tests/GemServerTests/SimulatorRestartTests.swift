#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import XCTest

@testable import GemServer

/// The simulated store, its ledger and its keys over several processes.
final class SimulatorRestartTests: XCTestCase {
  /// Opens a server on the files, does the work, and lets go of everything, as the end of a process does.
  private func process<Value>(
    _ directory: TemporaryDirectory, _ body: (SimulatorWorld) async throws -> Value
  ) async throws -> Value {
    let world = try SimulatorWorld(in: directory)
    defer { world.ledger.close() }
    return try await body(world)
  }

  func testTheWholeStorySurvivesRestarts() async throws {
    let directory = try TemporaryDirectory()
    let bought = try await process(directory) { try await $0.buy() }
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    try await process(directory) { world in
      // The receipt of the first process is good in the second one.
      try await world.post(bought)
      try await world.act("finish", on: id, [:])
      try await world.send("POST", "/simulator/faults", ["api": "purchase", "effect": "cancel", "timing": "once"])
    }
    try await process(directory) { world in
      XCTAssertEqual(try world.balance(), 1200)
      let shown = try await world.send("GET", "/simulator/purchases/\(id)").body
      XCTAssertEqual(shown["finished"], true)
      let cancelled = try await world.buy()
      XCTAssertEqual(cancelled["result"], "cancelled")
      let moved = try await world.send("POST", "/simulator/clock", ["advance_seconds": 3600])
      XCTAssertEqual(moved.status, 200)
    }
    try await process(directory) { world in
      // The store's file says how far its clock had come.
      XCTAssertEqual(world.clock.now, VirtualClock().now.advanced(by: .seconds(3600)))
      XCTAssertEqual(try world.balance(), 1200)
    }
  }

  func testAKillBetweenAControlAndItsNoticeLosesNothing() async throws {
    let directory = try TemporaryDirectory()
    let id = try await process(directory) { world in
      let id = try await world.buyAll()
      // The store is told, and the process ends before the backend is.
      try world.simulator.shop.refund(StoreTransactionID(id), .milliPercent(50_000))
      XCTAssertEqual(try world.balance(), 1200)
      return id
    }
    try await process(directory) { world in
      let state = try await world.send("GET", "/simulator").body
      XCTAssertEqual(state["waiting_notices"], 1)
      try await world.simulator.deliverNotices()
      XCTAssertEqual(try world.balance(), 600)
      try world.simulator.shop.refund(StoreTransactionID(id), .full)
      try world.simulator.shop.reverseRefund(StoreTransactionID(id))
    }
    try await process(directory) { world in
      // Several wait, and a control of the new process comes after them.
      let moved = try await world.act("refund", on: id, ["percent": 10])
      XCTAssertEqual(moved.body["notice_error"], .null)
      XCTAssertEqual(try world.balance(), 1080)
    }
  }

  func testAKillBetweenANoticeAndItsAcknowledgementDoublesNothing() async throws {
    let directory = try TemporaryDirectory()
    try await process(directory) { world in
      let id = try await world.buyAll()
      try world.simulator.shop.refund(StoreTransactionID(id), .milliPercent(50_000))
      for notice in world.simulator.shop.pendingNotices() {
        try await world.backend.apply(signedNotice: XCTUnwrap(notice.signedText))
      }
      XCTAssertEqual(try world.balance(), 600)
    }
    try await process(directory) { world in
      try await world.simulator.deliverNotices()
      XCTAssertEqual(try world.balance(), 600)
      let state = try await world.send("GET", "/simulator").body
      XCTAssertEqual(state["waiting_notices"], 0)
    }
  }

  func testTheStoresFileIsOneProcesss() throws {
    let directory = try TemporaryDirectory()
    let world = try SimulatorWorld(in: directory)
    XCTAssertThrowsError(try SimulatorWorld(in: directory))
    world.ledger.close()
  }
}
#endif
