import GemLedger
import GemLedgerSQLite
import XCTest

@testable import gemctl

/// `reverse`, `transfer`, `exchange`, `basket`, `erase` and `sweep` of the built binary.
final class EconomyCommandTests: XCTestCase {
  /// A home with two currencies in which alice has 500 gems and bob 50 coins.
  private func shop() throws -> TestHome {
    let home = try TestHome()
    try home.write(Self.catalog, to: "catalog.json")
    try home.write(Self.words, to: "words.sh")
    let answer = try home.run(
      """
      gemctl init catalog.json && gemctl buy gems_500 --customer alice
      gemctl grant COIN=50 --reason welcome --customer bob
      """)
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  private static let catalog = #"""
    {"currencies": [{"code": "GEM", "name": "Gems"},
                    {"code": "COIN", "name": "Coins", "limits": {"grant": {"amount": 1000, "per": "day"}}}],
     "products": [
       {"code": "gems_500", "store_ids": {"apple": "gems_500"}, "type": "consumable",
        "localizations": [{"locale": "en_US", "title": "500 Gems"}], "prices": {"USA": "4.99"},
        "grants": [{"currency": "GEM", "amount": 500}]}],
     "items": [{"id": "sword", "name": "Sword", "price": {"GEM": 100}, "stock": 3},
               {"id": "potion", "name": "Potion", "price": {"GEM": 10}, "limit": 2, "limit_per": "day"},
               {"id": "crown", "name": "Crown", "price": {"GEM": 1}, "limit": 1},
               {"id": "relic", "name": "Relic", "price": {"GEM": 1}, "available": false}]}
    """#

  private static let words = """
    export GEMCTL_CUSTOMER=alice
    # Runs gemctl and keeps the transaction id of its answer.
    keep() { gemctl "$@" --json > last.json && grep -o '"transaction_id":"[^"]*' last.json | cut -d'"' -f4 > id; }

    """
  private let use = ". ./words.sh; "

  /// The newest transaction was booked by a clock that was ten years ahead; now the clock is right.
  func testAnImplausibleClockBooksOnlyWhereAnOperatorAcceptsIt() throws {
    let home = try shop()
    let directory = try home.raw("pwd").output.trimmingCharacters(in: .newlines)
    let ahead = LedgerClock { LedgerClock.system.now().advanced(by: .seconds(3653 * 86_400)) }
    let ledger = try StorageChoice(nil).open(Home(path: "\(directory)/.gemctl"), clock: ahead.accepted)
    try ledger.grant([Adjustment(CurrencyCode("GEM"), 1)], customer: CustomerID("alice"))
    ledger.close()
    let refused = try home.run("gemctl spend GEM=1 --customer alice --json")
    XCTAssertEqual(refused.status, 69)
    XCTAssertTrue(refused.error.hasPrefix(#"{"error":{"code":"clock_implausible","#), refused.error)
    XCTAssertTrue(
      refused.error.contains(#""details":{"clock":"<time>","newest":"<time>"}"#), refused.error)
    XCTAssertEqual(try home.run("gemctl balance GEM --customer alice").status, 0)
    let accepted = try home.run("gemctl spend GEM=1 --customer alice --accept-clock --json")
    XCTAssertEqual(accepted.status, 0, accepted.error)
    XCTAssertEqual(try home.run("gemctl verify").status, 0)
  }

  func testASpendIsUndoneInParts() throws {
    try Row.check(
      [
        Row(use + "keep spend GEM=50"),
        Row(
          use + "gemctl reverse $(cat id) GEM=51", 2,
          error: "error: The transaction <id> took 50 GEM, of which at most 50 can be given back, and not 51. "
            + "Nothing was changed.\n"),
        Row(
          use + "gemctl reverse $(cat id) COIN=1", 2,
          error: "error: The transaction <id> took no COIN. Nothing was changed.\n"),
        Row(
          use + "gemctl reverse $(cat id) GEM=20 --key u --reason broken",
          output: """
            CURRENCY  CHANGE  BALANCE  WHY
            GEM          +20      470  reversal
            transaction  <id>
            undoes       <id>
            customer     alice

            """),
        Row(
          use + "gemctl reverse $(cat id) --json",
          output: #"{"transaction_id":"<id>","customer_id":"alice","adjustments":{"GEM":30},"balances":{"GEM":500},"#
            + #""replayed":false,"items":[],"reversed":"<id>","expired":{},"reclaimed":{}}"# + "\n"),
        Row(
          use + "gemctl reverse $(cat id)", 2,
          error: "error: All that the transaction <id> took is given back already. Nothing was changed.\n"),
        Row(
          use + "gemctl reverse $(cat id) --json --key again > /dev/null", 2, error: #"{"error":{"code":"already_re"#),
        Row(
          use + "gemctl reverse $(cat id) GEM=20 --key u | tail -n 1",
          output: "replayed: it was booked before; nothing was booked now\n"),
        Row(use + "gemctl reverse $(cat id) GEM=21 --key u", 4, error: "error: The key \"u\" was used before"),
        Row(use + "gemctl verify > /dev/null"),
      ], in: try shop(), errorsBegin: true)
  }

  func testItemsGoBackWithTheirPrice() throws {
    try Row.check(
      [
        Row(use + "keep spend --item sword --quantity 2"),
        Row(
          use + "gemctl reverse $(cat id) --dry-run",
          output: """
            CURRENCY  CHANGE  BALANCE  WHY
            GEM         +200      500  reversal
            sword -2, 0 owned
            undoes    <id>
            customer  alice
            dry run: nothing was booked

            """),
        Row(
          use + "gemctl reverse $(cat id) --json",
          output: #"{"transaction_id":"<id>","customer_id":"alice","adjustments":{"GEM":200},"balances":{"GEM":500},"#
            + #""replayed":false,"items":[{"item_id":"sword","quantity":-2,"owned":0}],"#
            + #""reversed":"<id>","expired":{},"reclaimed":{}}"# + "\n"),
      ], in: try shop())
  }

  func testWhatIsNotUndone() throws {
    let kind = "which is not undone: only spends and captures are. "
    try Row.check(
      [
        Row(
          use + "keep history; gemctl reverse $(cat id)", 2,
          error:
            "error: The transaction <id> is of kind purchase, \(kind)Refund it at the store. Nothing was changed.\n"),
        Row(
          use + "keep grant GEM=1 --reason x; gemctl reverse $(cat id) --json", 2,
          error: #"{"error":{"code":"not_reversible","message":"#),
        Row(
          use + "keep spend GEM=1; keep reverse $(cat id); gemctl reverse $(cat id)", 2,
          error: "error: The transaction <id> is of kind reversal, \(kind)Spend it again. Nothing was changed.\n"),
        Row(
          use + "gemctl reverse 019aa3f2-6c1e-7000-8000-00000a51c7e4", 5,
          error: "error: There is no transaction <id> in this ledger.\n"),
        Row(use + "gemctl reverse t1", 64, error: "error: \"t1\" is not a transaction id; one looks like"),
        Row(use + "gemctl reverse", 64, error: "error: \"reverse\" needs TRANSACTION.\n"),
      ], in: try shop(), errorsBegin: true)
  }

  func testATransferMovesOrNothingDoes() throws {
    let moved =
      #""customer_id":"alice","adjustments":{"alice":{"GEM":-20},"bob":{"GEM":20}},"#
      + #""balances":{"alice":{"GEM":480},"bob":{"GEM":20}},"replayed":false,"items":[],"#
      + #""parties":[{"customer_id":"bob","#
    try Row.check(
      [
        Row(
          use + "gemctl transfer GEM=20 --from alice --to bob --dry-run --json",
          output: #"{"transaction_id":null,\#(moved)"transaction_id":null,"adjustments":{"GEM":20},"#
            + #""balances":{"GEM":20},"items":[]}],"dry_run":true}"# + "\n"),
        Row(
          use + "gemctl transfer GEM=20 --from alice --to bob --key gift --json",
          output: #"{"transaction_id":"<id>",\#(moved)"transaction_id":"<id>","adjustments":{"GEM":20},"#
            + #""balances":{"GEM":20},"items":[]}]}"# + "\n"),
        Row(
          use + "gemctl transfer GEM=20 --from alice --to bob --key gift",
          output: """
            CUSTOMER  CURRENCY  CHANGE  BALANCE  WHY
            alice     GEM          -20      480  transfer
            bob       GEM          +20       20  transfer
            transaction  <id>
            customer     alice
            replayed: it was booked before; nothing was booked now

            """),
        Row(
          use + "gemctl transfer GEM=1 --from alice --to alice", 2,
          error: "error: \"alice\" cannot transfer to \"alice\": both are the same customer. Name two.\n"),
        Row(
          use + "gemctl alias alicia > /dev/null; gemctl transfer GEM=1 --from alice --to alicia --json", 2,
          error: #"{"error":{"code":"same_customer","message":"\"alice\" and \"alicia\" are ids of the same customer. "#
        ),
        Row(
          use + "gemctl transfer GEM=1 --from alice --to nobody", 5, error: "error: There is no customer \"nobody\"."),
        Row(use + "gemctl transfer GEM=1 --from nobody --to bob", 5, error: "error: There is no customer \"nobody\"."),
        Row(use + "gemctl transfer GEM=481 --from alice --to bob", 2, error: "error: Not enough GEM: 481 needed, 480 "),
        Row(use + "gemctl transfer GEM=1 --from alice", 64, error: "error: \"transfer\" needs --to ID.\n"),
        Row(
          use + "gemctl freeze --reason fraud > /dev/null; gemctl transfer GEM=1 --from alice --to bob", 2,
          error: "error: The customer \"alice\" is frozen and may not spend"),
        Row(use + "gemctl verify > /dev/null"),
      ], in: try shop(), errorsBegin: true)
  }

  func testAnExchangeRoundsAsTold() throws {
    try Row.check(
      [
        Row(
          use + "gemctl exchange GEM=10 --into COIN --rate 100/1 --json",
          output: #"{"transaction_id":"<id>","customer_id":"alice","adjustments":{"COIN":1000,"GEM":-10},"#
            + #""balances":{"COIN":1000,"GEM":490},"replayed":false,"items":[]}"# + "\n"),
        Row(
          use + "gemctl exchange COIN=250 --into GEM --rate 1/100 --rounding nearest",
          output: """
            CURRENCY  CHANGE  BALANCE  WHY
            COIN        -250      750  exchange
            GEM           +3      493  exchange
            transaction  <id>
            customer     alice

            """),
        Row(
          use + "gemctl exchange COIN=99 --into GEM --rate 1/100", 2,
          error: "error: 99 at the rate 1/100 is less than 1, which rounds to zero. "
            + "Exchange at least 100. Nothing was changed.\n"),
        Row(
          use + "gemctl exchange COIN=9 --into GEM --rate 1/100 --json", 2, error: #"{"error":{"code":"rounds_to_zero""#
        ),
        Row(
          use + "gemctl exchange GEM=1 --into GEM --rate 1/1", 64, error: "error: GEM cannot be exchanged into itself"),
        Row(use + "gemctl exchange GEM=1 --into COIN --rate 1.5", 64, error: "error: --rate takes N/D in plain digits"),
        Row(use + "gemctl exchange GEM=1 --into COIN --rate 1/0", 64, error: "error: The rate 1/0 is out of range"),
        Row(use + "gemctl exchange GEM=1 --into GOLD --rate 1/1", 5, error: "error: There is no currency GOLD"),
        Row(use + "gemctl exchange GEM=1 --into COIN --rate 1/1 --rounding off", 64, error: "error: --rounding "),
        Row(use + "gemctl exchange GEM=999 --into COIN --rate 1/1", 2, error: "error: Not enough GEM: 999 needed"),
      ], in: try shop(), errorsBegin: true)
  }

  func testABasketIsATradeWithAFee() throws {
    let home = try shop()
    try home.write(
      #"""
      {"payer": "alice", "legs": [
        {"transfer": {"GEM": 100}, "from": "alice", "to": "bob"},
        {"item": "sword", "quantity": 1, "from": "bob", "to": "alice"},
        {"spend": {"COIN": 5}, "customer": "bob"}]}
      """#, to: "trade.json")
    try home.write(
      #"{"payer": "alice", "legs": [{"transfer": {"GEM": 1}, "from": "alice", "too": "bob"}]}"#, to: "typo.json")
    try Row.check(
      [
        Row(
          use + "gemctl basket trade.json", 2, error: "error: \"bob\" owns 0 of \"sword\"; 1 are needed.\n"),
        Row(
          use + "gemctl grant GEM=100 --reason x --customer bob > /dev/null; "
            + "gemctl spend --item sword --customer bob > /dev/null"),
        Row(
          use + "gemctl basket - --key trade-17 < trade.json",
          output: """
            CUSTOMER  CURRENCY  CHANGE  BALANCE  WHY
            alice     GEM         -100      400  transfer
            bob       COIN          -5       45  spend
            bob       GEM         +100      100  transfer
            alice: sword +1, 1 owned
            bob: sword -1, 0 owned
            transaction  <id>
            customer     alice

            """),
        Row(
          use + "gemctl basket trade.json --key trade-17 --json | grep -o '\"replayed\":true'",
          output: "\"replayed\":true\n"),
        Row(
          use + "gemctl basket typo.json", 64,
          error: "error: The basket has 2 problems:\n$.legs[0].too: There is no such field. Did you mean \"to\"?\n"
            + "$.legs[0].to: The field is missing.\n"),
        Row(use + "gemctl basket nowhere.json", 74, error: "error: \"nowhere.json\" cannot be read"),
        Row(use + "gemctl verify > /dev/null"),
      ], in: home, errorsBegin: true)
  }

  func testErasingForgetsWhoItWas() throws {
    try Row.check(
      [
        Row("gemctl erase", 64, error: "error: \"erase\" cannot be undone, and needs --customer ID.\n"),
        Row("gemctl erase --customer nobody", 5, error: "error: There is no customer \"nobody\"."),
        Row("gemctl erase --customer alice --dry-run | cut -d. -f1", output: "Would forget alice\n"),
        Row("gemctl balance --customer alice > /dev/null"),
        Row(
          "gemctl erase --customer alice --json | sed 's/erased:[0-9a-f]*/erased:<hex>/'",
          output: #"{"transaction_id":"<id>","customer_id":"$erased:<hex>","replayed":false}"# + "\n"),
        Row("gemctl balance --customer alice", 5, error: "error: There is no customer \"alice\"."),
        Row("gemctl history --limit 1 --customer alice", 5, error: "error: There is no customer \"alice\"."),
        Row("gemctl verify > /dev/null"),
      ], in: try shop(), errorsBegin: true)
  }

  func testReadsTakeWhatIsLeftOfAnErasedID() throws {
    let home = try TestHome()
    let made = try home.raw(
      "gemctl init > /dev/null && gemctl buy gems_300 --customer alice --key k > /dev/null "
        + "&& gemctl spend GEM=5 --customer alice > /dev/null && gemctl erase --customer alice --json")
    let id = "'\(made.output.split(separator: "\"").first { $0.hasPrefix("$erased:") } ?? "")'"
    let reads = [
      "balance", "history", "statement", "explain GEM", "holds", "whoami", "orders", "spends", "entitlements",
      "unspent", "withdrawable", "queue list", "store list", "items",
    ]
    for hasUnfinishedWork in [false, true] {
      for read in reads {
        if hasUnfinishedWork { XCTAssertEqual(try home.raw("gemctl buy gems_300 --customer bob --offline").status, 3) }
        let answer = try home.raw("gemctl \(read) --customer \(id)")
        XCTAssertEqual(answer.status, 0, "\(read): \(answer.error)")
      }
    }
    let orders = try home.raw("gemctl orders --customer \(id) --json | grep -o '\"status\":\"[a-z]*\"'")
    XCTAssertEqual(orders.output, "\"status\":\"success\"\n")
    try Row.check(
      [
        Row(
          "gemctl orders --customer '$erased:0000000000000001'", 5,
          error: "error: There is no customer \"$erased:0000000000000001\"."),
        Row("gemctl verify > /dev/null"),
      ], in: home, errorsBegin: true)
  }

  /// An operator's reads take ids that no app could sign in with.
  func testReadsTakeIDsThatCannotSignIn() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init").status, 0)
    XCTAssertEqual(try home.raw("gemctl grant GEM=5 --reason x --customer guest").status, 64)
    XCTAssertEqual(try home.raw("gemctl grant GEM=5 --reason x --customer a/b").status, 64)
    // The app's own server has made such a customer.
    let ledger = try Ledger.openSQLite(at: home.path(".gemctl/ledger.sqlite"))
    try ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("a/b"))
    ledger.close()
    XCTAssertEqual(try home.raw("gemctl grant GEM=5 --reason x --customer a/b").status, 0)
    for read in ["orders", "entitlements", "spends", "balance", "queue list"] {
      XCTAssertEqual(try home.raw("gemctl buy gems_300 --customer bob --offline").status, 3)
      let answer = try home.raw("gemctl \(read) --customer a/b")
      XCTAssertEqual(answer.status, 0, "\(read): \(answer.error)")
    }
    XCTAssertEqual(try home.raw("gemctl buy gems_300 --customer a/b").status, 64)
  }

  func testIDsOfTheLedgersOwnKindsAreRefused() throws {
    let (id, refused) = (
      "'$erased:0000000000000001'", "error: The customer id \"$erased:0000000000000001\" begins with"
    )
    try Row.check(
      [
        Row("gemctl grant GEM=5 --reason x --customer \(id)", 64, error: refused),
        Row("gemctl spend GEM=5 --customer \(id)", 64, error: refused),
        Row("gemctl buy gems_300 --customer \(id)", 64, error: refused),
        Row("gemctl login \(id)", 64, error: refused), Row("gemctl alias \(id)", 64, error: refused),
        Row("gemctl alias \(id) --customer alice", 64, error: refused),
        Row("gemctl merge --from \(id) --into alice", 64, error: refused),
        Row("gemctl merge --from alice --into \(id)", 64, error: refused),
        Row("gemctl transfer GEM=1 --from alice --to \(id)", 64, error: refused),
        Row("gemctl erase --customer \(id)", 64, error: refused),
        Row("gemctl verify > /dev/null"),
      ], in: try shop(), errorsBegin: true)
  }

  func testSweepingWritesDownWhatIsDue() throws {
    try Row.check(
      [
        Row("gemctl sweep", output: "Looked at 3 customers: nothing was due.\n"),
        Row("gemctl sweep --json", output: #"{"settled":0,"customers":3}"# + "\n"),
      ], in: try shop())
  }

  func testLimitsAndStocksSayWhatIsLeft() throws {
    try Row.check(
      [
        Row(
          use + "gemctl spend --item sword --quantity 4", 2,
          error: "error: \"sword\" has 3 left, and 4 were asked for. Nothing was changed.\n"),
        Row(use + "gemctl spend --item sword --quantity 3 > /dev/null"),
        Row(
          use + "gemctl spend --item sword --json", 2,
          error: #"{"error":{"code":"not_available","message":"\"sword\" is "#),
        Row(
          use + "gemctl spend --item relic", 2, error: "error: \"relic\" is not for sale now. Nothing was changed.\n"),
        Row(
          use + "gemctl spend --item potion --quantity 3", 2,
          error: "error: One customer may buy at most 2 of \"potion\" a day; 0 are used up and 3 more were asked for. "
            + "The next day begins at <time>. Nothing was changed.\n"),
        Row(use + "gemctl spend --item crown > /dev/null"),
        Row(
          use + "gemctl spend --item crown", 2,
          error: "error: One customer may own at most 1 of \"crown\"; 1 are owned and 1 more were asked for. "
            + "Nothing was changed.\n"),
        Row(
          use + "gemctl grant COIN=1001 --reason x --json", 2,
          error: #"{"error":{"code":"limit_reached","message":"One customer may be granted at most 1000 COIN a day; "#),
        Row(
          "gemctl freeze --customer bob --reason fraud --reference case-9 --dry-run",
          output: "bob may not spend from now on\ncustomer  bob\ndry run: nothing was booked\n"),
        Row("gemctl spend COIN=1 --customer bob > /dev/null"),
      ], in: try shop(), errorsBegin: true)
  }
}
