import XCTest

/// `feed` of the built binary.
final class FeedCommandTests: XCTestCase {
  /// Makes a home in which alice has bought 1,200 gems and was merged into bob, and bob has spent one.
  private func shop() throws -> TestHome {
    let home = try TestHome()
    let answer = try home.run(
      """
      gemctl init && gemctl buy gems_1200 --customer alice && gemctl grant GEM=5 --reason hello --customer bob \
      && gemctl merge --from alice --into bob && gemctl spend GEM=1 --customer bob --reference order-17
      """)
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  /// A shell function that gives the last cursor in a text.
  private let cursor = #"cursor() { grep -o '"next":"[^"]*' | tail -1 | cut -d '"' -f 4; }; "#

  func testGoesOnWhereThePageEnded() throws {
    let answer = try shop().run(
      cursor + """
        page=$(gemctl feed --limit 2 --json); echo "$page" | grep -o '"has_more":.*'
        gemctl feed --after $(echo "$page" | cursor) | sed 's/--after .*/--after CURSOR/'
        end=$(gemctl feed --json | cursor)
        gemctl feed --after $end | sed "s/$end/THE SAME/"
        """)
    XCTAssertEqual(
      answer.output,
      """
      "has_more":true}
      TIME                      CUSTOMER  KIND   CHANGE  BALANCE  CURRENCY  TRANSACTION                           ABOUT
      <time>  bob       merge  +1,200    1,205  GEM       <id>
      <time>  alice     merge  -1,200        0  GEM       <id>
      <time>  bob       spend      -1    1,204  GEM       <id>  order-17
      Later events: --after CURSOR
      There are no events.
      Later events: --after THE SAME

      """)
    XCTAssertEqual(answer.error, "")
  }

  func testTellsScriptsWhoWasMerged() throws {
    let answer = try shop().run("gemctl feed --json")
    XCTAssertTrue(
      answer.output.hasPrefix(#"{"events":[{"customer_id":"alice","transaction_id":"<id>","kind":"purchase","#),
      answer.output)
    let entries = #"[{"currency":"GEM","amount":-1200,"balance":0,"kind":"merge"}]"#
    XCTAssertTrue(
      answer.output.contains(#""merged":{"customer_id":"alice","entries":\#(entries),"items":[]}}"#), answer.output)
  }

  func testTellsScriptsWhatWasBought() throws {
    let answer = try shop().run("gemctl feed --json")
    let purchase = #"""
      "source":"in_app_purchase","purchase":{"product_id":"gems_1200","product_name":"1,200 Gems",\
      "store_product_id":"gems_1200","store":"apple","environment":"local_testing",\
      "store_transaction_id":"<store id>","original_transaction_id":"<store id>","quantity":1,\
      "price":{"amount":"9.99","currency":"USD"},"purchased_at":"<time>","refunded_milli_percent":0}
      """#
    XCTAssertTrue(answer.output.contains(purchase.replacing("\\\n", with: "")), answer.output)
    XCTAssertTrue(answer.output.contains(#""source":"admin_api","purchase":null"#), answer.output)
  }

  func testRefusesACursorOfAnotherList() throws {
    let answer = try shop().run("gemctl feed --after nonsense")
    XCTAssertEqual(answer.status, 64)
    XCTAssertEqual(
      answer.error, "error: \"nonsense\" is not a cursor of this feed; take one that a page of it gave.\n")
  }

  func testFollowsUntilTheLimit() throws {
    let answer = try shop().run(
      cursor + """
        gemctl feed --follow --json --limit 3 > lines
        wc -l < lines | tr -d ' '
        gemctl feed --follow --limit 1 --after $(cursor < lines) | sed 's/--after .*/--after CURSOR/'
        """)
    XCTAssertEqual(
      answer.output,
      """
      3
      TIME                      CUSTOMER  KIND   CHANGE  BALANCE  CURRENCY  TRANSACTION                           ABOUT
      <time>  bob       spend      -1    1,204  GEM       <id>  order-17
      Later events: --after CURSOR

      """)
  }

  /// Prints the bookings of other processes meanwhile; a signal ends it, and it says where to go on.
  func testFollowsOtherProcessesUntilASignal() throws {
    for signal in ["TERM", "INT"] {
      let answer = try shop().run(
        """
        set -m
        gemctl feed --follow > lines 2>&1 & follower=$!
        until grep -q order-17 lines; do :; done
        gemctl spend GEM=2 --customer bob --reference order-18 > /dev/null
        until grep -q order-18 lines; do :; done
        kill -\(signal) $follower; wait $follower; echo $?
        grep -c TRANSACTION lines; tail -1 lines | cut -d ' ' -f 1-3
        """)
      XCTAssertEqual(answer.output, "0\n1\nLater events: --after\n", signal)
    }
  }
}
