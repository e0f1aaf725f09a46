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

  /// The database is lost at any round trip of `init`; the same command makes the home then.
  func testTheDatabaseLostAtAnyRoundTripTheNextInitMakesTheHome() throws {
    let url = try PostgresServer.shared().createDatabase()
    let proxy = try CuttingProxy(before: url)
    let home = try TestHome()
    func initialize(_ name: String, _ url: String) throws -> Shell.Answer {
      try home.raw("gemctl --home \(name) --storage '\(url)schema=\(name)' init")
    }
    proxy.arm(.beforeCommit, atRoundTrip: 1000)
    XCTAssertEqual(try initialize("whole", proxy.url + "&").status, 0)
    let count = 1000 - proxy.roundTripsLeft
    XCTAssertGreaterThan(count, 10)
    for (cut, name) in [(CuttingProxy.Cut.beforeCommit, "before"), (.afterCommit, "after")] {
      for number in Tier.current.items(4, of: Array(1...count)) {
        let name = "\(name)_\(number)"
        proxy.arm(cut, atRoundTrip: number)
        let first = try initialize(name, proxy.url + "&")
        _ = proxy.disarm()
        XCTAssertTrue([0, 69].contains(first.status), "\(name): \(first)")
        let second = try initialize(name, url + "?")
        XCTAssertEqual(second.status, first.status == 0 ? 2 : 0, "\(name): \(second)")
        let verified = try home.raw("gemctl --home \(name) --storage '\(url)?schema=\(name)' verify")
        XCTAssertEqual(verified.status, 0, "\(name): \(verified)")
      }
    }
    proxy.close()
  }

  /// An attempt that finds no server keeps what an earlier one began.
  func testAnUnfinishedHomeOutlivesAttemptsWithoutAServer() throws {
    let url = try PostgresServer.shared().createDatabase()
    let proxy = try CuttingProxy(before: url)
    let home = try TestHome()
    let line = "gemctl --home mine --storage '\(proxy.url)' init"
    XCTAssertEqual(try home.raw(line).status, 0)
    XCTAssertEqual(try home.raw("mv mine/home.json mine/home.json.unfinished").status, 0)
    proxy.refuseAll(true)
    for _ in 0..<2 { XCTAssertEqual(try home.raw(line).status, 69) }
    proxy.refuseAll(false)
    let answer = try home.raw(line)
    XCTAssertEqual(answer.status, 0, answer.error)
    proxy.close()
  }
  #endif
}
