#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

/// Connections that are lost at a commit, through a proxy that cuts them there.
final class LostAnswerTests: XCTestCase {
  private let gem = 1000 as Int64

  /// Opens a ledger over the proxy and grants each customer 1,000 GEM.
  private func open(
    _ customers: [CustomerID], lanes: Int = 2, recovery: PostgresRecovery = PostgresRecovery()
  ) throws -> (ledger: Ledger, proxy: CuttingProxy) {
    let url = try PostgresServer.shared().createDatabase()
    let proxy = try CuttingProxy(before: url)
    let maker = try Ledger.createPostgres(at: url + "?lanes=\(lanes)")
    try maker.apply(Make.catalog())
    for customer in customers { try maker.grant([Make.amount("GEM", gem)], customer: customer) }
    maker.close()
    return (Ledger(storage: try PostgresStorage(url: proxy.url, recovery: recovery)), proxy)
  }

  private func balance(_ customer: CustomerID, _ ledger: Ledger) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance
  }

  func testACommandWithoutAKeyIsBookedOnceWhereverItsConnectionIsCut() throws {
    let alice = try Make.customer("alice")
    let (ledger, proxy) = try open([alice])
    for cut in [CuttingProxy.Cut.afterCommit, .beforeCommit] {
      let before = try ledger.wholeHistory(of: alice).count
      let start = try balance(alice, ledger)
      proxy.arm(cut)
      let booking = try ledger.spend([Make.amount("GEM", 7)], customer: alice)
      XCTAssertFalse(booking.isReplayed, "\(cut)")
      XCTAssertEqual(booking.entries.map(\.balance), [start - 7], "\(cut)")
      XCTAssertEqual(try balance(alice, ledger), start - 7, "\(cut)")
      XCTAssertEqual(try ledger.wholeHistory(of: alice).count, before + 1, "\(cut)")
      XCTAssertEqual(try ledger.transaction(XCTUnwrap(booking.transactionID)).booking, booking, "\(cut)")
      try assertBooksAddUp(ledger)
    }
    XCTAssertEqual(proxy.cutCount, 2)
    ledger.close()
    proxy.close()
  }

  /// Several cuts of one command, one after the other: it is tried until it is through.
  func testACommandOutlivesSeveralCuts() throws {
    let alice = try Make.customer("alice")
    let (ledger, proxy) = try open([alice])
    proxy.arm(.beforeCommit, .beforeCommit, .beforeCommit, .afterCommit)
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", 7)], customer: alice).balance(CurrencyCode("GEM")), gem - 7)
    XCTAssertEqual(proxy.cutCount, 4)
    XCTAssertEqual(try ledger.wholeHistory(of: alice).count, 2)
    try assertBooksAddUp(ledger)
    ledger.close()
    proxy.close()
  }

  func testAGroupPurchaseAndMergeAreBookedOnce() throws {
    let people = try (0..<8).map { try Make.customer("person \($0)") }
    let (ledger, proxy) = try open(people)
    for cut in [CuttingProxy.Cut.afterCommit, .beforeCommit] {
      proxy.arm(cut, cut)
      let group = try people.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
      XCTAssertEqual(ledger.submit(group).filter { (try? $0.get().isReplayed) == false }.count, people.count)
      proxy.arm(cut)
      let purchase = try ledger.creditPurchase(Make.purchase("\(cut)"), customer: people[0])
      XCTAssertEqual(purchase.entries.map(\.amount), [1200])
      XCTAssertFalse(purchase.isReplayed)
      proxy.arm(cut)
      XCTAssertFalse(try ledger.refund(Make.refund("\(cut)")).isReplayed)
      proxy.arm(cut)
      let newcomer = try Make.customer("new \(cut)")
      XCTAssertTrue(try ledger.createCustomer(newcomer))
      proxy.arm(cut)
      let merge = try ledger.merge(from: newcomer, into: people[1])
      XCTAssertEqual(merge.kind, .merge)
    }
    XCTAssertEqual(proxy.cutCount, 12)
    XCTAssertEqual(try people.map { try balance($0, ledger) }, people.map { _ in gem - 2 })
    try assertBooksAddUp(ledger)
    ledger.close()
    proxy.close()
  }

  /// A merge over two lanes commits in the spender's lane before the storage looks up the outcome of the spend.
  func testAMarkIsNotWrittenOverBeforeItIsLookedUp() throws {
    let people = try (0..<64).map { try Make.customer("person \($0)") }
    let (ledger, proxy) = try open(people)
    let lanes = try ledger.storage.lanes(of: people.map { try .spend([Make.amount("GEM", 1)], customer: $0) })
    let first = people.indices.filter { lanes[$0] == [0] }
    let second = people.indices.filter { lanes[$0] == [1] }
    let (spender, into, from) = (people[first[0]], people[first[1]], people[second[0]])
    let merged = Mutex<Result<Booking, LedgerError>?>(nil)
    proxy.arm(.afterCommit) {
      merged.withLock { $0 = ledger.submit([.merge(from: from, into: into)])[0] }
    }
    try ledger.spend([Make.amount("GEM", 7)], customer: spender)
    XCTAssertEqual(try merged.withLock { $0 }?.get().kind, .merge)
    XCTAssertEqual(try balance(spender, ledger), gem - 7)
    XCTAssertEqual(try ledger.wholeHistory(of: spender).count, 2)
    try assertBooksAddUp(ledger)
    ledger.close()
    proxy.close()
  }

  /// Marks of processes that are long gone go in time; those of a minute ago stay.
  func testOldMarksAreSweptAndFreshOnesKept() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let ledger = try Ledger.createPostgres(at: url + "?lanes=1")
    try ledger.apply(Make.catalog())
    ledger.close()
    func tokens(_ age: String) throws -> Int64 {
      let answer = try server.execute(
        "SELECT count(*) FROM gemledger.commit_tokens WHERE octet_length(writer) = 3 AND committed_at \(age)", on: url
      )
      return try XCTUnwrap(answer.first.flatMap { Int64($0) })
    }
    for ago in [0, 2 * 86_400_000] {
      try server.execute(
        """
        INSERT INTO gemledger.commit_tokens
          SELECT -1, set_byte('\\x0000'::bytea, 0, n) || set_byte('\\x00'::bytea, 0, \(ago == 0 ? 0 : 1)), 1,
            (extract(epoch FROM now()) * 1000)::bigint - \(ago) FROM generate_series(0, 255) n
        """, on: url)
    }
    for count in 1...3 {
      let other = try Ledger.openPostgres(at: url)
      try other.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
      try other.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
      try assertBooksAddUp(other)
      other.close()
      let left = try tokens("< (extract(epoch FROM now()) * 1000)::bigint - 86400000")
      XCTAssertLessThan(left, 256)
      XCTAssertGreaterThanOrEqual(left, Int64(256 - count))
      XCTAssertEqual(try tokens("> (extract(epoch FROM now()) * 1000)::bigint - 86400000"), 256)
    }
  }

  func testAnUnreachableServerLeavesTheOutcomeUnknownUntilTheKeyIsSentAgain() throws {
    let alice = try Make.customer("alice")
    let (ledger, proxy) = try open([alice], recovery: PostgresRecovery(retryPolicy: .zero))
    let spend = try LedgerCommand.spend([Make.amount("GEM", 7)], customer: alice, key: Make.key("tap"))
    proxy.arm(.afterCommit) { proxy.refuseAll(true) }
    let unknown = assertRefused(.outcomeUnknown) { try ledger.book(spend) }
    XCTAssertEqual(unknown?.code.exitStatus, 69)
    XCTAssertEqual(unknown?.message.contains("Try again with the same key."), true)
    // Not reached at all, so that nothing can have been booked.
    let unreached = assertRefused(.storageUnavailable) { try ledger.book(spend) }
    XCTAssertEqual(unreached?.code.exitStatus, 69)
    proxy.refuseAll(false)
    let booking = try ledger.book(spend)
    XCTAssertTrue(booking.isReplayed)
    XCTAssertEqual(booking.entries.map(\.balance), [gem - 7])
    XCTAssertEqual(try balance(alice, ledger), gem - 7)
    try assertBooksAddUp(ledger)
    ledger.close()
    proxy.close()
  }

  /// The same with the commit lost on its way: then nothing was booked, and the key books it.
  func testAnUnreachableServerMayAlsoHaveBookedNothing() throws {
    let alice = try Make.customer("alice")
    let (ledger, proxy) = try open([alice], recovery: PostgresRecovery(retryPolicy: .zero))
    let spend = try LedgerCommand.spend([Make.amount("GEM", 7)], customer: alice, key: Make.key("tap"))
    proxy.arm(.beforeCommit)
    assertRefused(.storageUnavailable) { try ledger.book(spend) }
    XCTAssertEqual(try balance(alice, ledger), gem)
    XCTAssertFalse(try ledger.book(spend).isReplayed)
    XCTAssertEqual(try balance(alice, ledger), gem - 7)
    try assertBooksAddUp(ledger)
    ledger.close()
    proxy.close()
  }

  /// Control: a storage that does not look up the outcome of its commit books it twice.
  func testAStorageThatDoesNotAskBooksTwice() throws {
    let alice = try Make.customer("alice")
    let (ledger, proxy) = try open([alice], recovery: PostgresRecovery(resolvesLostAnswers: false))
    proxy.arm(.afterCommit)
    try ledger.spend([Make.amount("GEM", 7)], customer: alice)
    XCTAssertEqual(try balance(alice, ledger), gem - 14)
    XCTAssertEqual(try ledger.wholeHistory(of: alice).count, 3)
    ledger.close()
    proxy.close()
  }
}
#endif
