import XCTest

@testable import gemctl

final class HelpPageTests: XCTestCase {
  func testMainPage() throws {
    XCTAssertEqual(
      try HelpPage(style: .plain).page(about: []),
      """
      gemctl: a ledger for virtual currency, with a simulated store

      Usage: gemctl [OPTIONS] VERB [ARGUMENTS]

      Set up:
        init            Make a home with a ledger and a catalog
        catalog show    Show the catalog in force
        catalog check   Check a catalog file and list every problem in it
        catalog apply   Put a catalog into force
        offerings       Show what the shop window offers, with prices

      Client:
        buy             Buy a product at the simulated store and credit it
        balance         Show a customer's balances
        history         Show a customer's transactions, newest first
        login           Sign in as a customer
        identify        Switch to another customer; nothing moves
        logout          Sign out; a new anonymous customer is signed in
        reset           Start over with a new anonymous customer
        whoami          Show who is signed in, with all ids
        alias           Give the customer another id
        restore         Restore what the store account bought
        entitlements    Show the customer's entitlements
        orders          Show the customer's orders: purchases announced before payment
        sync            Try every queued receipt of every customer now
        queue list      List the receipts that wait for their credit
        queue drain     Post what is due
        queue requeue   Give a dead-lettered receipt another chance
        queue           List the receipts that wait for their credit
        order open      Announce a purchase before its payment, and pay nothing
        order cancel    Give an order up
        order report    List the orders that were announced and never paid

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

      Ledger:
        grant           Give a customer currency
        spend           Spend a customer's currency, on an item or freely
        reverse         Undo a spend, into the lots that it took from
        hold            Set currency aside, to be captured or released
        holds           List a customer's open holds
        capture         Spend what a hold set aside, in full or part
        extend          Let a hold last longer
        release         Give back what a hold set aside
        transfer        Move currency from one customer to another
        exchange        Change currency into another one of the same customer
        basket          Book several steps over several customers, all or none
        merge           Make two customers one
        unmerge         Part two customers that a merge made one
        freeze          Stop a customer from spending
        unfreeze        Let a frozen customer spend again
        erase           Forget who a customer is; the books stay
        sweep           Write down what has come about by itself

      Insight:
        customers       List the customers with their balances
        items           List what is sold for currency, or what it really cost
        explain         Show why a balance is what it is, down to the receipt
        statement       Show what happened to a customer's balances in a period
        spends          List what a customer spent, newest first, and nothing else
        consumed        Show how much of a purchase is used up
        withdrawable    List purchases younger than 14 days that are not used up
        unspent         Show what customers had not spent, and what it had cost
        flows           Show where currency came from and went, day by day
        feed            List the transactions of all customers, oldest first
        verify          Prove from the journal that the books add up
        seal            Prove the books and print the journal's seal
        export          Write the whole journal as lines of JSON
        import          Make a ledger of an export, or take over balances
        simulate        Shake client, store and ledger with random events and faults
        demo            Play a story of buying and spending, with its command lines

      Run:
        storage copy    Copy a whole ledger into another storage
        storage grant   Let a PostgreSQL role run the ledger
        storage lanes   Change how many groups may commit at once
        storage distribute
                        Spread a ledger over a Citus cluster
        storage repair  Make ids and customers go together again
        run             Run the standing work until a signal ends it
        deliveries list
                        List the paid orders that wait for a game server
        deliveries undelivered
                        List the paid orders without a try left
        deliveries retry
                        Deliver again: what is due, or one order now

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
