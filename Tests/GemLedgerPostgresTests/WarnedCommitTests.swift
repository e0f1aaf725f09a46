#if PostgreSQL
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Commits that the server answers as done and warns of, as a distributed engine does where a machine was lost.
final class WarnedCommitTests: XCTestCase {
  private let warning = "failed to commit transaction on 127.0.0.1:5433"

  private func make() throws -> (server: PostgresServer, url: String) {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let maker = try Ledger.createPostgres(at: url + "?lanes=1", salt: 1)
    try maker.apply(Make.catalog())
    try maker.createCustomer(Make.customer("zero"))
    maker.close()
    try server.execute(
      "CREATE SEQUENCE gemledger.warned; CREATE TABLE gemledger.kept AS TABLE gemledger.lanes", on: url)
    return (server, url)
  }

  /// - Parameter resolves: Whether it looks up the outcome; one that does not gets time to try again.
  private func open(_ url: String, resolves: Bool = true) throws -> Ledger {
    let recovery = PostgresRecovery(
      retryPolicy: resolves ? .milliseconds(200) : .seconds(30), resolvesLostAnswers: resolves)
    return Ledger(storage: try PostgresStorage(url: url, recovery: recovery))
  }

  /// Warns once, at the commit of the first row that comes into the table, after the given statements.
  private func warn(
    _ server: PostgresServer, _ url: String, at table: String, doing body: String = "", isDeferred: Bool = true
  ) throws {
    try server.execute(
      """
      CREATE FUNCTION gemledger.warn() RETURNS trigger LANGUAGE plpgsql SET search_path = gemledger AS $$
      BEGIN
        IF nextval('warned') > 1 THEN RETURN NULL; END IF;
        \(body)
        RAISE WARNING '\(warning)';
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON gemledger.\(table) DEFERRABLE
        INITIALLY \(isDeferred ? "DEFERRED" : "IMMEDIATE") FOR EACH ROW EXECUTE FUNCTION gemledger.warn();
      """, on: url)
  }

  private func assertWarned(_ server: PostgresServer, _ url: String, line: UInt = #line) throws {
    XCTAssertEqual(try server.execute("SELECT is_called FROM gemledger.warned", on: url), ["t"], line: line)
  }

