import Foundation
import XCTest

/// `run`, `deliveries` and `order` of the built binary.
final class MaintenanceCommandTests: XCTestCase {
  private func shop() throws -> TestHome {
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init && gemctl login alice").status, 0)
    return home
  }

  /// The game server is a script: it confirms once there is a file named `up`, and writes down what it gets.
  private let server = "export GEMCTL_DELIVER='cat >> heard; test -e up'\n"

  // MARK: Deliveries

  func testADeliveryIsTriedUntilItIsConfirmed() throws {
    let home = try shop()
    let bought = try home.run(server + "gemctl buy gems_300 --key k1 --json | grep -o '\"result\":\"[a-z]*\"'")
    XCTAssertEqual(bought.output, "\"result\":\"success\"\n", bought.error)
    let listed = try home.run(
      "gemctl orders --json | grep -o '\"status\":\"[a-z_]*\"'; gemctl deliveries list --json "
        + "| grep -o '\"delivery_attempts\":[0-9]*'")
    XCTAssertEqual(listed.output, "\"status\":\"delivery_pending\"\n\"delivery_attempts\":1\n", listed.error)
    let code = try home.run("gemctl orders --json | grep -o 'AP[0-9A-Z]*' | head -1").output.split(separator: "\n")[0]
    let down = try home.run(server + "gemctl deliveries retry \(code)")
    XCTAssertEqual(down.status, 3)
    XCTAssertEqual(down.output, "\(code): delivery_pending, next try at <time>\n")
    let up = try home.run("touch up\n" + server + "gemctl deliveries retry \(code)")
    XCTAssertEqual(up.output, "\(code): success\n", up.error)
    XCTAssertEqual(try home.run("gemctl deliveries list").output, "No delivery is pending.\n")
    XCTAssertEqual(
      try home.run("gemctl deliveries undelivered").output, "No delivery has used up its tries.\n")
    let heard = try home.run("grep -c '\"purchase_code\":\"\(code)\"' heard")
    XCTAssertEqual(heard.output, "3\n")
    XCTAssertEqual(try home.run("gemctl balance GEM --json | grep -o '\"balance\":300'").output, "\"balance\":300\n")
  }

  /// A runner that goes on for long follows the home's time: the next try is due an hour later.
  func testARunnerFollowsTheTimeOfTheHome() throws {
    let home = try shop()
    let script = """
      \(server)
      gemctl buy gems_300 --key k1 > /dev/null
      touch up
      gemctl run --every 1s --json > rounds & run=$!
      until [ "$(grep -c . rounds)" -ge 1 ]; do kill -0 $run || exit 9; sleep 0.05; done
      gemctl clock advance 1h > /dev/null
      for i in $(seq 1 600); do grep -q '"confirmed":1' rounds && break; sleep 0.1; done
      kill $run; wait $run
      grep -o '"confirmed":1' rounds; gemctl orders --json | grep -o '"status":"[a-z_]*"'
      """
    let answer = try home.run(script)
    XCTAssertEqual(answer.output, "\"confirmed\":1\n\"status\":\"success\"\n", answer.error)
  }

