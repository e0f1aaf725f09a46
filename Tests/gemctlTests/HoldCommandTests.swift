import XCTest

@testable import gemctl

/// `hold`, `holds`, `capture`, `extend` and `release` of the built binary.
final class HoldCommandTests: XCTestCase {
  /// A home in which alice has bought 1,200 gems; `hold` and `last` say the ids that were printed last.
  private func shop() throws -> TestHome {
    let home = try TestHome()
    try home.write(Self.words, to: "words.sh")
    let answer = try home.run("gemctl init && gemctl buy gems_1200 --customer alice")
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  private static let words = """
    export GEMCTL_CUSTOMER=alice
    # Runs gemctl and keeps the ids of its answer.
    keep() { gemctl "$@" --json | tee last.json; return "${PIPESTATUS[0]}"; }
    id() { grep -o "\\"$1\\":\\"[^\\"]*" last.json | cut -d'"' -f4; }

    """
  private let use = ". ./words.sh; "
  private let made = #""hold_id":"<id>","customer_id":"alice","#

  func testAHoldIsCapturedInPartsAndEnds() throws {
    let captured = #"{"transaction_id":"<id>","customer_id":"alice","adjustments":{"GEM":-30},"balances":{"GEM":1170},"#
    try Row.check(
      [
        Row(
          use + "keep hold GEM=50 --for 15m --key h; id hold_id > hold",
          output: #"{\#(made)"amounts":{"GEM":50},"balances":{"GEM":1200},"available":{"GEM":1150},"#
            + #""expires_at":"<time>","replayed":false}"# + "\n"),
        Row(
          use + "gemctl hold GEM=50 --for 15m --key h | tail -n 1",
          output: "replayed: it was booked before; nothing was booked now\n"),
        Row(
          use + "gemctl balance",
          output: "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\n"
            + "GEM       Gems    1,200    50      1,150\ncustomer  alice\n"),
        Row(
          use + "gemctl holds",
          output: "HOLD                                  AMOUNTS  SINCE                     UNTIL\n"
            + "<id>  50 GEM   <time>  <time>\n"),
        Row(
          use + "gemctl capture $(cat hold) GEM=51", 2,
          error: "error: The hold has 50 GEM left, and 51 were to be captured. Capture at most the rest of the hold. "
            + "Nothing was changed.\n"),
        Row(
          use + "gemctl capture $(cat hold) GEM=30 --keep-open --json",
          output: captured + #""replayed":false,"items":[],"available":{"GEM":1150},"#
            + #""hold":{"hold_id":"<id>","amounts":{"GEM":20},"expires_at":"<time>"},"expired":{},"reclaimed":{}}"#
            + "\n"),
        Row(
          use + "gemctl capture $(cat hold) --reference duel",
          output: """
            CURRENCY  CHANGE  BALANCE  AVAILABLE  WHY
            GEM          -20    1,150      1,150  spend
            hold         <id>
            transaction  <id>
            customer     alice
            the hold has ended

            """),
        Row(
          use + "gemctl capture $(cat hold)", 2,
          error: "error: The hold <id> has ended: it was captured or released before, or its deadline passed. "
            + "Nothing was changed.\n"),
        Row(use + "gemctl holds", output: "There are no open holds.\n"),
        Row(use + "gemctl verify > /dev/null"),
      ], in: try shop())
  }

  func testHistoryTellsOfHolds() throws {
    try Row.check(
      [
        Row(use + "keep hold GEM=50 > /dev/null; keep capture $(id hold_id) GEM=20 > /dev/null"),
        Row(
          use + "gemctl history --limit 2",
          output: """
            TIME                      KIND     CHANGE  BALANCE  CURRENCY  TRANSACTION                           ABOUT
            <time>  capture     -20    1,180  GEM       <id>  hold <id>
            <time>  hold                                <id>  50 GEM on hold until <time>
            There is more: --after <cursor>

            """),
        Row(
          use + "gemctl history --limit 2 --json | grep -o '\"hold\":{[^}]*}[^}]*}'",
          output: #""hold":{"hold_id":"<id>","amounts":{},"expires_at":null}"# + "\n"
            + #""hold":{"hold_id":"<id>","amounts":{"GEM":50},"expires_at":"<time>"}"# + "\n"),
      ], in: try shop())
  }

  func testReleaseAndExtend() throws {
    try Row.check(
      [
        Row(
          use + "keep hold GEM=50 > hold.json; id hold_id > hold; gemctl extend $(cat hold) --for 1h --key e --json",
          output: #"{\#(made)"amounts":{"GEM":50},"expires_at":"<time>","replayed":false,"transaction_id":"<id>"}"#
            + "\n"),
        Row(
          use + "gemctl extend $(cat hold) --for 1h",
          output: "Holds 50 GEM on until <time>\nhold         <id>\ntransaction  <id>\ncustomer     alice\n"),
        Row(use + "gemctl extend $(cat hold) --for 31d", 64, error: "error: A hold lasts from 1 second to 30 days; "),
        Row(
          use + "gemctl release $(cat hold) --dry-run --json",
          output: #"{"transaction_id":null,"customer_id":"alice","adjustments":{},"balances":{"GEM":1200},"#
            + #""replayed":false,"items":[],"available":{"GEM":1200},"#
            + #""hold":{"hold_id":"<id>","amounts":{},"expires_at":null},"expired":{},"reclaimed":{},"dry_run":true}"#
            + "\n"),
        Row(
          use + "gemctl release $(cat hold) --key r",
          output: """
            CURRENCY  BALANCE  AVAILABLE
            GEM         1,200      1,200
            hold         <id>
            transaction  <id>
            customer     alice
            the hold has ended

            """),
        Row(
          use + "gemctl release $(cat hold) --key r | tail -n 1",
          output: "replayed: it was booked before; nothing was booked now\n"),
        Row(use + "gemctl release $(cat hold)", 2, error: "error: The hold <id> has ended: it was captured or"),
        Row(
          use + "gemctl extend $(cat hold) --for 1h --json > /dev/null", 2, error: #"{"error":{"code":"hold_ended","#),
        Row(use + "gemctl capture $(cat hold) --key r", 4, error: "error: The key \"r\" was used before"),
      ], in: try shop(), errorsBegin: true)
  }

  /// Currency that comes back to a purchase refunded meanwhile goes to the refund.
  func testARefundInMidHold() throws {
    try Row.check(
      [
        Row(use + "keep hold GEM=200 --for 1h > /dev/null; id hold_id > hold"),
        Row(
          use + "gemctl store refund $(gemctl store list --json | grep -o '\"2[0-9]*\"' | tr -d '\"') > /dev/null"),
        Row(
          use + "gemctl balance",
          output: "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\n"
            + "GEM       Gems      200   200          0\ncustomer  alice\n"),
        Row(
          use + "gemctl release $(cat hold)",
          output: """
            CURRENCY  CHANGE  BALANCE  AVAILABLE  WHY
            GEM         -200        0          0  refund
            hold         <id>
            transaction  <id>
            customer     alice
            200 GEM taken by the refund of the purchase
            the hold has ended

            """),
        Row(use + "gemctl verify > /dev/null"),
      ], in: try shop())
  }

  func testWhatIsRefused() throws {
    let unknown = "019aa3f2-6c1e-7000-8000-00000a51c7e4"
    try Row.check(
      [
        Row(use + "gemctl hold", 64, error: "error: \"hold\" needs CODE=AMOUNT.\n"),
        Row(use + "gemctl hold GEM=0", 64, error: "error: \"GEM=0\" is out of range"),
        Row(use + "gemctl hold GEM=5 --for 5", 64, error: "error: --for takes a length of time such as 90s, 15m, 1h"),
        Row(use + "gemctl hold GEM=5 --for 99d", 64, error: "error: A hold lasts from 1 second to 30 days"),
        Row(use + "gemctl hold GOLD=5", 5, error: "error: There is no currency GOLD"),
        Row(use + "gemctl hold GEM=5 --customer nobody", 5, error: "error: There is no customer \"nobody\"."),
        Row(use + "gemctl holds --customer nobody", 5, error: "error: There is no customer \"nobody\"."),
        Row(
          use + "gemctl hold GEM=1000 > /dev/null; gemctl hold GEM=201", 2,
          error: "error: Not enough GEM: 201 needed, 200 available (1000 more on hold). Nothing was changed.\n"),
        Row(use + "gemctl capture h1", 64, error: "error: \"h1\" is not a hold id; one looks like"),
        Row(use + "gemctl capture \(unknown)", 5, error: "error: There is no hold <id> in this ledger"),
        Row(use + "gemctl extend \(unknown)", 64, error: "error: \"extend\" needs --for TIME.\n"),
        Row(use + "gemctl extend \(unknown) --for 1h", 5, error: "error: There is no hold <id> in this ledger"),
        Row(
          use + "gemctl release \(unknown) --json", 5,
          error: #"{"error":{"code":"hold_not_found","message":"There is no hold <id> in this ledger; check the id.","#
            + #""details":{"hold_id":"<id>"}}}"# + "\n"),
        Row(
          use + "gemctl hold GEM=5 --dry-run --json",
          output: #"{"hold_id":null,"customer_id":"alice","amounts":{"GEM":5},"balances":{"GEM":1200},"#
            + #""available":{"GEM":195},"expires_at":"<time>","replayed":false,"dry_run":true}"# + "\n"),
      ], in: try shop(), errorsBegin: true)
  }
}
