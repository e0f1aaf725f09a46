internal import Foundation
package import GemLedger
internal import GemLedgerAudit
internal import XCTest

/// The requirements of a ledger that the version before the evidence of stores wrote, on a storage that has it.
///
/// Its rows are in `Fixtures/earlier-*.sql`, and what that version showed of it in `Fixtures/earlier-ledger.txt`.
package struct EarlierLedger {
  private let ledger: Ledger
  private let time: ManualClock

  /// - Parameter open: Opens the restored ledger, by which it gets the schema of this version.
  package init(open: (LedgerClock) throws -> Ledger) throws {
    time = ManualClock(milliseconds: EarlierStory.moment(10_000).milliseconds)
    ledger = try open(time.clock)
  }

  /// The text of a file in `Fixtures`.
  package static func fixture(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("Fixtures/\(name)"), encoding: .utf8)
  }

  /// Checks the ledger and closes it.
  ///
  /// - Parameter replay: Brings further evidence of the story again, which may change nothing.
  package func check(replay: (Ledger) throws -> Void = { _ in }) throws {
    let shown = try Self.fixture("earlier-ledger.txt").split(separator: "\n").map { String($0) }
    XCTAssertEqual(try EarlierStory.lines(of: ledger), shown)
    try assertBooksAddUp(ledger)
    try checkEvidence()
    let transactions = try ledger.verify().transactions
    for command in try EarlierStory.statements() { _ = try ledger.book(command) }
    try stateAgain()
    try replay(ledger)
    XCTAssertEqual(try EarlierStory.lines(of: ledger), shown)
    XCTAssertEqual(try ledger.verify().transactions, transactions)
    try assertBooksAddUp(ledger)
    try checkNewerEvidence()
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Parts

  /// Every purchase was booked before; notices without a purchase are there, with their dates.
  private func checkEvidence() throws {
    let bought = try EarlierStory.bought()
    for (_, purchase) in bought {
      let own = try evidence(purchase.store, purchase.environment, purchase.transactionID.text)
      let before = own.filter { $0.kind == .bookedBefore }
      XCTAssertEqual(before.map(\.signedAt), [purchase.purchasedAt], purchase.transactionID.text)
      XCTAssertEqual(before.map(\.firstSignedAt), [purchase.purchasedAt], purchase.transactionID.text)
      XCTAssertNil(own.first { $0.held != nil }, purchase.transactionID.text)
    }
    let full = try evidence(.apple, .production, "kept-full")
    XCTAssertEqual(full.map(\.kind), [.refund])
    XCTAssertEqual(full.map(\.revokedAt), [EarlierStory.moment(100)])
    XCTAssertEqual(full.map(\.signedAt), [EarlierStory.moment(100)])
    XCTAssertEqual(try evidence(.google, .production, "kept-units").map(\.extent), [.quantity(1)])
    XCTAssertEqual(
      try evidence(.apple, .production, "kept-reversed").map(\.kind).sorted { $0.rawValue < $1.rawValue },
      [.refund, .reversal])
    XCTAssertEqual(try evidence(.apple, EarlierStory.testing(), "kept-test").count, 1)
    // It was booked with its purchase; notices that booked nothing are kept beside theirs.
    XCTAssertEqual(try kinds("early"), [.refund, .bookedBefore])
    XCTAssertEqual(try kinds("a1"), [.reversal, .bookedBefore])
  }

  /// What the stores stated of the purchases, with all that is kept of it now.
  private func stateAgain() throws {
    for (customer, purchase) in try EarlierStory.bought() {
      var purchase = purchase
      purchase.statedAt = purchase.purchasedAt
      purchase.statement = StoreStatement(content: #"{"id":"\#(purchase.transactionID.text)"}"#)
      for _ in 0..<2 {
        XCTAssertTrue(try ledger.creditPurchase(purchase, customer: Make.customer(customer)).isReplayed)
      }
    }
  }

  /// Statements of later dates count, together with what was booked before.
  private func checkNewerEvidence() throws {
    let (alice, frank) = (try Make.customer("alice"), try Make.customer("frank"))
    func later(_ id: String, _ extent: StoreRefund.Extent = .full, store: Store = .apple) throws -> Booking {
      try ledger.refund(EarlierStory.refund(id, extent, revokedAt: 9000, signedAt: 9000, store: store))
    }
    XCTAssertEqual(try later("a1").kind, .refund)
    XCTAssertEqual(try refunded("a1", of: alice), 100_000)
    XCTAssertEqual(try later("f3", .milliPercent(75_000)).kind, .refund)
    XCTAssertEqual(try refunded("f3", of: frank), 75_000)
    // Two units were given back before.
    XCTAssertEqual(try later("f4", .quantity(1), store: .google).kind, .refund)
    XCTAssertEqual(try refunded("f4", of: frank), 75_000)
    // The state of a purchase at the store takes all refunds before it back.
    var bought = try EarlierStory.purchase("paid")
    bought.statedAt = EarlierStory.moment(9000)
    bought.statement = StoreStatement(content: "{}")
    XCTAssertTrue(try ledger.creditPurchase(bought, customer: alice).isReplayed)
    XCTAssertEqual(try refunded("paid", of: alice), 0)
    // A purchase that comes at last gets what its store told before.
    let late = try Make.customer("late")
    try ledger.creditPurchase(EarlierStory.purchase("kept-full"), customer: late)
    try ledger.creditPurchase(EarlierStory.purchase("kept-units", quantity: 4, store: .google), customer: late)
    try ledger.creditPurchase(EarlierStory.purchase("kept-reversed"), customer: late)
    XCTAssertEqual(try refunded("kept-full", of: late), 100_000)
    XCTAssertEqual(try refunded("kept-units", of: late), 25_000)
    XCTAssertEqual(try refunded("kept-reversed", of: late), 0)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: late).balance, 3 * 1200 + 1200)
  }

  // MARK: Reads

  private func refunded(_ id: String, of customer: CustomerID) throws -> Int64? {
    try ledger.purchases(of: customer).purchases.first { $0.storeTransactionID.text == id }?.refundedMilliPercent
  }

  /// The kinds of all evidence about a purchase, that in its refunds included.
  private func kinds(_ id: String) throws -> [EvidenceRow.Kind] {
    let identity = try XCTUnwrap(identity(.apple, .production, id))
    let kept = try evidence(.apple, .production, id)
    let all = try ledger.storage.read { (snapshot) throws(LedgerError) -> [EvidenceRow] in
      guard let purchase = try snapshot.purchase(identity) else { return kept }
      let refunds: [RefundRow] = try snapshot.rows(
        RefundRow.ofPurchase, [IndexKey(purchase.number, of: purchase.customer)])
      return RefundRules.known(kept, and: refunds, about: identity)
    }
    return all.map(\.kind).sorted { $0.rawValue < $1.rawValue }
  }

  private func evidence(_ store: Store, _ environment: StoreEnvironment, _ id: String) throws -> [EvidenceRow] {
    guard let identity = try identity(store, environment, id) else { return [] }
    return try ledger.storage.read { (snapshot) throws(LedgerError) -> [EvidenceRow] in
      try snapshot.rows(EvidenceRow.ofPurchase, [IndexKey(identity)])
    }
  }

  private func identity(_ store: Store, _ environment: StoreEnvironment, _ id: String) throws -> PurchaseIdentity? {
    let id = try StoreTransactionID(id)
    let number = try ledger.storage.read { (snapshot) throws(LedgerError) -> Int64? in
      guard environment.session != nil else { return environment.kind.rawValue }
      return try snapshot.environments().first { $0.environment == environment }?.number
    }
    return number.map { PurchaseIdentity(store: store, environment: $0, transactionID: id) }
  }
}
