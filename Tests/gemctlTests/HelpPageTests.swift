import XCTest

@testable import gemctl

final class HelpPageTests: XCTestCase {
  /// The whole page, with the verbs of three groups.
  func testMainPage() throws {
    var help = HelpPage(style: .plain)
    help.verbs = Verb.all.filter { [.setUp, .store, .help].contains($0.group) }
    XCTAssertEqual(
      try help.page(about: []),
      """
      gemctl: a ledger for virtual currency, with a simulated store

      Usage: gemctl [OPTIONS] VERB [ARGUMENTS]

      Set up:
        init            Create a home with a ledger and a catalog
        catalog show    Show the current catalog and its version
        catalog check   Check a catalog file and list every problem in it
        catalog apply   Apply a catalog file
        catalog history
                        List the versions of the catalog, newest first
        offerings       Show the offerings with their prices

      Store:
        approve         Approve a pending purchase
        decline         Decline a pending purchase
        store list      List the store's transactions, newest first
        store resolve   Complete an interrupted purchase or renewal
        store refund    Refund a purchase, in full or in part
        store reverse-refund
                        Reverse a refund
        store redeliver
                        Deliver a transaction again
        store fault     Inject faults into the store, or list them
        store settings  Show the store's settings, or change a setting
        clock advance   Advance the time of the home
        clock           Show the time of the home
        receipt show    Print the receipt of a store transaction
        receipt inspect
                        Decode a receipt and check its signature
        receipt verify  Verify a receipt
        receipt root    Print the root certificate of the simulated App Store
        receipts held   List paid purchases that are not credited yet
        receipts credit
                        Credit a held purchase manually

      Help:
        help            Show help for gemctl or for a verb
        version         Show the version
        completions     Print the completion script for a shell
        candidates      List the names that completions offer

      Options, before or after the verb:
        --home DIR            Directory of the ledger, the simulated store and the
                              client (default: .gemctl)
        --storage URL         Storage of the ledger: sqlite:PATH, postgres://… or
                              memory: (default: a file in the home)
        --json                Print results and errors as JSON (default: tables and
                              text)
        --customer ID         Customer (default: the signed-in customer)
        --device NAME         Device of the customer, to simulate several devices
        --store-account NAME  Account of the payer at the store (default: one per
                              customer)
        --accept-clock        Book even if the machine's clock is far from the newest
                              transaction
        -h, --help            Show help for gemctl or for the verb
        --version             Show the version

      Environment:
        GEMCTL_HOME        Default of --home
        GEMCTL_STORAGE     Default of --storage; hides a password from the process
                           list
        GEMCTL_CUSTOMER    Default of --customer
        GEMCTL_DELIVER     Shell command that delivers paid orders to a game server
        NO_COLOR           If set, no colours and no bold text

      Exit status:
        0    Done, or a replay of a request with the same key
        1    Unexpected error: a defect
        2    Refused: insufficient balance, a condition, a limit, already exists
        3    The purchase did not complete
        4    The key was used for another request
        5    Not found: customer, currency, product, item, offering, transaction, hold
        6    The books do not add up
        64   The command line cannot be understood, or an amount is out of range
        65   The catalog has problems
        69   Unavailable or unknown outcome: try again with the same key
        74   The storage is damaged, foreign or too new, or a file cannot be used
        141  The reader closed standard output

      Examples:
        gemctl init
        gemctl buy gems_1200 --customer alice
        gemctl spend GEM=50 --customer alice --key order-17
        gemctl balance GEM --customer alice --json
        gemctl verify

      For the options of a verb, see "gemctl help VERB".

      """)
  }

  func testMainPageListsEveryVerbOfItsGroup() throws {
    let sections = HelpPage(style: .plain).main().components(separatedBy: "\n\n")
    for group in Verb.Group.allCases {
      let section = try XCTUnwrap(sections.first { $0.hasPrefix("\(group.rawValue):\n") })
      let words = section.split { $0 == " " || $0 == "\n" }.dropFirst(group.rawValue.split(separator: " ").count)
      let listed = Verb.all.filter { $0.group == group }.flatMap { "\($0.name) \($0.summary)".split(separator: " ") }
      XCTAssertEqual(Array(words), listed, group.rawValue)
    }
  }