  private func balance(_ customer: CustomerID, _ ledger: Ledger) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance
  }

  // MARK: Whole commits

  func testACommitThatIsWarnedOfIsBookedOnce() throws {
    let (server, url) = try make()
    let alice = try Make.customer("alice")
    try warn(server, url, at: "transactions")
    let ledger = try open(url)
    let booking = try ledger.grant([Make.amount("GEM", 7)], customer: alice)
    try assertWarned(server, url)
    XCTAssertFalse(booking.isReplayed)
    XCTAssertEqual(try balance(alice, ledger), 7)
    XCTAssertEqual(try ledger.wholeHistory(of: alice).count, 1)
    XCTAssertEqual(try ledger.transaction(XCTUnwrap(booking.transactionID)).booking, booking)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testItsKeyFindsItLater() throws {
    let (server, url) = try make()
    let alice = try Make.customer("alice")
    try warn(server, url, at: "keys")
    let ledger = try open(url)
    let grant = try LedgerCommand.grant([Make.amount("GEM", 7)], customer: alice, key: Make.key("once"))
    XCTAssertFalse(try ledger.book(grant).isReplayed)
    try assertWarned(server, url)
    XCTAssertTrue(try ledger.book(grant).isReplayed)
    XCTAssertEqual(try balance(alice, ledger), 7)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Control: a storage that does not look up the outcome of the commit books it twice.
  func testAStorageThatDoesNotAskBooksTwice() throws {
    let (server, url) = try make()
    let alice = try Make.customer("alice")
    try warn(server, url, at: "transactions")
    let ledger = try open(url, resolves: false)
    try ledger.grant([Make.amount("GEM", 7)], customer: alice)
    XCTAssertEqual(try balance(alice, ledger), 14)
    ledger.close()
  }

  /// A warning from another statement of the group says nothing about the commit.
  func testOnlyWarningsAtTheCommitCount() throws {
    let (server, url) = try make()
    let alice = try Make.customer("alice")
    try warn(server, url, at: "transactions", isDeferred: false)
    let ledger = try open(url, resolves: false)
    try ledger.grant([Make.amount("GEM", 7)], customer: alice)
    try assertWarned(server, url)
    XCTAssertEqual(try balance(alice, ledger), 7)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Half commits

  func testACustomerWithoutItsIDIsNamedFoundAndRepaired() throws {
    let (server, url) = try make()
    let lost = try Make.customer("lost")
    try warn(server, url, at: "keys", doing: "DELETE FROM aliases WHERE id = 'lost';")
    let ledger = try open(url)
    let grant = try LedgerCommand.grant([Make.amount("GEM", 7)], customer: lost, key: Make.key("once"))
    let error = assertRefused(.storageDamaged) { try ledger.book(grant) }
    XCTAssertEqual(error?.message.contains("gemctl storage repair"), true, "\(error?.message ?? "")")
    XCTAssertTrue(Set(try ledger.verify().problems.map(\.equation)).contains("customers_are_known"))

    let plan = try ledger.repairIDs(isDryRun: true)
    XCTAssertEqual(plan.steps.map(\.action), [.named])
    XCTAssertEqual(plan.steps.map(\.id), [lost])
    XCTAssertFalse(try ledger.verify().isOK)
    XCTAssertEqual(try ledger.repairIDs(), plan)
    XCTAssertTrue(try ledger.book(grant).isReplayed)
    XCTAssertEqual(try balance(lost, ledger), 7)
    try assertBooksAddUp(ledger)
    XCTAssertEqual(try ledger.repairIDs(), IDRepair())
    ledger.close()
  }

  /// All of the group is booked beside that id: none of it may be tried again, and all keys find it later.
  func testAGroupOfWhichAPartIsMissingIsNotBookedAgain() throws {
    let (server, url) = try make()
    try warn(server, url, at: "keys", doing: "DELETE FROM aliases WHERE id = 'lost';")
    let ledger = try open(url)
    let people = try ["zero", "lost", "new 1", "new 2"].map { try Make.customer($0) }
    let grants = try people.map { try LedgerCommand.grant([Make.amount("GEM", 7)], customer: $0, key: Make.key("k")) }
    for answer in ledger.submit(grants) { assertRefused(.storageDamaged) { try answer.get() } }
    XCTAssertEqual(try ledger.repairIDs().steps.map(\.id), [people[1]])
    for answer in ledger.submit(grants) { XCTAssertTrue(try answer.get().isReplayed) }
    XCTAssertEqual(try people.map { try balance($0, ledger) }, [7, 7, 7, 7])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAnIDWithoutItsCustomerIsNamedFoundAndRepaired() throws {
    let (server, url) = try make()
    let ghost = try Make.customer("ghost")
    try warn(
      server, url, at: "aliases",
      doing: """
        DELETE FROM customers WHERE id = 'ghost';
        DELETE FROM commit_tokens;
        UPDATE lanes SET last = kept.last, sums = kept.sums FROM kept WHERE kept.customer = lanes.customer;
        """)
    let ledger = try open(url)
    let error = assertRefused(.storageDamaged) { try ledger.createCustomer(ghost) }
    XCTAssertEqual(error?.message.contains("gemctl storage repair"), true, "\(error?.message ?? "")")
    // It is of its own command only, which says where to look.
    let neighbours = try [ghost, Make.customer("zero")].map {
      try LedgerCommand.grant([Make.amount("GEM", 3)], customer: $0)
    }
    let answers = ledger.submit(neighbours)
    assertRefused(.storageDamaged) { try answers[0].get() }
    XCTAssertEqual(try answers[1].get().entries.map(\.balance), [3])
    XCTAssertTrue(Set(try ledger.verify().problems.map(\.equation)).contains("ids_name_customers"))
    let repair = try ledger.repairIDs()
    XCTAssertEqual(repair.steps.map(\.action), [.removed])
    XCTAssertEqual(repair.steps.map(\.id), [ghost])
    try assertBooksAddUp(ledger)
    XCTAssertTrue(try ledger.createCustomer(ghost))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A caller that still asked again became a second customer of the id; the operator gives the first another id.
  func testASecondCustomerUnderTheIDIsLeftToTheOperator() throws {
    let (server, url) = try make()
    let lost = try Make.customer("lost")
    try warn(server, url, at: "keys", doing: "DELETE FROM aliases WHERE id = 'lost';")
    let ledger = try open(url)
    let grant = try LedgerCommand.grant([Make.amount("GEM", 7)], customer: lost, key: Make.key("once"))
    assertRefused(.storageDamaged) { try ledger.book(grant) }
    XCTAssertFalse(try ledger.book(grant).isReplayed)
    let question = try XCTUnwrap(ledger.repairIDs().questions.first)
    XCTAssertEqual(question.id, lost)
    XCTAssertFalse(try ledger.verify().isOK)
    let found = try Make.customer("found")
    assertRefused(.alreadyExists) { try ledger.repairIDs(naming: [question.customer: Make.customer("zero")]) }
    assertRefused(.invalidRequest) { try ledger.repairIDs(naming: [question.customer + 1: found]) }
    let repair = try ledger.repairIDs(naming: [question.customer: found])
    XCTAssertEqual(repair.steps.map(\.action), [.renamed])
    XCTAssertEqual(repair.questions, [])
    try assertBooksAddUp(ledger)
    XCTAssertEqual(try ledger.repairIDs(), IDRepair())
    XCTAssertEqual([try balance(lost, ledger), try balance(found, ledger)], [7, 7])
    // The grant under the key was meant once.
    try ledger.merge(from: found, into: lost)
    XCTAssertEqual(try balance(lost, ledger), 14)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
#endif