  /// The exit status alone counts: also of a command that reads nothing, is killed, or is not there.
  func testACommandConfirmsByItsExitStatus() throws {
    let home = try shop()
    _ = try home.run("GEMCTL_DELIVER=false gemctl buy gems_300 --key k1")
    let code = try home.run("gemctl orders --json | grep -o 'AP[0-9A-Z]*' | head -1").output.split(separator: "\n")[0]
    for command in ["kill -9 $$", "./no-such-command", "exit 1", "exec <&-; exit 7"] {
      let answer = try home.run("gemctl deliveries retry \(code) --deliver '\(command)' 2> /dev/null")
      XCTAssertEqual(answer.status, 3, command)
      XCTAssertTrue(answer.output.hasPrefix("\(code): delivery_pending"), answer.output)
    }
    let quiet = try home.run("gemctl deliveries retry \(code) --deliver 'exec <&-; echo noise; exit 0' --json")
    XCTAssertEqual(quiet.status, 0, quiet.error)
    XCTAssertTrue(quiet.output.hasPrefix(#"{"purchase_code":"\#(code)","status":"success""#), quiet.output)
  }

  func testRetryAsksForTheCommandThatDelivers() throws {
    let answer = try shop().run("gemctl deliveries retry")
    XCTAssertEqual(answer.status, 64)
    XCTAssertTrue(answer.error.contains("--deliver or GEMCTL_DELIVER"), answer.error)
  }

  // MARK: Orders

  func testTheFirstStepAloneIsPaidUnderItsKey() throws {
    let home = try shop()
    let opened = try home.run("gemctl order open gems_300 --key k1 --json")
    XCTAssertEqual(opened.status, 0, opened.error)
    XCTAssertTrue(opened.output.contains(#""status":"pending""#), opened.output)
    XCTAssertTrue(opened.output.contains(#""store_product_id":"gems_300""#), opened.output)
    let again = try home.run("gemctl order open gems_300 --key k1 --json")
    XCTAssertTrue(again.output.contains(#""replayed":true"#), again.output)
    let paid = try home.run(
      "gemctl buy gems_300 --key k1 > /dev/null; gemctl orders --json | grep -o '\"status\":\"[a-z]*\"'")
    XCTAssertEqual(paid.output, "\"status\":\"success\"\n", paid.error)
    XCTAssertEqual(try home.run("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'").output, "\"balance\":300\n")
  }

  /// A consent that comes after the order was given up is credited.
  func testAGivenUpOrderIsCreditedWhereItIsPaidAllTheSame() throws {
    let home = try shop()
    let pending = try home.raw("gemctl buy gems_300 --key k1 --ask-to-buy --json")
    XCTAssertEqual(pending.status, 3, pending.error)
    let id = pending.output.split(separator: "\"")[7]
    let code = try home.run("gemctl orders --json | grep -o 'AP[0-9A-Z]*' | head -1").output.split(separator: "\n")[0]
    let givenUp = try home.run("gemctl order cancel \(code)")
    XCTAssertEqual(givenUp.output, "\(code): failed\n", givenUp.error)
    let report = try home.run("gemctl order report --json | grep -o '\"purchase_code\":\"\(code)\"'")
    XCTAssertEqual(report.output, "\"purchase_code\":\"\(code)\"\n")
    let paid = try home.run(
      """
      gemctl approve \(id) > /dev/null; gemctl sync > /dev/null
      gemctl orders --json | grep -o '"status":"[a-z]*"'; gemctl balance GEM --json | grep -o '"balance":[0-9]*'
      gemctl order cancel \(code); gemctl order report; gemctl verify > /dev/null
      """)
    XCTAssertEqual(
      paid.output,
      "\"status\":\"success\"\n\"balance\":300\n\(code): success (replayed)\nNo order failed in that time.\n",
      paid.error)
    XCTAssertEqual(paid.status, 0)
  }

  // MARK: Standing work

  func testOneRound() throws {
    let home = try shop()
    let answer = try home.run("gemctl run --once")
    XCTAssertEqual(
      answer.output,
      """
      JOB                RESULT
      scheduled_effects  customers 1, settled 0
      held_receipts      credited 0, decided 0
      order_holds        failed 0, found 0, resolved 0
      deliveries         confirmed 0, exhausted 0, refunded 0, tried 0

      """, answer.error)
    let json = try home.run("gemctl run --once --json")
    XCTAssertTrue(
      json.output.hasPrefix(#"{"started_at":"<time>","ok":true,"jobs":[{"name":"scheduled_effects","counts":{"#),
      json.output)
  }

  /// It works beside other commands of the home, and ends with 0 on either signal.
  func testRunsUntilASignal() throws {
    for signal in ["TERM", "INT"] {
      let home = try shop()
      let answer = try home.run(
        """
        set -m
        gemctl run --every 1s --json > rounds & run=$!
        until [ "$(grep -c . rounds)" -ge 1 ]; do kill -0 $run || exit 9; sleep 0.05; done
        gemctl buy gems_300 > /dev/null || exit 8
        until [ "$(grep -c . rounds)" -ge 2 ]; do kill -0 $run || exit 9; sleep 0.05; done
        kill -\(signal) $run; wait $run; echo "ended with $?"
        gemctl verify > /dev/null
        """)
      XCTAssertEqual(answer.output, "ended with 0\n", "\(signal): \(answer.error)")
      XCTAssertEqual(answer.status, 0)
    }
  }

  func testRefusesOptionsThatExcludeEachOther() throws {
    XCTAssertEqual(try shop().run("gemctl run --once --every 5s").status, 64)
  }
}