  func testPageOfAVerb() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: ["balance"]),
      """
      gemctl balance: Show a customer's balances

      Usage: gemctl balance [CODE] [OPTIONS]

      A past balance is shown as it was: later merges do not affect it, and expired
      currency is not counted.

      Arguments:
        [CODE]  Currency (default: all)

      Options:
        --at TIME       Show the balances at this instant or at the start of this day
                        (default: now)
        --at-version N  Show the balance at this version of the account
        --svg FILE      Draw a chart of the balances into this file
        --from TIME     Start of the chart (default: the customer's creation)
        --until TIME    End of the chart (default: now)
        --zone NAME     Time zone of days such as 2026-11-22, for example Asia/Tokyo
                        (default: UTC)

      Examples:
        gemctl balance GEM --customer alice
        gemctl balance --at 2026-11-22 --zone Asia/Tokyo

      For the global options (--home, --storage, --json, --customer and more), see
      "gemctl help".

      """)
  }

  func testPageOfAVerbWithTwoForms() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: ["spend"]),
      """
      gemctl spend: Spend a customer's currency, or buy an item with it

      Usage: gemctl spend CODE=AMOUNT... [OPTIONS]
             gemctl spend --item ID [--quantity N] [OPTIONS]

      Takes amounts or an item, not both. All amounts are booked together or not at
      all, and no balance goes below zero. The conditions are checked in the same
      step; if one does not hold, the verb fails with condition_failed.

      Arguments:
        [CODE=AMOUNT...]  Currency and amount in plain digits, for example GEM=50

      Options:
        --item ID                Buy this item at the catalog's price
        --quantity N             Number of items (default: 1)
        --key KEY                Idempotency key: a repeated command with this key
                                 changes nothing
        --reference TEXT         Your reference, for example an order number
        --reason TEXT            Reason for the journal
        --dry-run                Show the effects without changing anything
        --expect-version CODE=N  Require this version of the account in this currency
                                 (repeatable)
        --minimum CODE=N         Require a balance of at least N afterwards
                                 (repeatable)
        --maximum CODE=N         Require a balance of at most N afterwards
                                 (repeatable)

      Examples:
        gemctl spend GEM=50 --customer alice --key order-17
        gemctl spend --item extra_life --quantity 2

      For the global options (--home, --storage, --json, --customer and more), see
      "gemctl help".

      """)
  }

  func testPageOfAFirstWord() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: ["catalog"]),
      """
      Usage: gemctl catalog show|check|apply|history

      Verbs:
        catalog show     Show the current catalog and its version
        catalog check    Check a catalog file and list every problem in it
        catalog apply    Apply a catalog file
        catalog history  List the versions of the catalog, newest first

      For the options of a verb, see for example "gemctl help catalog show".

      """)
  }

  func testNoLineIsWiderThanThePage() throws {
    let help = HelpPage(style: .plain)
    for page in [help.main()] + Verb.all.map(help.page(of:)) {
      for line in page.split(separator: "\n") { XCTAssertLessThanOrEqual(DisplayWidth.of(String(line)), 80, "\(line)") }
    }
  }

  func testHeadingsAreBoldOnTerminals() {
    let page = HelpPage(style: Style(isOn: true)).main()
    XCTAssertTrue(page.contains("\n\u{1B}[1mExit status:\u{1B}[0m\n"))
  }

  func testUnknownPageSuggestsOne() {
    for (words, suggestion) in [(["blance"], "balance"), (["catalog", "chek"], "catalog check")] {
      XCTAssertThrowsError(try HelpPage(style: .plain).page(about: words)) { error in
        XCTAssertEqual((error as? UsageError)?.suggestion, suggestion)
      }
    }
  }
}
