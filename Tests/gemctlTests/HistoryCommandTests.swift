import XCTest

/// `history`: what is said of a refund.
final class HistoryCommandTests: XCTestCase {
  func testARefundShowsItsShare() throws {
    let home = try TestHome()
    let head =
      "TIME                      KIND             CHANGE  BALANCE  CURRENCY  TRANSACTION                           "
      + "ABOUT"
    let refund = "gemctl store refund $ID > /dev/null"
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl buy gems_300 --quantity 3 --customer alice --json > bought"),
        Row("ID=$(grep -o '[0-9]\\{16\\}' bought | head -1); \(refund) --quantity 1"),
        Row("ID=$(grep -o '[0-9]\\{16\\}' bought | head -1); \(refund) --percent 50"),
        Row("ID=$(grep -o '[0-9]\\{16\\}' bought | head -1); gemctl store reverse-refund $ID > /dev/null"),
        Row("ID=$(grep -o '[0-9]\\{16\\}' bought | head -1); \(refund)"),
        Row(
          "gemctl history --customer alice",
          output: """
            \(head)
            <time>  refund             -900        0  GEM       <id>  gems_300 refunded 100 %
            <time>  reversed_refund    +450      900  GEM       <id>  gems_300 refunded 0 %
            <time>  refund             -150      450  GEM       <id>  gems_300 refunded 50 %
            <time>  refund             -300      600  GEM       <id>  gems_300 refunded 33.333 %
            <time>  purchase           +900      900  GEM       <id>

            """),
        Row(
          "gemctl history --customer alice --json | grep -o '\"refunded_milli_percent\":[0-9]*'",
          output: [100_000, 0, 50_000, 33_333, 0].map { "\"refunded_milli_percent\":\($0)\n" }.joined()),
        // A grant has no purchase.
        Row("gemctl grant GEM=1 --reason x --customer bob > /dev/null"),
        Row("gemctl history --customer bob --json | grep -c purchase", 1, output: "0\n"),
      ], in: home)
  }

  /// The deadline of an order has passed in the home's time, and not in the machine's.
  func testTheOrderReportGoesUpToTheTimeOfTheHome() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl order open gems_300 --customer alice > /dev/null"),
        Row("gemctl order report", output: "No order failed in that time.\n"),
        Row("gemctl clock advance 2d > /dev/null; gemctl order report | grep -c gems_300", output: "1\n"),
      ], in: home)
  }

  /// A customer that signed in later is found by that id; an id of few letters is near to every other one.
  func testACustomerIsSuggestedByTheIDThatAPersonKnows() throws {
    let home = try TestHome()
    let none = "A purchase, a grant or a login makes one; check the id's spelling."
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login barbara > /dev/null; gemctl logout > /dev/null"),
        Row("gemctl grant GEM=1 --reason x --customer c2 > /dev/null"),
        Row(
          "gemctl balance --customer barbra", 5,
          error: "error: There is no customer \"barbra\". \(none) Did you mean \"barbara\"?\n"),
        Row("gemctl balance --customer c9", 5, error: "error: There is no customer \"c9\". \(none)\n"),
        Row("gemctl customers | grep -c '^barbara '", output: "1\n"),
      ], in: home)
  }
}
