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
        init            Make a home with a ledger and a catalog
        catalog show    Show the catalog in force
        catalog check   Check a catalog file and list every problem in it
        catalog apply   Put a catalog into force
        offerings       Show what the shop window offers, with prices

      Store:
        approve         Approve a purchase that waits for somebody's consent
        decline         Decline a purchase that waits for somebody's consent
        store list      List the store's transactions, newest first
        store resolve   Complete an interrupted purchase or renewal
        store refund    Give money back for a purchase, in full or part
        store reverse-refund
                        Take a refund back
        store redeliver
                        Deliver a transaction once more
        store fault     Make the store misbehave, or show how it does
        store settings  Show how the store behaves, or change one setting
        clock advance   Move the time of the home ahead
        clock           Show the time of the home
        receipt show    Print the receipt of a store transaction
        receipt inspect
                        Show what a receipt says, and whether it verifies
        receipt verify  Fail unless a receipt verifies
        receipt root    Print the root certificate of the simulated App Store
        receipts held   List paid purchases that are not credited yet
        receipts credit
                        Credit a held purchase by your own decision

      Help:
        help            Show help for gemctl or for a verb
        version         Show the version
        completions     Print a script that completes command lines in a shell
        candidates      List the names that completions offer

      Options, before or after the verb:
        --home DIR            Directory of the ledger, the simulated store and the
                              client (default: .gemctl)
        --storage URL         Where the ledger is kept: sqlite:PATH, postgres://… or
                              memory: (default: a file in the home)
        --json                Print one JSON document instead of tables; errors too
        --customer ID         The customer meant (default: who is signed in)
        --device NAME         The device that acts, where a story needs two
        --store-account NAME  Who pays at the store (default: named after the
                              customer)
        --accept-clock        Book although the machine's clock is far from the newest
                              transaction
        -h, --help            Show help for gemctl or for the verb
        --version             Show the version

      Environment:
        GEMCTL_HOME        The home, where --home does not name one
        GEMCTL_STORAGE     As --storage, and keeps a password out of the list of
                           processes
        GEMCTL_CUSTOMER    The customer, where --customer does not name one
        GEMCTL_DELIVER     The shell command that delivers paid orders to a game
                           server
        NO_COLOR           Set to anything: no colour and no bold

      Exit status:
        0    Done, also where the same key had done it before
        1    Something unexpected: a defect
        2    Refused: insufficient balance, a condition, a limit, exists already
        3    The purchase did not complete
        4    The key was used for another request
        5    Not found: customer, currency, product, item, offering, transaction, hold
        6    The books do not add up
        64   The command line cannot be understood, or an amount is out of range
        65   The catalog has problems
        69   Unavailable or not known: try again, with the same key
        74   The storage is damaged, foreign or newer, or a file cannot be used
        141  The reader of standard output went away

      Examples:
        gemctl init
        gemctl buy gems_1200 --customer alice
        gemctl spend GEM=50 --customer alice --key order-17
        gemctl balance GEM --customer alice --json
        gemctl verify

      "gemctl help VERB" tells all about a verb.

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

      What is booked later changes nothing of what was: an id that was merged into
      another customer since names who it named then, and what had expired counts as
      gone.

      Arguments:
        [CODE]  One currency (default: all)

      Options:
        --at TIME       As of this instant, such as 2026-11-21T09:30:00Z, or the
                        beginning of this day
        --at-version N  As of this version of the account
        --svg FILE      Draw the balances over time into this file
        --from TIME     Where the drawing begins (default: with the customer)
        --until TIME    Where the drawing ends (default: now)
        --zone NAME     Where a day such as 2026-11-22 begins, such as Asia/Tokyo
                        (default: UTC)

      Examples:
        gemctl balance
        gemctl balance GEM --customer alice
        gemctl balance --at 2026-11-21T09:30:00Z
        gemctl balance --at 2026-11-22 --zone Asia/Tokyo
        gemctl balance --svg balance.svg

      Takes the global options too (--home, --storage, --json, --customer and more):
      see "gemctl help".

      """)
  }

  func testPageOfAVerbWithTwoForms() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: ["spend"]),
      """
      gemctl spend: Spend a customer's currency, on an item or freely

      Usage: gemctl spend CODE=AMOUNT... [OPTIONS]
             gemctl spend --item ID [--quantity N] [OPTIONS]

      Nothing is ever spent below zero: all amounts are booked together or not at all.
      Give the amounts or an item, not both.

      The conditions are checked in the same step as the spend; where one does not
      hold nothing is booked and the verb fails with condition_failed.

      Arguments:
        [CODE=AMOUNT...]  A currency and how much of it, such as GEM=50: plain digits

      Options:
        --item ID                Buy this item at the catalog's price
        --quantity N             How many of the item (default: 1)
        --key KEY                Idempotency key: repeating the command with it does
                                 nothing twice
        --reference TEXT         Your own name for what this is about, such as an
                                 order number
        --reason TEXT            Why; kept in the journal
        --dry-run                Show what would happen and change nothing
        --expect-version CODE=N  Only if the account in this currency has this version
                                 (repeatable)
        --minimum CODE=N         Only if at least N is left afterwards (repeatable)
        --maximum CODE=N         Only if at most N is left afterwards (repeatable)

      Examples:
        gemctl spend GEM=50 --customer alice --key order-17
        gemctl spend --item extra_life --quantity 2
        gemctl spend GEM=50 --minimum GEM=100 --dry-run

      Takes the global options too (--home, --storage, --json, --customer and more):
      see "gemctl help".

      """)
  }

  func testPageOfAFirstWord() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: ["catalog"]),
      """
      Usage: gemctl catalog show|check|apply

      Verbs:
        catalog show   Show the catalog in force
        catalog check  Check a catalog file and list every problem in it
        catalog apply  Put a catalog into force

      "gemctl help catalog show" tells all about one of them.

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
