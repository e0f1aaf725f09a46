import GemTestSupport
import PostgresTestSupport
import XCTest

/// `init` over a database, killed whenever it sends something.
final class PostgresInitCrashTests: XCTestCase {
  #if PostgreSQL
  func testKilledAtAnyMessageTheNextInitMakesTheHome() throws {
    let url = try PostgresServer.shared().createDatabase()
    let stage = try SystemCallStage("--storage '\(url)?schema=HOME' init", watching: "sendto")
    let calls = try stage.calls()
    XCTAssertGreaterThan(calls.count, 10)
    let played = Tier.current.items(5, of: calls)
    var killCount = 0
    for call in played {
      let home = "killed_\(call.number)"
      // How many messages there are differs a little from run to run.
      if try stage.run(home, "signal=KILL", at: call).status > 128 { killCount += 1 }
      let isComplete = try stage.names(home).contains("\(home)/home.json")
      let again = try stage.run(home)
      XCTAssertEqual(again.status, isComplete ? 2 : 0, "\(call): \(again)")
      let customers = try stage.run(home, arguments: "customers --json").output
      XCTAssertEqual(customers.matches(of: /customer_id/).count, 1, "\(call): \(customers)")
      XCTAssertTrue(try stage.run(home, arguments: "catalog show --json").output.contains("gems_300"), "\(call)")
      XCTAssertEqual(try stage.run(home, arguments: "verify").status, 0, "\(call)")
      XCTAssertEqual(try stage.names(home), [home, "\(home)/home.json"], "\(call)")
    }
    XCTAssertGreaterThan(killCount, played.count / 4)
    print("init over a database killed at \(killCount) of \(calls.count) messages")
  }
  #endif
}
