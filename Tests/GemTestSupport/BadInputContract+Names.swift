import GemLedger
internal import GemLedgerAudit
import XCTest

extension BadInputContract {
  // MARK: Identifiers, keys, cursors

  func testCursors() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let bob = try Make.customer("bob")
    for _ in 0..<3 {
      try ledger.grant([Make.amount("GEM", 1)], customer: alice)
      try ledger.grant([Make.amount("GEM", 1)], customer: bob)
    }
    let own = try XCTUnwrap(try ledger.history(of: alice, limit: 1).next)
    let list = try XCTUnwrap(try ledger.customers(limit: 1).next)
    var forged = [list.description, "", "x", "-0000000000005aaaaaaaaaa", String(repeating: "f", count: 24)]
    forged += [String(repeating: "0", count: 24), String(repeating: "é", count: 12), "+" + own.description.dropFirst()]
    forged += [own.description.uppercased() + " ", "0" + own.description, String(repeating: "9", count: 1_000_000)]
    for text in forged {
      try assertRefusedWithoutTrace(.invalidRequest, ledger) { try ledger.history(of: alice, after: PageCursor(text)) }
    }
    for index in own.description.indices {
      var bytes = Array(own.description)
      bytes[own.description.distance(from: own.description.startIndex, to: index)] = "g"
      assertRefused(.invalidRequest) { try ledger.history(of: alice, after: PageCursor(String(bytes))) }
    }
    // A cursor of another list.
    assertRefused(.invalidRequest) { try ledger.history(of: bob, after: own) }
    assertRefused(.invalidRequest) { try ledger.customers(after: own) }
    XCTAssertEqual(try ledger.history(of: alice, after: PageCursor(own.description)).transactions.count, 3)
    ledger.close()
  }

  func testForeignTransactionIDs() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let known = try XCTUnwrap(try ledger.history(of: alice).transactions.first?.booking.transactionID)
    XCTAssertEqual(try ledger.transaction(known).booking.entries.map(\.amount), [100])
    let foreign = TransactionIDMaker(salt: 999).id(number: 1, createdAt: time.now)
    assertRefused(.transactionNotFound) { try ledger.transaction(foreign) }
    for text in ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"] {
      assertRefused(.transactionNotFound) { try ledger.transaction(TransactionID(text)) }
    }
    let own = TransactionIDMaker(salt: 1)
    for (number, instant) in [(0, time.now.milliseconds), (2, time.now.milliseconds), (1, time.now.milliseconds + 1)] {
      let id = own.id(number: Int64(number), createdAt: Timestamp(milliseconds: instant))
      assertRefused(.transactionNotFound) { try ledger.transaction(id) }
    }
    ledger.close()
  }

  func testLongKeys() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let longest = try Make.key(String(repeating: "k", count: 255))
    let first = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: longest)
    let again = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: longest)
    XCTAssertEqual(again.transactionID, first.transactionID)
    for count in [256, 1_000_000] {
      assertRefused(.invalidIdentifier) { try Make.key(String(repeating: "k", count: count)) }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testHostileIdentifiers() throws {
    let ledger = try ledger()
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    let names = [
      composed, decomposed, "'; DROP TABLE customers; --", "../../etc/passwd", "%00", "\u{202E}evil", "Alice", "alice",
      " alice", String(repeating: "x", count: 1500), "😀", "\u{FEFF}alice",
    ]
    for (index, name) in names.enumerated() {
      let customer = try Make.customer(name)
      XCTAssertTrue(try ledger.createCustomer(customer), name)
      XCTAssertFalse(try ledger.createCustomer(customer), name)
      try ledger.grant([Make.amount("GEM", Int64(index) + 1)], customer: customer, key: Make.key("k"))
    }
    for (index, name) in names.enumerated() {
      let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer(name))
      XCTAssertEqual(balance.balance, Int64(index) + 1, name)
    }
    let listed = try ledger.everyCustomer().map { Array($0.id.text.utf8) }
    XCTAssertEqual(listed, names.map { Array($0.utf8) })
    try ledger.creditPurchase(Make.purchase(composed), customer: Make.customer("alice"))
    XCTAssertFalse(try ledger.creditPurchase(Make.purchase(decomposed), customer: Make.customer("alice")).isReplayed)
    let first = try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key(composed))
    let other = try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key(decomposed))
    XCTAssertNotEqual(first.transactionID, other.transactionID)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Every command refuses an id of a kind that only the ledger makes, whether a customer has it or not.
  func testReservedIdentifiersNameNobody() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let gone = try Make.customer("gone")
    try ledger.grant([Make.amount("GEM", 7)], customer: gone)
    let left = try ledger.erase(gone).customer
    let reserved =
      [left]
      + (try ["$erased:", "$erased:0000000000000001", "$erased:alice", "$stock:", "$stock:life"].map(Make.customer))
    let commands = try reserved.map { try CommandRow.commands(naming: $0, in: .kept()) }
    // Every command with every id; the quick tier has every command with one of them.
    let cells = commands[0].indices.flatMap { command in reserved.indices.map { (command, $0) } }
    for (command, id) in Tier.current.items(commands[0].count, of: cells) {
      let command = commands[id][command]
      let error = try assertRefusedWithoutTrace(.invalidIdentifier, ledger) { try ledger.book(command) }
      XCTAssertEqual(error?.text("field"), "customer id", "\(command)")
    }
    // Neighbours in a group are booked.
    let one = try Make.amount("GEM", 1)
    let answers = ledger.submit([
      .grant([one], customer: alice), .grant([one], customer: reserved[1]), .grant([one], customer: reserved[1]),
      .grant([one], customer: alice),
    ])
    XCTAssertEqual(answers.map { (try? $0.get()) != nil }, [true, false, false, true])
    // The remains of an erased customer can be read.
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: left).balance, 7)
    // These only look like them.
    for text in ["erased:1", "$erased", "$Erased:1", "$stocks:1", "$RCAnonymousID:1", " $erased:1"] {
      try ledger.grant([one], customer: Make.customer(text))
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Every command refuses the text of a variable without a value as an id, but for the erasure of such a customer.
  func testUnsetIdentifiersNameNobody() throws {
    let (ledger, _) = try ledgerOfAlice()
    let gem = try CurrencyCode("GEM")
    let ids = try ["null", "NaN", "None", "(null)", "0", " ", "\u{A0}", "undefined"].map(Make.customer)
    // Such a customer of an older ledger is read as before.
    try ledger.book(LedgerCommand.grant([Adjustment(gem, 7)], customer: ids[0]).namedByLedger())
    let commands = try ids.map { try CommandRow.commands(naming: $0, in: .kept(), except: .erase) }
    let cells = commands[0].indices.flatMap { command in ids.indices.map { (command, $0) } }
    for (command, id) in Tier.current.items(commands[0].count, of: cells) {
      let command = commands[id][command]
      try assertRefusedWithoutTrace(.invalidUserID, ledger) { try ledger.book(command) }
    }
    XCTAssertEqual(try ledger.balance(of: gem, customer: ids[0]).balance, 7)
    XCTAssertTrue(try ledger.erase(ids[0]).customer.isOfErased)
    for text in ["null1", "Nell", "00", " a", "nobody"] {
      try ledger.grant([Adjustment(gem, 1)], customer: Make.customer(text))
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Only a command of the ledger's own can make such a customer: no caller's command reaches it, and verify names it.
  func testReservedIdentifiersOfCustomers() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let gem = try CurrencyCode("GEM")
    let ids = try ["$erased:alice", "$erased:0000000000000001"].map(Make.customer)
    for id in ids {
      for amount in [3, 4] as [Int64] {
        try ledger.book(LedgerCommand.grant([Adjustment(gem, amount)], customer: id).namedByLedger())
      }
      XCTAssertEqual(try ledger.balance(of: gem, customer: id).balance, 7)
    }
    let hold = try ledger.book(LedgerCommand.hold([Adjustment(gem, 2)], customer: ids[0]).namedByLedger())
    XCTAssertEqual(try ledger.everyCustomer().map(\.id), [alice] + ids)
    try ledger.release(try XCTUnwrap(hold.hold?.id))
    let before = try LedgerState(ledger)
    for id in ids {
      for command in try CommandRow.commands(naming: id, in: .kept()) {
        assertRefused(.invalidIdentifier) { try ledger.book(command) }
      }
    }
    XCTAssertEqual(try LedgerState(ledger), before)
    let problems = try ledger.verify().problems
    XCTAssertEqual(problems.map(\.equation), ["ids_name_customers", "ids_name_customers"], "\(problems)")
    ledger.close()
  }

  // MARK: Keys

  /// Source, environment and expiry are asked for like the amounts, so that a key covers them.
  func testAKeyCoversAllThatWasAsked() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let (amounts, key) = (try [Make.amount("GEM", 5)], try Make.key("k"))
    let (soon, late) = (after(seconds: 60), after(seconds: 61))
    let first = try ledger.book(.grant(amounts, customer: alice, key: key, source: .promotional, expiresAt: soon))
    let rows: [(line: UInt, command: LedgerCommand, field: String)] = [
      (#line, .grant(amounts, customer: alice, source: .earned, expiresAt: soon), "source"),
      (#line, .grant(amounts, customer: alice, expiresAt: soon), "source"),
      (#line, .grant(amounts, customer: alice, source: .promotional, expiresAt: late), "expires_at"),
      (#line, .grant(amounts, customer: alice, source: .promotional), "expires_at"),
      (
        #line, .grant(amounts, customer: alice, source: .promotional, environment: .sandbox, expiresAt: soon),
        "environment"
      ),
      (
        #line,
        .grant([try Make.amount("GEM", 6)], customer: alice, source: .promotional, expiresAt: soon), "adjustments"
      ),
    ]
    for row in rows {
      var command = row.command
      command.key = key
      let error = try assertRefusedWithoutTrace(.keyConflict, ledger, line: row.line) { try ledger.book(command) }
      XCTAssertEqual(error?.text("field"), row.field, line: row.line)
    }
    let again = try ledger.book(.grant(amounts, customer: alice, key: key, source: .promotional, expiresAt: soon))
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.transactionID, first.transactionID)
    let earned = LedgerCommand.adjust(amounts, customer: alice, key: try Make.key("a"))
    XCTAssertFalse(try ledger.book(earned).isReplayed)
    let bonus = LedgerCommand.adjust(amounts, customer: alice, key: try Make.key("a"), source: .bonus)
    XCTAssertEqual(
      try assertRefusedWithoutTrace(.keyConflict, ledger) { try ledger.book(bonus) }?.text("field"), "source")
    ledger.close()
  }

  func testPagesOfHistory() throws {
    let (ledger, alice) = try ledgerOfAlice()
    for limit in [0, -1, Limits.historyPage + 1, .min, .max] {
      assertRefused(.limitExceeded) { try ledger.history(of: alice, limit: limit) }
      assertRefused(.limitExceeded) { try ledger.customers(limit: limit) }
    }
    let gem = try CurrencyCode("GEM")
    for version in [-1, 2, .min, .max] as [Int64] {
      assertRefused(.invalidRequest) { try ledger.balance(of: gem, customer: alice, version: version) }
    }
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: first).balance, 0)
    assertRefused(.invalidRequest) { try ledger.balance(of: gem, customer: alice, at: last) }
    ledger.close()
  }

  // MARK: Precedence

  /// Each request has all the faults of those below it too.
  func testPrecedenceOfAdjustments() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let (nobody, key) = (try Make.customer("nobody"), try Make.key("used"))
    let (gem, ore, gold) = (try CurrencyCode("GEM"), try CurrencyCode("ORE"), try CurrencyCode("GOLD"))
    try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: key)
    let many = try (0..<101).map { try Make.amount("C\($0)", 0) }
    let fails = [Condition.version(gem, 77)]
    typealias Row = (
      line: UInt, amounts: [Adjustment], customer: CustomerID, conditions: [Condition], code: LedgerError.Code
    )
    let rows: [Row] = [
      (#line, many + [many[0]], nobody, fails, .invalidRequest),
      (#line, many, nobody, fails, .invalidRequest),
      (#line, [Adjustment(gem, 0), Adjustment(gem, 0)], nobody, fails, .invalidRequest),
      (#line, [Adjustment(gem, 0)], nobody, [.version(ore, 1)], .invalidRequest),
      (#line, many, nobody, [], .limitExceeded),
      (#line, [Adjustment(gem, 0), Adjustment(gold, -1)], nobody, fails, .amountOutOfRange),
      (#line, [Adjustment(gem, -1000), Adjustment(gold, -1)], nobody, fails, .customerNotFound),
      (#line, [Adjustment(gem, -1000), Adjustment(gold, -1)], alice, fails, .keyConflict),
    ]
    for row in rows {
      try assertRefusedWithoutTrace(row.code, ledger, line: row.line) {
        try ledger.adjust(row.amounts, customer: row.customer, key: key, conditions: row.conditions)
      }
    }
    let keyless: [(line: UInt, amounts: [Adjustment], conditions: [Condition], code: LedgerError.Code)] = [
      (#line, [Adjustment(gem, -1000), Adjustment(gold, -1)], fails, .unknownCurrency),
      (#line, [Adjustment(gem, -1000), Adjustment(ore, 1001)], fails, .conditionFailed),
      (#line, [Adjustment(gem, -1000), Adjustment(ore, 1001)], [], .insufficientBalance),
      (#line, [Adjustment(ore, 1001), Adjustment(try CurrencyCode("RUBY"), -1)], [], .insufficientBalance),
      (#line, [Adjustment(gem, -10), Adjustment(ore, 1001)], [], .overMaximum),
    ]
    for row in keyless {
      try assertRefusedWithoutTrace(row.code, ledger, line: row.line) {
        try ledger.adjust(row.amounts, customer: alice, conditions: row.conditions)
      }
    }
    try assertRefusedWithoutTrace(.invalidRequest, ledger) {
      try ledger.grant([Make.amount("GEM", 0)], customer: nobody, source: .paid)
    }
    ledger.close()
  }

  func testPrecedenceOfItems() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let (nobody, key) = (try Make.customer("nobody"), try Make.key("used"))
    let gem = try CurrencyCode("GEM")
    try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: key)
    let fails = [Condition.version(gem, 77)]
    let (sword, nothing) = (try ItemID("sword"), try ItemID("nothing"))
    typealias Row = (
      line: UInt, item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey?, conditions: [Condition],
      code: LedgerError.Code
    )
    let rows: [Row] = [
      (#line, nothing, 0, nobody, key, fails, .amountOutOfRange),
      (#line, nothing, 1, nobody, key, fails, .customerNotFound),
      (#line, nothing, 1, alice, key, fails, .keyConflict),
      (#line, nothing, 1, alice, nil, fails, .itemNotFound),
      (#line, sword, 4, alice, nil, fails, .conditionFailed),
      (#line, sword, 4, alice, nil, [], .limitReached),
      (#line, sword, 2, alice, nil, [], .insufficientBalance),
    ]
    for row in rows {
      var command = LedgerCommand.buyItem(row.item, quantity: row.quantity, customer: row.customer, key: row.key)
      command.conditions = row.conditions
      try assertRefusedWithoutTrace(row.code, ledger, line: row.line) { try ledger.book(command) }
    }
    ledger.close()
  }
}
