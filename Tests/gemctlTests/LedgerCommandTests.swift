import XCTest

@testable import gemctl

/// `buy`, `grant`, `spend`, `balance`, `history`, `customers` and `verify` of the built binary.
final class LedgerCommandTests: XCTestCase {
  /// A home in which alice has bought 1,200 gems.
  private func shop() throws -> TestHome {
    let home = try TestHome()
    let answer = try home.run("gemctl init && gemctl buy gems_1200 --customer alice")
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  func testBuyCreditsAndTells() throws {
    let bought = """
      Bought 2 × gems_300 for $5.98

      CURRENCY  CHANGE  BALANCE  WHY
      GEM         +600      600  purchase
      store transaction  <store id>
      transaction        <id>
      customer           bob

      """
    try Row.check(
      [
        Row("gemctl init > /dev/null"),
        Row(
          "gemctl buy gems_1200 --customer alice --json",
          output:
            #"{"result":"success","store_transaction_id":"<store id>","transaction_id":"<id>","customer_id":"alice","#
            + #""product_id":"gems_1200","credited":{"GEM":1200},"balances":{"GEM":1200},"replayed":false,"#
            + #""quantity":1,"price":{"amount":"9.99","currency":"USD"},"items":[]}"# + "\n"),
        Row("gemctl buy gems_300 --quantity 2 --customer bob --key tap-1", output: bought),
        Row(
          "gemctl buy gems_300 --quantity 2 --customer bob --key tap-1",
          output: bought + "replayed: it was booked before; nothing was booked now\n"),
        Row(
          "gemctl buy gems_300 --customer bob --key tap-1", 4,
          error: "error: The key \"tap-1\" was used before for another order: it differs in quantity. "
            + "Use a new key for a new order.\n"),
        Row(
          "gemctl buy gems_30", 5,
          error: "error: There is no product \"gems_30\" in the catalog. Did you mean \"gems_300\"?\n"),
      ], in: try TestHome())
  }

  func testPurchasesAtOnceAreAsManyPurchases() throws {
    let answer = try shop().run(
      "for i in 1 2 3 4 5 6; do gemctl buy gems_300 --customer bob > /dev/null & done; wait; gemctl balance --customer bob"
    )
    XCTAssertEqual(
      answer.output,
      "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\nGEM       Gems    1,800     0      1,800\ncustomer  bob\n")
    XCTAssertEqual(answer.error, "")
  }

  func testSpendingTwiceUnderOneKeySpendsOnce() throws {
    let spent = #"{"transaction_id":"<id>","customer_id":"alice","adjustments":{"GEM":-50},"balances":{"GEM":1150},"#
    try Row.check(
      [
        Row(
          "export GEMCTL_CUSTOMER=alice; gemctl spend GEM=50 --key o1 --json",
          output: spent + #""replayed":false,"items":[]}"# + "\n"),
        Row(
          "gemctl --customer alice spend GEM=50 --key o1 --json",
          output: spent + #""replayed":true,"items":[]}"# + "\n"),
        Row(
          "gemctl spend GEM=51 --key o1 --customer alice", 4,
          error: "error: The key \"o1\" was used before for another request: it differs in adjustments. "
            + "Use a new key for a new request.\n"),
        Row(
          "gemctl spend GEM=50 --dry-run --json --customer alice",
          output: #"{"transaction_id":null,"customer_id":"alice","adjustments":{"GEM":-50},"balances":{"GEM":1100},"#
            + #""replayed":false,"items":[],"dry_run":true}"# + "\n"),
        Row(
          "gemctl spend --item extra_life --quantity 2 --customer alice",
          output: """
            CURRENCY  CHANGE  BALANCE  WHY
            GEM         -100    1,050  spend
            extra_life +2, 2 owned
            transaction  <id>
            customer     alice

            """),
      ], in: try shop())
  }

  func testWhatIsRefusedChangesNothing() throws {
    let short = "Not enough GEM: 5000 needed, 1200 available. Nothing was changed."
    let balance =
      "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\nGEM       Gems    1,200     0      1,200\ncustomer  alice\n"
    let unknown =
      "error: There is no customer \"nobody\". A purchase, a grant or a login makes one; "
      + "check the id's spelling.\n"
    try Row.check(
      [
        Row("gemctl spend --item legendary_skin --customer alice", 2, error: "error: \(short)\n"),
        Row("gemctl balance --customer alice", output: balance),
        Row(
          "gemctl spend GEM=5000 --key k --customer alice --json", 2,
          error: #"{"error":{"code":"insufficient_balance","message":"\#(short)","#
            + #""details":{"currency":"GEM","needed":5000,"available":1200,"held":0}}}"# + "\n"),
        Row(
          "gemctl spend GEM=5000 --key k --customer alice", 2,
          error: "error: \(short) This is the answer that the key had before; use a new key to try again.\n"),
        Row("gemctl spend GEM=1 --customer nobody", 5, error: unknown),
        Row("gemctl balance --customer nobody", 5, error: unknown),
        Row("gemctl history --customer nobody", 5, error: unknown),
        Row("gemctl balance GOLD", 5, error: "error: There is no currency GOLD in the catalog.\n"),
        Row("gemctl balance --customer alice", output: balance),
      ], in: try shop())
  }

  func testAmountsArePlainDigits() throws {
    let home = try shop()
    let amounts = [
      "GEM=-50", "GEM=5.0", "GEM=5e2", "GEM=１２", "GEM=1 GEM=2", "GEM=0", "GEM=9007199254740992", "GEM=", "GEM",
      "GEM=+5", "GEM=05", "G-M=5", "=5",
    ]
    for amount in amounts {
      let answer = try home.run("gemctl spend \(amount) --customer alice; gemctl balance GEM --customer alice --json")
      XCTAssertTrue(answer.error.hasPrefix("error: "), amount)
      XCTAssertTrue(answer.output.contains(#""balance":1200,"#), amount)
      XCTAssertEqual(try home.run("gemctl spend \(amount) --customer alice").status, 64, amount)
    }
  }

  func testBalancesNowAndThen() throws {
    let balance =
      #"{"customer_id":"alice","virtual_currencies":{"GEM":{"code":"GEM","name":"Gems","#
      + #""description":"Hard currency","balance":1200,"held":0,"available":1200,"debt":0,"version":1}}}"# + "\n"
    let before =
      "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\nGEM       Gems        0     0          0\ncustomer  alice\n"
    try Row.check(
      [
        Row("gemctl balance --customer alice --json", output: balance),
        Row("gemctl balance GEM --customer alice --json", output: balance),
        // There was no currency yet.
        Row(
          "gemctl balance --at 2020-01-01T00:00:00Z --customer alice",
          output: "CURRENCY  NAME  BALANCE  HELD  AVAILABLE\ncustomer  alice\n"),
        Row("gemctl balance GEM --at-version 0 --customer alice", output: before),
        Row("gemctl balance --at yesterday > /dev/null 2>&1", 64),
        Row("gemctl balance --at-version 0 > /dev/null 2>&1", 64),
      ], in: try shop())
  }

  func testGrantsMakeTheCustomerAndTheLedgerRemembersWhy() throws {
    let record =
      #"{"transaction_id":"<id>","kind":"grant","created_at":"<time>","entries":[{"currency":"GEM","#
      + #""amount":100,"balance":100,"kind":"grant"}],"reference":"t-9","reason":"sorry","actor":"gemctl","items":[]}"#
    try Row.check(
      [
        Row("gemctl grant GEM=100 --reason sorry --reference t-9 --customer carol > /dev/null"),
        Row(
          "gemctl history --customer carol --json",
          output: #"{"customer_id":"carol","transactions":["# + record + #"],"next":null}"# + "\n"),
        Row(
          "gemctl customers",
          output: """
            CUSTOMER                                         SINCE                     BALANCES
            <anonymous>  <time>  none
            alice                                            <time>  1,200 GEM
            carol                                            <time>  100 GEM

            """),
      ], in: try shop())
  }

  func testHistoryGoesOnWhereThePageEnded() throws {
    let home = try shop()
    let script = """
      export GEMCTL_CUSTOMER=alice
      gemctl spend GEM=1 > /dev/null; gemctl spend GEM=2 > /dev/null
      page=$(gemctl history --limit 2 --json)
      next=${page##*\\"next\\":\\"}
      gemctl history --limit 2 --after ${next%\\"*}
      gemctl history --limit 2 --after ${next%\\"*} --customer $(gemctl customers --json | grep -o 'RCA[^"]*')
      """
    let answer = try home.run(script.replacing("$(gemctl customers --json | grep -o 'RCA[^\"]*')", with: "bob"))
    XCTAssertEqual(
      answer.output,
      """
      TIME                      KIND      CHANGE  BALANCE  CURRENCY  TRANSACTION                           ABOUT
      <time>  purchase  +1,200    1,200  GEM       <id>

      """)
    XCTAssertEqual(answer.status, 5)
    let forged = try home.run("gemctl history --customer alice --after 0000000000000366834ad88f")
    XCTAssertEqual(forged.status, 64)
    XCTAssertEqual(
      forged.error, "error: \"<cursor>\" is not a cursor of this list; take one that a page of it gave.\n")
  }

  func testVerifyTellsThatTheBooksAddUp() throws {
    let home = try shop()
    let answer = try home.run("gemctl verify --json")
    XCTAssertEqual(answer.status, 0)
    XCTAssertTrue(answer.output.hasPrefix(#"{"ok":true,"as_of":"<time>","transactions":"#), answer.output)
    XCTAssertTrue(answer.output.contains(#""problems":[],"#), answer.output)
    XCTAssertTrue(try home.run("gemctl verify").output.contains("The books add up: "))
  }

  func testAFileThatMayNotGrowIsAnErrorAndNotTheEnd() throws {
    let home = try shop()
    // Half a kilobyte a block, or a whole one, as the system has it: less than a commit needs either way.
    let answer = try home.run(
      "(ulimit -f 1; gemctl buy gems_300 --customer alice); echo $?; gemctl balance GEM --customer alice --json")
    XCTAssertTrue(answer.output.hasPrefix("69\n") || answer.output.hasPrefix("74\n"), answer.output + answer.error)
    XCTAssertTrue(answer.output.contains(#""balance":1200,"#), answer.output)
  }

  func testNamesWhatItCannotOpen() throws {
    let home = try TestHome()
    try home.write("This is a letter, and not a ledger.\n", to: "letter.txt")
    try Row.check(
      [
        Row(
          "gemctl --storage sqlite:letter.txt balance --customer a", 74,
          error: "error: letter.txt is not a GemLedger file. Nothing was written to it; name another file.\n"),
        Row("cat letter.txt", output: "This is a letter, and not a ledger.\n"),
        Row("gemctl --storage memory: buy gems_300 --json | cut -c1-19", output: "{\"result\":\"success\"\n"),
      ], in: home)
  }
}
