#if Server
import GemLedger
import GemTestSupport
import Synchronization
import SystemHTTP
import XCTest

@testable import GemServer

/// A compensation that carries the spend's own key: no gem moves, and the operator hears of it.
final class InverseConflictTests: XCTestCase {
  func testTheInverseUnderTheSpendsKeyIsAWarningWithBothAmounts() async throws {
    let world = try APIWorld()
    let lines = Lines()
    try world.grant(100, to: "alice")
    let key = try KeyRing(world.ledger).create(.secret(scopes: [])).text
    let log = ServerLog(clock: world.time.clock) { line in
      lines.add(line)
    }
    let server = try GemServer(GemServer.Settings(), projects: [world.project], log: log)
    func transact(_ adjustments: String) throws -> String {
      let client = try RawClient(port: server.port)
      let body = "{\"adjustments\":\(adjustments)}"
      client.send(
        "POST /v2/projects/default/customers/alice/virtual_currencies/transactions HTTP/1.1\r\nHost: h\r\n"
          + "Authorization: Bearer \(key)\r\nIdempotency-Key: order-17\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return client.readAnswer()
    }
    XCTAssertTrue(try transact("{\"GEM\":-50}").contains(" 200 "))
    XCTAssertTrue(try transact("{\"GEM\":49}").contains("it differs in adjustments"))
    let answer = try transact("{\"GEM\":50}")
    let spend = try XCTUnwrap(world.ledger.history(of: CustomerID("alice")).transactions.first?.booking.transactionID)
    XCTAssertTrue(answer.hasPrefix("HTTP/1.1 409 "), answer)
    XCTAssertTrue(answer.contains("To return the amounts, reverse transaction \(spend) under another key."), answer)
    let client = try RawClient(port: server.port)
    client.send("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n")
    let metrics = client.readAnswer()
    XCTAssertTrue(metrics.contains("\ngemledger_inverse_conflicts_total 1\n"), metrics)
    await server.stop()
    let warnings = lines.all.filter { $0["level"] == "warning" }
    XCTAssertEqual(
      warnings.map { $0.only("code", "customer_id", "booked", "requested", "inverse_of") },
      [
        [
          "code": "key_conflict", "customer_id": "alice", "booked": "GEM -50", "requested": "GEM 50",
          "inverse_of": .string(spend.description),
        ]
      ])
  }

  /// The lines of a log.
  private final class Lines: Sendable {
    private let values = Mutex<[JSONValue]>([])

    var all: [JSONValue] { values.withLock { $0 } }

    func add(_ line: String) { values.withLock { $0.append((try? JSONValue.parse(line)) ?? .string(line)) } }
  }
}
#endif
