import XCTest

@testable import gemctl

/// `demo` of the built binary: the story of the README, played by the verbs themselves.
final class DemoCommandTests: XCTestCase {
  func testPlaysTheStoryAndLeavesNothingBehind() throws {
    let home = try TestHome()
    let answer = try home.run("mkdir t; TMPDIR=$PWD/t gemctl demo; ls -A . t")
    XCTAssertEqual(answer.status, 0, answer.error)
    XCTAssertEqual(answer.error, "")
    // The proof of the books grows with the books; its last line is the same.
    XCTAssertTrue(answer.output.hasPrefix(Self.script), answer.output)
    XCTAssertTrue(answer.output.contains("\nThe books add up: "), answer.output)
    XCTAssertTrue(answer.output.hasSuffix("\n.:\nt\n\nt:\n"), answer.output)
  }

  func testTellsWhichStoriesThereAre() throws {
    let answer = try TestHome().run("gemctl demo coins")
    XCTAssertEqual(answer.status, 64)
    let error = "error: there is no demo \"coins\"; the demos are: gems, economy.\n"
    XCTAssertTrue(answer.error.hasPrefix(error), answer.error)
  }

  func testAsJSONHasEveryStep() throws {
    let output = try TestHome().run("gemctl demo --json").output
    XCTAssertTrue(output.hasPrefix(#"{"demo":"gems","steps":[{"command":"gemctl init","about":"#), output)
    XCTAssertEqual(output.split(separator: #""exit_status":2"#).count, 2, output)
  }

  func testPlaysTheEconomy() throws {
    let answer = try TestHome().run("mkdir t; TMPDIR=$PWD/t gemctl demo economy; ls -A t")
    XCTAssertEqual(answer.status, 0, answer.error)
    XCTAssertEqual(answer.error, "")
    for part in [
      "$ gemctl reverse <id>\nCURRENCY  CHANGE  BALANCE  WHY\nGEM          +50      500  reversal\n",
      "400 available (100 more on hold). Nothing was changed.\n(exit status 2)\n",
      "30 GEM expired before the return and are lost\n",
      "bob       GEM          +20       20  transfer\n",
      "GEM       Gems       200   200          0\n",
      "200 GEM taken by the refund of the purchase\nthe hold has ended\n",
      "\nThe books add up: ",
    ] {
      XCTAssertTrue(answer.output.contains(part), "\(part)\nis not in\n\(answer.output)")
    }
    XCTAssertNil(answer.output.firstMatch(of: /\{[a-z ]+\}/), "a name was not filled in")
    // The last lines are those of the proof: nothing is left behind.
    XCTAssertTrue(answer.output.split(separator: "\n").last?.hasPrefix("The books add up") ?? false, answer.output)
  }

  private static let script = """
    gems: a store that sells gems for money, and things for gems

    # Type the lines after the dollar signs to play it yourself.
    $ export GEMCTL_HOME="$(mktemp -d)"
    $ export GEMCTL_CUSTOMER=alice

    # A home with the currency GEM, three packs of gems, and two items to spend them on.
    $ gemctl init
    Made the home <demo> with 1 currency, 3 products, 1 offering and 2 items.
    Signed in as <anonymous>, a new anonymous customer.
    Next: gemctl offerings

    # The products that the app offers.
    $ gemctl offerings
    gems (current): Gem packs
    PACKAGE  PRODUCT    TITLE        PRICE  GRANTS
    small    gems_300   300 Gems     $2.99  300 GEM
    medium   gems_1200  1,200 Gems   $9.99  1,200 GEM
    large    gems_6500  6,500 Gems  $49.99  6,500 GEM

    # Alice buys a pack. After the payment it is credited, exactly once.
    $ gemctl buy gems_1200
    Bought gems_1200 for $9.99

    CURRENCY  CHANGE  BALANCE  WHY
    GEM       +1,200    1,200  purchase
    store transaction  <store id>
    transaction        <id>
    customer           alice

    $ gemctl balance
    CURRENCY  NAME  BALANCE  HELD  AVAILABLE
    GEM       Gems    1,200     0      1,200
    customer  alice

    # She spends some. The key identifies this order.
    $ gemctl spend GEM=50 --key order-17
    CURRENCY  CHANGE  BALANCE  WHY
    GEM          -50    1,150  spend
    transaction  <id>
    customer     alice

    # The answer was lost, so the app asks again: the order is charged once.
    $ gemctl spend GEM=50 --key order-17
    CURRENCY  CHANGE  BALANCE  WHY
    GEM          -50    1,150  spend
    transaction  <id>
    customer     alice
    replayed: it was booked before; nothing was booked now

    # The price of an item is the price in the catalog.
    $ gemctl spend --item extra_life
    CURRENCY  CHANGE  BALANCE  WHY
    GEM          -50    1,100  spend
    extra_life +1, 1 owned
    transaction  <id>
    customer     alice

    # A spend above the balance is refused, and nothing changes.
    $ gemctl spend --item legendary_skin
    error: Not enough GEM: 5000 needed, 1100 available. Nothing was changed.
    (exit status 2)

    $ gemctl balance
    CURRENCY  NAME  BALANCE  HELD  AVAILABLE
    GEM       Gems    1,100     0      1,100
    customer  alice

    # Every change is in the history, newest first.
    $ gemctl history
    TIME                      KIND      CHANGE  BALANCE  CURRENCY  TRANSACTION                           ABOUT
    <time>  spend        -50    1,100  GEM       <id>  +1 extra_life
    <time>  spend        -50    1,150  GEM       <id>
    <time>  purchase  +1,200    1,200  GEM       <id>

    # The journal proves that the books add up.
    $ gemctl verify

    """
}
