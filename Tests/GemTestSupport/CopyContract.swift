package import GemLedger
internal import GemLedgerArchive
internal import GemLedgerAudit
internal import XCTest

/// The requirements on a copy of a ledger in another storage; each pair of storages calls ``runAll()``.
package struct CopyContract {
  package typealias OpenCopy = (ProjectRow, TransactionNumber) throws -> any LedgerStorage

  private let generator = SeededRandom()
  private let time = ManualClock()
  /// Makes an empty ledger to be copied.
  private let make: (LedgerClock) throws -> Ledger
  /// Opens that ledger anew.
  private let open: (LedgerClock) throws -> Ledger
  /// Opens the copy that is to be made, or to be gone on with.
  private let openCopy: OpenCopy
  /// Opens the copy as a ledger.
  private let openResult: (LedgerClock) throws -> Ledger

  package init(
    make: @escaping (LedgerClock) throws -> Ledger, open: @escaping (LedgerClock) throws -> Ledger,
    openCopy: @escaping OpenCopy, openResult: @escaping (LedgerClock) throws -> Ledger
  ) {
    self.make = make
    self.open = open
    self.openCopy = openCopy
    self.openResult = openResult
  }

  /// Copies the rows of a random run and of seldom-used commands, is interrupted after every commit, and compares.
  package func runAll() throws {
    try RichJournal.fill(generator, time, make: make, open: open)
    let source = try open(time.clock)
    try source.documents.save("kept", content: "0", replacing: nil)
    try source.documents.save("kept", content: Self.document, replacing: 1)
    let before = try LedgerState(source)
    try copyWithInterruptions(source)
    let copy = try openResult(time.clock)
    XCTAssertEqual(try LedgerState(copy), before, "seed \(generator.seed)")
    XCTAssertEqual(try LedgerState(source), before, "seed \(generator.seed)")
    try compareWhatHistoriesDoNotShow(source, copy)
    // A complete copy is a ledger like any other, and no target for a copy.
    assertRefused(.alreadyExists) { try openCopy(Self.project(of: source), 0) }
    try goOn(copy)
    copy.close()
    source.close()
  }

  /// Copies the ledger once more, without interruptions.
  package static func copy(_ source: Ledger, _ openCopy: OpenCopy) throws {
    _ = try run(source, clock: .system, openCopy).get()
  }

  private static func project(of ledger: Ledger) throws -> ProjectRow {
    try ledger.storage.read { (snapshot) throws(LedgerError) in try snapshot.project() }
  }

  private static let document = #"{"name": "cafe\#u{301}"}"#

  // MARK: Steps

  /// Each try goes a commit further than the one before it.
  private func copyWithInterruptions(_ source: Ledger) throws {
    for tries in 0..<100 {
      guard let books = try copyOnePage(source) else {
        assertRefused(.storageUnavailable) { try openResult(time.clock) }
        continue
      }
      let proved = try source.verify()
      XCTAssertEqual(books.transactions, proved.transactions)
      XCTAssertEqual(books.currencies, proved.currencies, "seed \(generator.seed)")
      XCTAssertGreaterThan(tries, 8)
      return
    }
    XCTFail("the copy never came to its end")
  }

  /// The books of the copy where it was the last page.
  private func copyOnePage(_ source: Ledger) throws -> Verification? {
    let result = Self.run(source, clock: time.clock) { InterruptedStorage(try openCopy($0, $1), afterCommits: 1) }
    if case .failure(let error) = result, error.message == "Killed." { return nil }
    return try result.get()
  }

  private static func run(
    _ source: Ledger, clock: LedgerClock, _ openCopy: OpenCopy
  ) -> Result<Verification, LedgerError> {
    do throws(LedgerError) {
      let books = try LedgerCopy.run(from: source.storage, clock: clock) { (project, newest) throws(LedgerError) in
        do { return try openCopy(project, newest) } catch {
          throw error as? LedgerError ?? LedgerError(.unexpected, "\(error)")
        }
      }
      return .success(books)
    } catch {
      return .failure(error)
    }
  }

  private func compareWhatHistoriesDoNotShow(_ source: Ledger, _ copy: Ledger) throws {
    for token in [TokenNumber(high: .min, low: .min), TokenNumber(high: -1, low: 7)] {
      let known = try Self.customer(token, in: source)
      XCTAssertNotNil(known)
      XCTAssertEqual(try Self.customer(token, in: copy), known)
    }
    let code = try PurchaseCode("ORDER-1")
    let order = try Self.order(code, in: source)
    XCTAssertNotNil(order)
    XCTAssertEqual(try Self.order(code, in: copy), order)
    let document = try XCTUnwrap(try copy.documents.find(named: "kept"))
    XCTAssertEqual(document.version, 2)
    XCTAssertTrue(document.content.hasBytes(of: Self.document))
    XCTAssertEqual(try copy.currentCatalog(), try source.currentCatalog())
    let (events, copied) = (try source.scanned(limit: 100), try copy.scanned(limit: 100))
    XCTAssertGreaterThanOrEqual(events.holds.count, 2)
    XCTAssertEqual(copied.events, events.events)
    XCTAssertEqual(copied.holds, events.holds)
    XCTAssertEqual(copied.counts, events.counts)
    let account = AccountNumber(customer: try source.number(of: "holder"), currency: 1)
    for ledger in [source, copy] {
      let row = try ledger.storage.read { (snapshot) throws(LedgerError) in try snapshot.account(account) }
      XCTAssertEqual(row?.held, 27)
      XCTAssertEqual(row?.nextDue, time.now.milliseconds + 1_000_000)
    }
  }

  private static func customer(_ token: TokenNumber, in ledger: Ledger) throws -> CustomerNumber? {
    try ledger.storage.read { (snapshot) throws(LedgerError) -> CustomerNumber? in try snapshot.customer(token: token) }
  }

  private static func order(_ code: PurchaseCode, in ledger: Ledger) throws -> OrderRow? {
    try ledger.storage.read { (snapshot) throws(LedgerError) -> OrderRow? in try snapshot.order(code) }
  }

  /// Checks that old keys are known, and that new transactions go on after the old ones.
  private func goOn(_ copy: Ledger) throws {
    let zoe = try Make.customer("zoe")
    let newest = try XCTUnwrap(try copy.history(of: zoe).transactions.first?.booking.transactionID)
    XCTAssertTrue(try copy.spend([Make.amount("GEM", 70)], customer: zoe, key: Make.key("copied-spend")).isReplayed)
    assertRefused(.insufficientBalance) {
      try copy.spend([Make.amount("GEM", 10_000_000)], customer: zoe, key: Make.key("copied-refusal"))
    }
    XCTAssertTrue(try copy.creditPurchase(Make.purchase("copied", quantity: 2), customer: zoe).isReplayed)
    try copy.unfreeze(zoe)
    try copy.creditPurchase(Make.purchase("still-to-come"), customer: zoe)
    try copy.refund(Make.refund("yans"))
    try copy.grant([Make.amount("GEM", 5)], customer: Make.customer("newcomer"))
    try copy.merge(from: Make.customer("newcomer"), into: zoe)
    let history = try copy.history(of: zoe).transactions
    XCTAssertNotEqual(history.first?.booking.transactionID, newest)
    XCTAssertTrue(history.contains { $0.booking.transactionID == newest })
    try assertBooksAddUp(copy)
  }
}
