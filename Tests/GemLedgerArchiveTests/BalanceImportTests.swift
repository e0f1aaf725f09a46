import GemLedgerArchive
import GemTestSupport
import XCTest

@testable import GemLedger

final class BalanceImportTests: XCTestCase {
  private func ledger() throws -> Ledger {
    let ledger = Ledger.inMemory()
    try ledger.apply(Make.catalog())
    return ledger
  }

  private func balance(_ ledger: Ledger, _ id: String, _ code: String = "GEM") throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: Make.customer(id)).balance
  }

  private func refused(
    line: UInt = #line, _ body: () throws -> Void
  ) -> [String] {
    let error = assertRefused(.invalidImport, line: line, body)
    return (error?.details ?? []).compactMap { detail in
      guard detail.name.hasPrefix("problems["), case .text(let text) = detail.value else { return nil }
      return text
    }
  }

  // MARK: Progress

  /// Reading a long file says how far it is, whatever its form.
  func testReadingReportsItsBytes() throws {
    let count = 10_000
    let files: [(String, (Int) -> String, ([UInt8], (Int64, Int64) -> Void) throws -> BalanceImport)] = [
      ("customer_id,currency,amount\n", { "c\($0),GEM,5" }, { try .csv($0, progress: $1) }),
      ("app_user_id,currency_code,balance\n", { "c\($0),GEM,5" }, { try .revenueCat($0, progress: $1) }),
      (
        "", { #"{"app_user_id": "c\#($0)", "virtual_currencies": {"GEM": {"balance": 5}}}"# },
        { try .revenueCat($0, progress: $1) }
      ),
      (
        "", { #"{"user_id": "c\#($0)", "changeset": {"GEM": 5}, "create_time": "2026-01-01T00:00:00Z"}"# },
        { try .nakama($0, progress: $1) }
      ),
    ]
    for (head, line, read) in files {
      let bytes = Array((head + (0..<count).map(line).joined(separator: "\n")).utf8)
      var reports: [Int64] = []
      let balances = try read(bytes) { done, total in
        XCTAssertEqual(total, Int64(bytes.count))
        reports.append(done)
      }
      XCTAssertEqual(balances.lines.count, count)
      XCTAssertEqual(reports, reports.sorted())
      XCTAssertGreaterThan(Set(reports).count, 2)
      XCTAssertLessThanOrEqual(reports.last ?? 0, Int64(bytes.count))
    }
  }

  // MARK: Comma-separated values

  func testOpeningBalancesAreBookedOnce() throws {
    let ledger = try ledger()
    let text =
      "customer_id,currency,amount,source,expires_at\r\n\"al,ice\",GEM,1200,,\r\nbob,GEM,5,promotional,"
      + "2999-01-01T00:00:00Z\r\nbob,GEM,7,earned,\r\n"
    let balances = try BalanceImport.csv(Array(text.utf8))
    let trial = try ledger.book(balances, isDryRun: true)
    XCTAssertEqual(trial.booked, 3)
    XCTAssertTrue(try ledger.everyCustomer().isEmpty)
    XCTAssertEqual(try ledger.book(balances), trial)
    XCTAssertEqual(trial.amounts, [try CurrencyCode("GEM"): 1212])
    XCTAssertEqual(try balance(ledger, "al,ice"), 1200)
    XCTAssertEqual(try balance(ledger, "bob"), 12)
    let record = try XCTUnwrap(try ledger.wholeHistory(of: Make.customer("al,ice")).first)
    XCTAssertEqual(record.booking.kind, .initial)
    XCTAssertEqual(record.booking.entries[0].kind, .initial)
    let again = try ledger.book(balances)
    XCTAssertEqual(again.booked, 0)
    XCTAssertEqual(again.replayed, 3)
    XCTAssertEqual(try balance(ledger, "bob"), 12)
    try assertBooksAddUp(ledger)
  }

  /// A full disk is no fault of a line, and the same import goes on where it ended.
  func testAFullDiskIsNamedAsThat() throws {
    let memory = MemoryStorage(project: ProjectRow(salt: 1, createdAt: Timestamp(milliseconds: 0)))
    let whole = Ledger(storage: memory)
    try whole.apply(Make.catalog())
    let lines = (0..<40_000).map { "c\($0),GEM,1\n" }.joined()
    let balances = try BalanceImport.csv(Array("customer_id,currency,amount\n\(lines)".utf8))
    let full = LedgerError(.inputOutput, "The disk is full.")
    let ledger = Ledger(storage: InterruptedStorage(memory, afterCommits: 3, error: full))
    XCTAssertEqual(assertRefused(.inputOutput) { try ledger.book(balances) }?.message, full.message)
    let booked = Int64(try whole.everyCustomer().count)
    XCTAssertGreaterThan(booked, 0)
    let outcome = try whole.book(balances)
    XCTAssertEqual(outcome.replayed, booked)
    XCTAssertEqual(outcome.booked, 40_000 - booked)
  }

  func testALineThatSaysOtherwiseIsAProblem() throws {
    let ledger = try ledger()
    try ledger.book(try .csv(Array("customer_id,currency,amount\nalice,GEM,5\n".utf8)))
    let found = refused {
      try ledger.book(try .csv(Array("customer_id,currency,amount\nbob,GEM,1\nalice,GEM,6\n".utf8)))
    }
    XCTAssertEqual(found.count, 1)
    XCTAssertTrue(found[0].hasPrefix("Line 3: An earlier import of this line had other contents"), found[0])
    assertRefused(.customerNotFound) { try self.balance(ledger, "bob") }
  }

  func testEveryProblemOfAFileIsListed() throws {
    let text = """
      customer_id,currency,amount
      alice,GEM,5
      alice,GEM,6
      ,GEM,5
      bob,GEM,05
      bob,GEM,-5
      bob,GEM,5.0
      bob,GEM,１２
      bob,GEM,0
      bob,GEM,9007199254740992
      bob,not a code,1
      bob,GEM
      bo"b,GEM,1
      "bob"x,GEM,1
      "bob
      """
    let found = refused { _ = try BalanceImport.csv(Array(text.utf8)) }
    XCTAssertEqual(found.map { $0.prefix { $0 != ":" } }.sorted(), [13, 14, 15].map { "Line \($0)" }.sorted())
    let table = text.split(separator: "\n").dropLast(3).joined(separator: "\n")
    XCTAssertEqual(
      refused { _ = try BalanceImport.csv(Array(table.utf8)) }.map { String($0.prefix { $0 != ":" }) },
      ["Line 12"] + ["Line 3", "Line 4", "Line 5", "Line 6", "Line 7", "Line 8", "Line 9", "Line 10", "Line 11"])
  }

  func testIDsOfTheLedgersOwnKindsAreProblems() throws {
    let problems = refused {
      _ = try BalanceImport.csv(
        Array("customer_id,currency,amount\n$erased:1,GEM,5\n$stock:life,GEM,5\nnull,GEM,5\n".utf8))
    }
    XCTAssertEqual(problems.map { $0.prefix(6) }, ["Line 2", "Line 3", "Line 4"])
    XCTAssertTrue(problems[...1].allSatisfy { $0.contains("which only the ledger itself gives") }, "\(problems)")
    XCTAssertTrue(problems[2].contains("cannot name a customer"), problems[2])
  }

  func testAHeaderNamesItsColumns() throws {
    for (text, message) in [
      ("", "Line 1: There is no header line."),
      ("customer_id,currency\n", "Line 1: The column \"amount\" is missing."),
      ("customer_id,currency,amount,colour\n", "Line 1: The column \"colour\" is unknown."),
      ("customer_id,currency,amount,amount\n", "Line 1: The column \"amount\" occurs twice."),
    ] {
      XCTAssertEqual(refused { _ = try BalanceImport.csv(Array(text.utf8)) }, [message])
    }
  }

  func testWhatTheLedgerWouldRefuseIsListedBeforeAnythingIsBooked() throws {
    let ledger = try ledger()
    let text = "customer_id,currency,amount\nalice,GEM,5\nbob,GOLD,5\nbob,SILVER,5\n"
    let found = refused { try ledger.book(try .csv(Array(text.utf8))) }
    XCTAssertEqual(found.map { String($0.prefix { $0 != ":" }) }, ["Line 3", "Line 4"])
    XCTAssertTrue(try ledger.everyCustomer().isEmpty)
  }

  /// A file of another system may know a customer by an id that became an alias here.
  func testTwoLinesOfOneCustomerByTwoIDsAreAProblem() throws {
    for amount in [5, 6] {
      let ledger = try ledger()
      try ledger.grant([Make.amount("COIN", 1)], customer: Make.customer("alice"))
      try ledger.book(.createAlias(Make.customer("ally"), of: Make.customer("alice")))
      let text = "customer_id,currency,amount\nalice,GEM,5\nbob,GEM,1\nally,GEM,\(amount)\n"
      for isDryRun in [true, false] {
        let found = refused { try ledger.book(try .csv(Array(text.utf8)), isDryRun: isDryRun) }
        XCTAssertEqual(
          found,
          [
            "Line 4: Line 2 has GEM of the same customer with the same source and expiry already: \"alice\" and "
              + "\"ally\" are ids of one customer."
          ])
      }
      XCTAssertEqual(try balance(ledger, "alice"), 0)
      assertRefused(.customerNotFound) { try self.balance(ledger, "bob") }
    }
  }

  /// A merge makes two ids one customer: a line booked for the other id stands for no line of this one.
  func testALineOfEachIDIsBookedOnceWhateverIsMerged() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    func book(_ lines: String...) throws -> [Int64] {
      let text = (["customer_id,currency,amount"] + lines).joined(separator: "\n") + "\n"
      let outcome = try ledger.book(try .csv(Array(text.utf8)))
      return [outcome.booked, outcome.replayed]
    }
    XCTAssertEqual(try book("walker,GEM,50"), [1, 0])
    try ledger.book(.merge(from: Make.customer("walker"), into: alice))
    XCTAssertEqual(try book("alice,GEM,50"), [1, 0])
    XCTAssertEqual(try balance(ledger, "alice"), 101)
    XCTAssertEqual(try book("walker,GEM,50"), [0, 1])
    XCTAssertEqual(try book("alice,GEM,50"), [0, 1])
    XCTAssertEqual(try book("walker,GEM,50", "alice,GEM,50"), [0, 2])
    XCTAssertEqual(try balance(ledger, "alice"), 101)
    XCTAssertEqual(refused { _ = try book("walker,GEM,51") }.count, 1)
    // One file with lines of both, before and after.
    try ledger.grant([Make.amount("COIN", 1)], customer: Make.customer("bob"))
    XCTAssertEqual(try book("bob,GEM,5", "visitor,GEM,7"), [2, 0])
    try ledger.book(.merge(from: Make.customer("visitor"), into: Make.customer("bob")))
    XCTAssertEqual(try book("visitor,GEM,7", "bob,GEM,5"), [0, 2])
    XCTAssertEqual(try balance(ledger, "bob"), 12)
    try assertBooksAddUp(ledger)
  }

  /// The key has the id of its line, so that each id brings a balance of its own.
  func testALineIsKnownAfterAMerge() throws {
    let ledger = try ledger()
    let (alice, guest) = (try Make.customer("alice"), try Make.customer("walker"))
    try ledger.grant([Make.amount("COIN", 1)], customer: alice)
    func book(_ line: String) throws -> [Int64] {
      let outcome = try ledger.book(try .csv(Array("customer_id,currency,amount\n\(line)\n".utf8)))
      return [outcome.booked, outcome.replayed]
    }
    XCTAssertEqual(try book("walker,GEM,50"), [1, 0])
    try ledger.book(.merge(from: guest, into: alice))
    XCTAssertEqual(try book("walker,GEM,50"), [0, 1])
    XCTAssertEqual(refused { _ = try book("walker,GEM,51") }.count, 1)
    XCTAssertEqual(try book("alice,GEM,50"), [1, 0])
    XCTAssertEqual(try book("alice,GEM,50"), [0, 1])
    XCTAssertEqual(try balance(ledger, "alice"), 100)
  }

  func testLinesOfOneCustomerThatPassTheMaximumTogetherAreAProblem() throws {
    let ledger = try ledger()
    let text = "customer_id,currency,amount,source\nbob,ORE,1,\nalice,ORE,600,earned\nalice,ORE,600,bonus\n"
    for isDryRun in [true, false] {
      let found = refused { try ledger.book(try .csv(Array(text.utf8)), isDryRun: isDryRun) }
      XCTAssertEqual(found.map { String($0.prefix { $0 != ":" }) }, ["Line 4"])
    }
    XCTAssertTrue(try ledger.everyCustomer().isEmpty)
    // Nothing was refused under a key: the same lines go in once there is room for them.
    try ledger.define(Currency(code: CurrencyCode("ORE"), name: "Ore"))
    XCTAssertEqual(try ledger.book(try .csv(Array(text.utf8))).booked, 3)
    XCTAssertEqual(try balance(ledger, "alice", "ORE"), 1200)
  }

  /// Another command takes the room between the trial and the booking: the refusal is kept under the line's key.
  func testALineThatWasRefusedOnceIsBookedOnceThereIsRoom() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let balances = try BalanceImport.csv(Array("customer_id,currency,amount\nalice,ORE,600\n".utf8))
    try ledger.grant([Make.amount("ORE", 500)], customer: alice)
    for line in balances.lines { assertRefused(.overMaximum) { _ = try ledger.submit([line.command])[0].get() } }
    XCTAssertEqual(refused { try ledger.book(balances) }.count, 1)
    try ledger.spend([Make.amount("ORE", 400)], customer: alice)
    XCTAssertEqual(try ledger.book(balances, isDryRun: true).booked, 1)
    XCTAssertEqual(try ledger.book(balances).booked, 1)
    XCTAssertEqual(try balance(ledger, "alice", "ORE"), 700)
    let again = try ledger.book(balances)
    XCTAssertEqual([again.booked, again.replayed], [0, 1])
    XCTAssertEqual(try balance(ledger, "alice", "ORE"), 700)
  }

  func testPaidCurrencyComesFromPurchasesOnly() throws {
    let text = "customer_id,currency,amount,source\nalice,GEM,5,paid\n"
    XCTAssertEqual(refused { _ = try BalanceImport.csv(Array(text.utf8)) }.count, 1)
  }

  // MARK: RevenueCat

  func testReadsBothAnswersOfRevenueCat() throws {
    let ledger = try ledger()
    let text = #"""
      {"object":"list","items":[{"object":"virtual_currency_balance","currency_code":"GEM","balance":80}],\#
      "next_page":null,"url":"/v2/projects/proj1/customers/al%20ice/virtual_currencies"}
      {"app_user_id":"bob","virtual_currencies":{"GEM":{"balance":7,"code":"GEM","name":"Gems"},\#
      "COIN":{"balance":0,"code":"COIN","name":"Coins"}}}
      """#
    let outcome = try ledger.book(try .revenueCat(Array(text.utf8)))
    XCTAssertEqual(outcome.booked, 2)
    XCTAssertEqual(outcome.withoutChange, 1)
    XCTAssertEqual(try balance(ledger, "al ice"), 80)
    XCTAssertEqual(try balance(ledger, "bob"), 7)
  }

  func testReadsATableOfRevenueCat() throws {
    let ledger = try ledger()
    let text = "project_id,app_user_id,currency_code,balance\nproj1,alice,GEM,80\nproj1,bob,GEM,0\n"
    XCTAssertEqual(try ledger.book(try .revenueCat(Array(text.utf8))).booked, 1)
    XCTAssertEqual(try balance(ledger, "alice"), 80)
  }

  private func page(_ code: String, of customer: String, next: String?, query: String = "") -> String {
    let url = "/v2/projects/p/customers/\(customer)/virtual_currencies"
    let nextPage = next.map { "\"\(url)?\($0)\"" } ?? "null"
    return #"{"items":[{"currency_code":"\#(code)","balance":5}],"next_page":\#(nextPage),"url":"\#(url)\#(query)"}"#
      + "\n"
  }

  func testAFirstPageIsNotTheWhole() throws {
    let first = page("GEM", of: "alice", next: "starting_after=GEM")
    for text in [first, first + page("GEM", of: "bob", next: nil)] {
      let found = refused { _ = try BalanceImport.revenueCat(Array(text.utf8)) }
      XCTAssertEqual(
        found,
        [
          #"Line 1: "next_page" is "/v2/projects/p/customers/alice/virtual_currencies?starting_after=GEM": the "#
            + "customer has more balances. Add the response for that page after this line."
        ])
    }
    let other = first + page("COIN", of: "alice", next: nil, query: "?starting_after=ORE")
    XCTAssertEqual(
      refused { _ = try BalanceImport.revenueCat(Array(other.utf8)) }.map { String($0.prefix { $0 != ":" }) },
      ["Line 2"])
    for query in ["", "?starting_after=GEM"] {
      let all = first + page("GEM", of: "bob", next: nil) + page("COIN", of: "alice", next: nil, query: query)
      XCTAssertEqual(try BalanceImport.revenueCat(Array(all.utf8)).lines.count, 3)
    }
    let number = #"{"app_user_id":"a","items":[],"next_page":1}"#
    XCTAssertEqual(refused { _ = try BalanceImport.revenueCat(Array(number.utf8)) }.count, 1)
  }

  func testRefusesWhatRevenueCatDoesNotGive() throws {
    let text = #"""
      {"virtual_currencies":{"GEM":{"balance":7}}}
      {"app_user_id":"bob"}
      {"app_user_id":"bob","virtual_currencies":{"GEM":{"balance":-7}}}
      {"app_user_id":"bob","virtual_currencies":{"GEM":{"balance":1e3}}}
      {"app_user_id":"bob","items":[{"balance":1}]}
      not json
      """#
    let found = refused { _ = try BalanceImport.revenueCat(Array(text.utf8)) }
    XCTAssertEqual(found.map { String($0.prefix { $0 != ":" }) }, (1...6).map { "Line \($0)" })
  }

  // MARK: Nakama

  private let wallets = #"""
    {"id":"b","user_id":"alice","changeset":{"gems":-30},"metadata":{"item":"sword"},\#
    "create_time":"2024-05-02T12:00:00Z","update_time":"2024-05-02T12:00:00Z"}
    {"id":"a","user_id":"alice","changeset":"{\"gems\": 100}","metadata":"{}",\#
    "create_time":"2024-05-01 12:00:00.123456+00"}
    {"id":"c","user_id":"bob","changeset":{"gems":0},"metadata":{},"create_time":1714640400}
    """#

  func testBooksAWalletLedgerInTheOrderOfTime() throws {
    let ledger = try ledger()
    let gem = try CurrencyCode("GEM")
    let balances = try BalanceImport.nakama(Array(wallets.utf8), currencies: ["gems": gem])
    let outcome = try ledger.book(balances)
    XCTAssertEqual(outcome.booked, 2)
    XCTAssertEqual(outcome.withoutChange, 1)
    XCTAssertEqual(outcome.amounts, [gem: 70])
    let history = try ledger.wholeHistory(of: Make.customer("alice"))
    XCTAssertEqual(history.map { $0.booking.entries[0].amount }, [-30, 100])
    XCTAssertEqual(
      history.map { $0.reason?.text },
      ["2024-05-02T12:00:00.000Z {\"item\":\"sword\"}", "2024-05-01T12:00:00.123Z"])
    XCTAssertEqual(try ledger.book(balances).replayed, 2)
    // Spent meanwhile: lines that are booked already are not counted again.
    try ledger.spend([Make.amount("GEM", 70)], customer: Make.customer("alice"))
    XCTAssertEqual(try ledger.book(balances).booked, 0)
    try assertBooksAddUp(ledger)
  }

  func testAWalletThatWouldGoBelowZeroIsAProblem() throws {
    let ledger = try ledger()
    let text = #"""
      user_id,changeset,create_time
      alice,"{""GEM"":5}",2024-05-01T00:00:00Z
      alice,"{""GEM"":-6}",2024-05-02T00:00:00Z
      bob,"{""GOLD"":1}",2024-05-02T00:00:00Z
      """#
    let found = refused { try ledger.book(try .nakama(Array(text.utf8))) }
    XCTAssertEqual(found.map { String($0.prefix { $0 != ":" }) }, ["Line 3", "Line 4"])
    XCTAssertTrue(try ledger.everyCustomer().isEmpty)
  }

  func testEqualRowsWithoutIDsAreRowsOfTheirOwn() throws {
    let ledger = try ledger()
    let row = "alice,\"{\"\"GEM\"\":5}\",2024-05-01T00:00:00Z\n"
    let text = "user_id,changeset,create_time\n" + row + row
    XCTAssertEqual(try ledger.book(try .nakama(Array(text.utf8))).booked, 2)
    XCTAssertEqual(try ledger.book(try .nakama(Array(text.utf8))).replayed, 2)
    XCTAssertEqual(try balance(ledger, "alice"), 10)
  }

  func testRefusesRowsThatAreNone() throws {
    let text = #"""
      {"changeset":{"GEM":1},"create_time":1}
      {"user_id":"alice","create_time":1}
      {"user_id":"alice","changeset":{"GEM":1}}
      {"user_id":"alice","changeset":{"GEM":1.5},"create_time":1}
      {"user_id":"alice","changeset":[1],"create_time":1}
      {"id":"x","user_id":"alice","changeset":{"GEM":1},"create_time":1}
      {"id":"x","user_id":"alice","changeset":{"GEM":1},"create_time":1}
      {"user_id":"alice","changeset":{"no such code":1},"create_time":1}
      """#
    let found = refused { _ = try BalanceImport.nakama(Array(text.utf8)) }
    XCTAssertEqual(found.map { String($0.prefix { $0 != ":" }) }, [1, 2, 3, 4, 5, 7, 8].map { "Line \($0)" })
  }
}
