import XCTest

/// The client's and the store's verbs of the built binary, with everything that they print.
final class ClientCommandTests: XCTestCase {
  func testACrashAfterAnyStepIsRepairedByTheNextVerb() throws {
    for step in ["paid", "queued", "credited", "finished"] {
      let home = try TestHome()
      try Row.check(
        [
          Row("gemctl init > /dev/null"),
          Row(
            "(gemctl buy gems_300 --customer alice --crash-after \(step); exit $?) 2>/dev/null; echo $?",
            output: "137\n"),
          Row(
            "gemctl balance GEM --customer alice --json | grep -o '\"available\":[0-9]*'", output: "\"available\":300\n"
          ),
          Row("gemctl queue --json", output: #"{"pending":0,"dead_lettered":0,"items":[]}"# + "\n"),
          Row("gemctl store list --json | grep -o '\"finished\":[a-z]*'", output: "\"finished\":true\n"),
          Row("gemctl verify > /dev/null"),
        ], in: home)
    }
  }

  func testAPurchaseThatDidNotCompleteIsAResult() throws {
    func incomplete(_ result: String, _ rest: String = "") -> String {
      #"{"result":"\#(result)","store_transaction_id":null,"transaction_id":null,"customer_id":"alice","#
        + #""product_id":"gems_300"\#(rest)}"# + "\n"
    }
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login alice > /dev/null"),
        Row("gemctl buy gems_300 --cancel --json", 3, output: incomplete("cancelled")),
        Row(
          "gemctl buy gems_300 --fail --json", 3,
          output: incomplete(
            "failed",
            #","error":{"code":"store_error","#
              + #""message":"The store could not complete the request. Try again later."}"#)),
        Row("gemctl buy gems_300 --cancel", 3, output: "Cancelled: nothing was bought.\n"),
        Row("gemctl store list", output: "This store has no transactions yet.\n"),
        Row(
          "gemctl buy gems_300 --cancel --fail", 64,
          error: "error: --fail and --cancel exclude each other."),
      ], in: try TestHome(), errorsBegin: true)
  }

  func testARestoreSaysWhatItFound() throws {
    let rest = "Credited purchases are not credited again.\nNo entitlements.\n"
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login alice > /dev/null"),
        Row("gemctl restore", output: "Found no purchases.\nNo entitlements.\n"),
        Row("gemctl buy gems_300 > /dev/null; gemctl buy gems_300 > /dev/null; gemctl buy gems_1200 > /dev/null"),
        Row("gemctl restore", output: "Found gems_1200, 2 gems_300. \(rest)"),
        Row("gemctl restore --json | grep -o 'product_id\":\"[a-z0-9_]*' | sort -u | wc -l | tr -d ' '", output: "2\n"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":1800\n"),
      ], in: try TestHome())
  }

  func testALoginSaysWhoIsSignedIn() throws {
    try Row.check(
      [
        Row("gemctl init > /dev/null"),
        Row("gemctl login alice", output: "Signed in as alice, a new customer.\n"),
        Row(
          "gemctl login user@example.com", output: "Signed in as user@example.com, a new customer.\n",
          error: "note: user@example.com is an e-mail address, which others can guess; a random id is safer.\n"),
      ], in: try TestHome())
  }

  func testWhatIsPaidForOfflineWaitsAndIsCreditedToWhoBought() throws {
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login alice > /dev/null"),
        Row(
          "gemctl buy gems_300 --offline --json | sed 's/.*result\":\"\\([a-z_]*\\).*/\\1/'",
          output: "pending_server_validation\n"),
        Row("gemctl queue --json | sed 's/,\"items.*//'", output: #"{"pending":1,"dead_lettered":0"# + "\n"),
        Row("gemctl logout > /dev/null"),
        Row("gemctl sync", output: "The queue is empty: all paid purchases are credited.\n"),
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":300\n"),
      ], in: try TestHome())
  }

  func testAskToBuyIsCreditedAfterTheApprovalOnly() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let first = try home.pendingPurchase("gems_300")
    let second = try home.pendingPurchase("gems_1200")
    try Row.check(
      [
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":0\n"),
        Row("gemctl decline \(first) --json | grep -o '\"state\":\"[a-z_]*'", output: "\"state\":\"failed\n"),
        Row("gemctl approve \(second) --json | grep -o '\"state\":\"[a-z_]*'", output: "\"state\":\"purchased\n"),
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":1200\n"),
      ], in: home, errorsBegin: true)
  }

  func testAnInterruptedPurchaseIsResolved() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let balance = "gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'"
    try Row.check(
      [
        Row("gemctl store settings interrupted-purchases on > /dev/null"),
        Row(
          "gemctl buy gems_300 --customer alice > said; echo $?; head -1 said",
          output: """
            3
            Interrupted: the store needs an action of the customer first ("gemctl store resolve ID" completes it).

            """),
        Row("sed -n 's/^store transaction  //p' said > id; gemctl store list | grep -c interrupted", output: "1\n"),
        Row("gemctl store resolve $(cat id) --json | grep -o '\"state\":\"[a-z_]*'", output: "\"state\":\"purchased\n"),
        Row(balance, output: "\"balance\":300\n"),
        Row("gemctl store resolve $(cat id)", 2, error: "error: Transaction "),
        Row("gemctl buy gems_300 --customer alice --cancel | head -1", output: "Cancelled: nothing was bought.\n"),
      ], in: home, errorsBegin: true)
  }

  func testRefundsTakeBackAndTheirReversalGivesBack() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let id = try home.purchase("gems_1200")
    let balance = "gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'"
    try Row.check(
      [
        Row("gemctl store refund \(id) --percent 25 > /dev/null"), Row(balance, output: "\"balance\":900\n"),
        Row("gemctl store redeliver \(id) > /dev/null"), Row(balance, output: "\"balance\":900\n"),
        Row("gemctl store reverse-refund \(id) > /dev/null"), Row(balance, output: "\"balance\":1200\n"),
        Row("gemctl spend GEM=1000 --customer alice > /dev/null"),
        Row("gemctl store refund \(id) > /dev/null"), Row(balance, output: "\"balance\":0\n"),
        Row("gemctl verify > /dev/null"),
        Row("gemctl store refund 2000", 5, error: "error: The store has no transaction \"2000\""),
      ], in: home, errorsBegin: true)
  }

  func testSigningInMovesWhatWasBoughtBefore() throws {
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl buy gems_300 > /dev/null"),
        Row("gemctl login alice", output: "Signed in as alice, a new customer.\n"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":300\n"),
        Row("gemctl whoami", output: "alice\nalso known as <anonymous>\n"),
        Row("gemctl login bob", output: "Signed in as bob, a new customer.\n"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":0\n"),
        Row("gemctl buy gems_1200 > /dev/null; gemctl merge --from bob --into alice --key m --json > /dev/null"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":1500\n"),
        Row("gemctl alias robert", output: "One customer with the ids <anonymous>, alice, robert, bob.\n"),
        Row("gemctl whoami --customer bob", output: "bob\nalso known as <anonymous>, alice, robert\n"),
        Row("gemctl verify > /dev/null"),
      ], in: try TestHome())
  }

  func testAFrozenCustomerBuysAndDoesNotSpend() throws {
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl buy gems_300 --customer alice > /dev/null"),
        Row("gemctl freeze --customer alice --reason chargeback > /dev/null"),
        Row("gemctl spend GEM=1 --customer alice", 2, error: "error: The customer \"alice\" is frozen"),
        Row("gemctl buy gems_300 --customer alice > /dev/null"),
        Row("gemctl unfreeze --customer alice --reason resolved > /dev/null"),
        Row("gemctl spend GEM=1 --customer alice > /dev/null"),
      ], in: try TestHome(), errorsBegin: true)
  }

  func testStoreFaultsOutliveTheCommandThatMadeThem() throws {
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login alice > /dev/null"),
        Row("gemctl store fault purchase --after-effect --once", output: "purchase: networkCutAfter, once\n"),
        Row("gemctl buy gems_300 > /dev/null", 3),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":300\n"),
        Row("gemctl store fault", output: "The store works as it should.\n"),
      ], in: try TestHome())
  }

  func testFaultsOfAllKindsAreGivenInWordsAndEndedByTheirAPI() throws {
    let delay = "updates: delay 90s, 20 of 100 calls\n"
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl login alice > /dev/null"),
        Row("gemctl store fault updates delay --for 90s --chance 20", output: delay),
        Row(
          "gemctl store fault purchase reportsCancelled --nth 2",
          output: delay + "purchase: reportsCancelled, call 2\n"),
        Row("gemctl buy gems_300 > /dev/null"),
        Row("gemctl buy gems_300", 3, output: "Cancelled: nothing was bought.\n"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":600\n"),
        Row(
          "gemctl store fault purchase systemError --times 2", output: delay + "purchase: systemError, 2 calls\n"),
        Row("gemctl buy gems_300 > /dev/null", 3),
        Row("gemctl store fault purchase off", output: delay),
        Row("gemctl buy gems_300 > /dev/null"),
        Row("gemctl store fault purchase invalidSignature --once > /dev/null"),
        Row(
          "gemctl buy gems_300 --json | grep -o '\"code\":\"[a-z_]*'", output: "\"code\":\"receipt_unverified\n"),
        Row(
          "gemctl store fault finish reorder", 64, error: "error: The call finish cannot go wrong like this: reorder."),
        Row(
          "gemctl store fault finish --once --nth 2", 64, error: "error: --once, --nth, --times and --chance exclude"),
        Row("gemctl store fault finish systemError --for 1m", 64, error: "error: --for goes with delay"),
        Row("gemctl store fault --clear", output: "The store works as it should.\n"),
      ], in: try TestHome(), errorsBegin: true)
  }

  func testTwoPurchasesAtOnceAreTwoPurchases() throws {
    let home = try TestHome()
    let script =
      "gemctl init > /dev/null; for i in 1 2 3 4; do gemctl buy gems_300 --customer alice > /dev/null & done; wait"
    XCTAssertEqual(try home.raw(script).status, 0)
    let balance = try home.run("gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'")
    XCTAssertEqual(balance.output, "\"balance\":1200\n")
  }
}

extension TestHome {
  /// Buys for alice and gives the store transaction id.
  func purchase(_ product: String, _ options: String = "") throws -> String {
    let output = try raw("gemctl buy \(product) --customer alice \(options) --json").output
    return String(output.firstMatch(of: /"store_transaction_id":"(\d+)"/)?.1 ?? "none")
  }

  func pendingPurchase(_ product: String) throws -> String { try purchase(product, "--ask-to-buy") }
}
