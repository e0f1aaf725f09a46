import Foundation
import GemTestSupport
import XCTest

/// `buy --key`: the binary asks the store for one payment under each key.
final class OrderKeyCommandTests: XCTestCase {
  private static let words = """
    export GEMCTL_CUSTOMER=alice
    result() { grep -o '"result":"[a-z_]*"\\|"replayed":true'; }
    counts() {
      gemctl store list --json | grep -o '"product_id":"gems_300"' | grep -c .
      gemctl balance GEM --json | grep -o '"balance":[0-9]*'
      gemctl orders --json | grep -o '"status":"[a-z]*"'
    }

    """

  private static func row(_ script: String, _ output: String..., line: UInt = #line) -> Row {
    Row(words + script, output: output.map { "\($0)\n" }.joined(), line: line)
  }

  func testAnAskToBuyUnderOneKeyIsPaidOnce() throws {
    for store in ["apple", "google"] {
      let home = try TestHome()
      XCTAssertEqual(try home.raw("gemctl init --store \(store)").status, 0)
      let buy = "gemctl buy gems_300 --key k1 --json"
      let first = try home.raw(Self.words + "\(buy) --ask-to-buy")
      let again = try home.raw(Self.words + "\(buy) --ask-to-buy")
      XCTAssertEqual(first.status, 3, first.error)
      XCTAssertTrue(first.output.hasPrefix(#"{"result":"pending","store_transaction_id":""#), first.output)
      XCTAssertEqual(again, first)
      let id = first.output.split(separator: "\"")[7]
      let (success, order) = (#""result":"success""#, #""status":"success""#)
      try Row.check(
        [
          Self.row("counts", "1", #""balance":0"#, #""status":"pending""#),
          Self.row("\(buy) | result", #""result":"pending""#), Self.row("gemctl approve \(id) > /dev/null"),
          Self.row("\(buy) | result", success, #""replayed":true"#),
          Self.row("counts", "1", #""balance":300"#, order),
          // The second command's --ask-to-buy was for a payment that never started, and affects no other.
          Self.row("gemctl buy gems_300 --json | result", success),
          Self.row("counts", "2", #""balance":600"#, order), Row("gemctl verify > /dev/null"),
        ], in: home)
    }
  }

  func testACrashAfterAnyStepAndTheSameKeyAreOnePayment() throws {
    for step in ["paid", "queued", "credited", "finished"] {
      let crash = "(gemctl buy gems_300 --key k1 --crash-after \(step); exit $?) 2> /dev/null"
      try Row.check(
        [
          Row("gemctl init > /dev/null"), Row(Self.words + crash, 137),
          Self.row("gemctl buy gems_300 --key k1 --json | result", #""result":"success""#, #""replayed":true"#),
          Self.row("counts", "1", #""balance":300"#, #""status":"success""#),
        ], in: try TestHome())
    }
  }

  /// The key is looked up before the offer: a product that left the shop after its payment is answered as before.
  func testAKeyReplaysAfterItsProductLeftTheShop() throws {
    let edits = [
      ("/gems_300/s/\"active\": true/\"active\": false/", 2, "not_available"),
      ("s/\"apple\": \"gems_300\", //", 2, "not_available"),
      ("s/gems_300/gems_301/g", 5, "product_not_found"),
      ("s/\"USA\": \"2.99\"/\"USA\": \"1.99\"/", 0, ""),
    ]
    for (edit, status, code) in edits {
      let home = try TestHome()
      try home.write(try Self.catalog(), to: "first.json")
      let buy = "gemctl buy gems_300 --json"
      let setUp = try home.raw(
        """
        sed '\(edit)' first.json > second.json; cmp -s first.json second.json && echo "nothing edited"
        export GEMCTL_CUSTOMER=alice
        gemctl init first.json > /dev/null && \(buy) --key paid > /dev/null
        \(buy) --key waiting --ask-to-buy > waiting.json
        \(buy) --key cancelled --cancel > /dev/null
        gemctl catalog apply second.json > /dev/null
        """)
      XCTAssertEqual([setUp.output, setUp.error], ["", ""], edit)
      let (success, pending) = (#""result":"success""#, #""result":"pending""#)
      try Row.check(
        [
          Self.row("\(buy) --key paid | result", success, #""replayed":true"#),
          Self.row("\(buy) --key waiting | result", pending),
          Row(Self.words + "\(buy) --key waiting | cmp - waiting.json"),
          Self.row("counts | sed -n 1,2p", "2", #""balance":300"#),
        ], in: home)
      guard status != 0 else { continue }
      for key in ["", " --key new", " --key cancelled"] {
        let answer = try home.raw(Self.words + buy + key)
        XCTAssertEqual(answer.status, Int32(status), "\(edit)\(key): \(answer.output)\(answer.error)")
        XCTAssertTrue(answer.error.contains(#"{"error":{"code":"\#(code)""#), "\(edit)\(key): \(answer.error)")
      }
      let conflict = try home.raw(Self.words + buy + " --key paid --quantity 2")
      XCTAssertEqual(conflict.status, 4, conflict.error)
      try Row.check([Row("gemctl verify > /dev/null")], in: home)
    }
  }

  /// A payment at the catalog's price is credited, regardless of the catalog when the receipt comes.
  func testAPaymentFromBeforeAChangeOfTheCatalogIsCredited() throws {
    let edits = [
      "s/\"USA\": \"2.99\"/\"USA\": \"1.99\"/", "s/\"apple\": \"gems_300\"/\"apple\": \"other\"/",
      "/gems_300/s/\"active\": true/\"active\": false/",
    ]
    let cells = edits.flatMap { edit in ["", " --key k"].map { (edit, $0) } }
    for (edit, key) in Tier.current.items(edits.count, of: cells) {
      let home = try TestHome()
      try home.write(try Self.catalog(), to: "first.json")
      let buy = "gemctl buy gems_300 --json"
      try Row.check(
        [
          Row("gemctl init first.json > /dev/null"),
          Self.row("\(buy) --offline\(key) | result", #""result":"pending_server_validation""#),
          Row("sed '\(edit)' first.json > second.json && gemctl catalog apply second.json > /dev/null"),
          Row(Self.words + "gemctl sync > /dev/null"),
          Self.row("gemctl queue --json | grep -o '\"dead_lettered\":[0-9]*'", #""dead_lettered":0"#),
          Self.row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", #""balance":300"#),
          Row("gemctl verify > /dev/null"),
          Row(
            "gemctl export --output out.jsonl > /dev/null && gemctl import out.jsonl --storage sqlite:new > /dev/null"
          ),
          Row("gemctl export --storage sqlite:new | cmp - out.jsonl"),
        ], in: home)
    }
  }

  private static func catalog() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("Fixtures/gems.json"), encoding: .utf8)
  }

  func testACancelledPaymentCanBeMadeUpForUnderItsKey() throws {
    let buy = "gemctl buy gems_300 --key k1 --json"
    try Row.check(
      [
        Row("gemctl init > /dev/null"), Self.row("\(buy) --cancel | result", #""result":"cancelled""#),
        Self.row("\(buy) --fail | result", #""result":"failed""#),
        Self.row("\(buy) | result", #""result":"success""#),
        Self.row("counts", "1", #""balance":300"#, #""status":"success""#),
      ], in: try TestHome())
  }
}
