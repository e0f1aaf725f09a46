#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

final class EventStreamsTests: XCTestCase {
  private func ledger() throws -> Ledger {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    try ledger.apply(Make.catalog())
    return ledger
  }

  private func grant(_ ledger: Ledger, _ number: Int) throws {
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("customer \(number)"))
  }

  func testEveryStreamGetsEveryEventOnceWhileOthersWrite() async throws {
    let ledger = try ledger()
    let streams = EventStreams(ledger)
    let count = 400
    let writers = Task {
      await withTaskGroup { group in
        for writer in 0..<4 {
          group.addTask {
            for index in 0..<count / 4 {
              _ = try? await ledger.book(
                .grant(["GEM": 1], customer: "customer \(index * 4 + writer)"))
            }
          }
        }
      }
    }
    let seen = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        let source = StreamSource(try streams.open(after: nil))
        group.addTask { await source.events(count).compactMap(\.customer) }
      }
      return try await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    await writers.value
    for customers in seen {
      XCTAssertEqual(customers.count, count)
      XCTAssertEqual(Set(customers).count, count)
    }
    streams.stop()
  }

  func testASlowReaderIsEndedAndGoesOn() async throws {
    let ledger = try ledger()
    for number in 0..<20 { try grant(ledger, number) }
    let streams = EventStreams(ledger)
    let slow = try streams.open(after: nil)
    let source = StreamSource(slow)
    let first = await source.events(20)
    // It takes nothing more, until there is no room for it.
    let filler = String(repeating: ":", count: 1 << 20) + "\n\n"
    slow.write(filler)
    XCTAssertFalse(slow.write("x"))
    for number in 20..<25 { try grant(ledger, number) }
    let resumed = StreamSource(try streams.open(after: FeedCursor(try XCTUnwrap(first.last?.id))))
    let rest = await resumed.events(5)
    XCTAssertEqual(rest.compactMap(\.customer), (20..<25).map { "customer \($0)" })
    let end = await source.events(1)
    XCTAssertEqual(end.count, 0)
    streams.stop()
  }

  func testACommentKeepsAliveAndFindsThoseWhoLeft() async throws {
    let streams = EventStreams(try ledger())
    let (one, other) = (try streams.open(after: nil), try streams.open(after: nil))
    streams.keepAlive()
    let comment = await StreamSource(one).comment()
    XCTAssertEqual(comment, ": alive")
    other.close()
    streams.keepAlive()
    XCTAssertEqual(streams.count, 1)
    streams.stop()
    XCTAssertEqual(streams.count, 0)
    XCTAssertThrowsError(try streams.open(after: nil))
  }

  func testStreamsEndWithTheLedger() async throws {
    let ledger = try ledger()
    try grant(ledger, 0)
    let streams = EventStreams(ledger)
    let source = StreamSource(try streams.open(after: nil))
    _ = await source.events(1)
    ledger.close()
    let end = await source.events(1)
    XCTAssertEqual(end.count, 0)
  }
}
#endif
