import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import XCTest

@testable import StoreClient

/// The process dies right after a step; the next one finds the paid purchase, and credits it once.
final class CrashTests: XCTestCase {
  private let product = ClientFixture.gems

  func testADeathAfterAnyStepLosesNothingAndGivesNothingTwice() async throws {
    for step in PurchaseStep.allCases {
      for signedInNext in ["alice-4f1c9a7e", "bobby-77d0e2b1"] {
        let fixture = try ClientFixture()
        let survived = try await die(after: step, fixture)
        let next = try fixture.client(signedInNext, eventLog: MemoryEventLog(survived))
        await next.syncPurchases()
        let what = "\(step.rawValue), then \(signedInNext)"
        XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200, what)
        XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 0, what)
        XCTAssertEqual(next.queueItems, [], what)
        XCTAssertEqual(fixture.shop.unfinished, [], what)
        try assertBooksAddUp(fixture.backend.ledger)
      }
    }
  }

  /// The same where the store's evidence names no customer: the queue knows the buyer.
  func testADeathWhereTheStoreForgetsTheBuyer() async throws {
    for step in PurchaseStep.allCases {
      let fixture = try ClientFixture()
      fixture.shop.script(.withoutToken)
      let survived = try await die(after: step, fixture)
      let next = try fixture.client("bobby-77d0e2b1", eventLog: MemoryEventLog(survived))
      await next.syncPurchases()
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200, step.rawValue)
      XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 0, step.rawValue)
    }
  }

  /// The queue is lost, as after a new installation: the store still has the purchase, and names the buyer.
  func testADeathThatTakesTheQueueWithIt() async throws {
    for step in PurchaseStep.allCases {
      let fixture = try ClientFixture()
      _ = try await die(after: step, fixture)
      let next = try fixture.client(eventLog: MemoryEventLog())
      await next.syncPurchases()
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200, step.rawValue)
      XCTAssertEqual(fixture.shop.unfinished, [], step.rawValue)
    }
  }

  /// The remains of the last record after a crash are cut off, at whichever byte.
  func testADeathInTheMiddleOfARecord() async throws {
    let fixture = try ClientFixture()
    let directory = try TemporaryDirectory()
    let log = try FileEventLog(path: directory.path("queue"))
    let client = try fixture.client(eventLog: log)
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    _ = try await client.purchase(try ProductCode(product))
    log.close()
    fixture.backend.setDown(false)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log.path))
    for length in stride(from: 0, to: bytes.count, by: 7) {
      let path = directory.path("torn-\(length)")
      try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
      let next = try fixture.client(eventLog: try FileEventLog(path: path))
      await next.syncPurchases()
      XCTAssertEqual(next.queueItems, [], "cut at \(length)")
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200, "cut at \(length)")
    }
  }

  func testDamageIsSaidAndTheRestOfTheQueueKept() async throws {
    let fixture = try ClientFixture()
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let log = try FileEventLog(path: path)
    let client = try fixture.client(eventLog: log)
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    for code in ["gems_300", product] { _ = try await client.purchase(try ProductCode(code)) }
    log.close()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let damaged = text.replacingOccurrences(of: #"ts":1,"first"#, with: #"ts":7,"first"#)
    XCTAssertNotEqual(damaged, text)
    try Data(damaged.utf8).write(to: URL(fileURLWithPath: path))

    let events = Collector<ReceiptPipelineEvent>()
    let next = try fixture.client(eventLog: try FileEventLog(path: path))
    next.onReceiptPipelineEvent = { events.add($0) }
    XCTAssertEqual(next.queueCounts.pending, 2)
    XCTAssertTrue(events.all.contains { if case .damaged(let part) = $0 { part.byteCount > 0 } else { false } })
  }

  func testARecordOfALaterVersionIsKeptAndSaid() throws {
    let fixture = try ClientFixture()
    let eventLog = MemoryEventLog([#"{"what":"glow","colour":"green"}"#])
    let events = Collector<ReceiptPipelineEvent>()
    let client = try fixture.client(eventLog: eventLog)
    client.onReceiptPipelineEvent = { events.add($0) }
    XCTAssertEqual(events.all, [.unknownRecord(#"{"what":"glow","colour":"green"}"#)])
    XCTAssertEqual(eventLog.records().first, #"{"what":"glow","colour":"green"}"#)
  }

  /// - Returns: The records of the event log when the process died.
  private func die(after step: PurchaseStep, _ fixture: ClientFixture) async throws -> [String] {
    let eventLog = MemoryEventLog()
    let survived = Collector<[String]>()
    let (shop, backend) = (fixture.shop, fixture.backend)
    let client = try fixture.client(eventLog: eventLog) {
      $0.onStep = { done in
        guard done == step else { return }
        survived.add(eventLog.records())
        shop.die()
        backend.setDown(true)
      }
    }
    _ = try await client.purchase(try ProductCode(product))
    shop.die(false)
    backend.setDown(false)
    return try XCTUnwrap(survived.all.first)
  }
}
