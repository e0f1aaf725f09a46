#if Receipts
import GemLedger
import GemLedgerArchive
import GemTestSupport
import SystemCrypto
import XCTest

@testable import GemLedgerSeal

/// A seal is true for the journal that it was made of, and for no other.
final class JournalSealTests: XCTestCase {
  private let time = ManualClock()

  private func ledger() throws -> Ledger {
    let ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t1"), customer: alice)
    try ledger.book(
      .spend(
        [Make.amount("GEM", 70)], customer: alice, key: Make.key("a1"),
        details: CommandDetails(reason: Reason("a sword"))))
    try ledger.grant([Make.amount("GEM", 5)], customer: bob, key: Make.key("b1"), reason: Reason("a gift"))
    return ledger
  }

  func testASealOfAnEmptyJournalHoldsLater() throws {
    let ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let seal = try ledger.seal()
    XCTAssertEqual(seal.transactionCount, 0)
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("bob"))
    XCTAssertTrue(try ledger.check(seal).holds)
  }

  /// Seals that were made once stay true for all time: no record may come to read otherwise.
  func testTheSameJournalHasTheSameSeal() throws {
    XCTAssertEqual(try ledger().seal(), try ledger().seal())
    XCTAssertEqual(try ledger().seal().digest, "145403f2a59f255ccf4c1838d95f68605853b2ba30c0b18376a3019e343f7e79")
  }

  func testASealHoldsAfterLaterBookings() throws {
    let ledger = try ledger()
    let seal = try ledger.seal()
    let alice = try Make.customer("alice")
    try ledger.book(
      .spend(
        [Make.amount("GEM", 70)], customer: alice, key: Make.key("a2"),
        details: CommandDetails(reason: Reason("a shield"))))
    try ledger.refund(Make.refund("t1"))
    try ledger.createAlias(Make.customer("ally"), of: alice)
    try ledger.merge(from: alice, into: Make.customer("bob"))
    let check = try ledger.check(seal)
    XCTAssertEqual(check.problems, [])
    XCTAssertEqual(check.erasedCustomerCount, 0)
    XCTAssertNotEqual(try ledger.seal().digest, seal.digest)
  }

  /// A store's statement that booked nothing is in no line of the journal.
  func testAMissingStatementIsFound() throws {
    func ledger(_ ids: [String]) throws -> Ledger {
      let ledger = try self.ledger()
      for id in ids {
        var refund = try Make.refund(id)
        refund.statement = StoreStatement(content: "{}")
        try ledger.refund(refund)
      }
      return ledger
    }
    let whole = try ledger(["t7", "t8", "t9"])
    var digests: [StatementDigest] = []
    let seal = try whole.seal(statements: { digests.append($0) })
    XCTAssertEqual(digests.count, 3)
    XCTAssertEqual(JournalSeal(seal.description), seal)
    XCTAssertNotEqual(try ledger(["t7", "t9"]).seal().digest, seal.digest)
    func check(_ ledger: Ledger, _ kept: [StatementDigest]?) throws -> SealCheck {
      guard let kept else { return try ledger.check(seal) }
      var rest = kept[...]
      return try ledger.check(seal, statements: { rest.popFirst() })
    }
    XCTAssertEqual(try check(whole, digests).problems, [])
    XCTAssertTrue(try check(whole, digests).comparesStatements)
    for missing in ["t7", "t8", "t9"] {
      let damaged = try ledger(["t7", "t8", "t9"].filter { $0 != missing })
      let problems = try check(damaged, digests).problems
      XCTAssertEqual(problems, ["sealed statements of stores are not there any more: 1"])
      XCTAssertTrue(try check(damaged, nil).holds)
      XCTAssertFalse(try check(damaged, nil).comparesStatements)
    }
    // Later ones, other dates, a credit and an erasure leave it true.
    let later = try ledger(["t7", "t8", "t9", "t6"])
    time.advance(seconds: 5)
    try later.refund(Make.refund("t7", signedAt: 99))
    try later.creditPurchase(Make.purchase("t8"), customer: Make.customer("alice"))
    try later.erase(Make.customer("alice"))
    XCTAssertEqual(try check(later, digests).problems, [])
    for others in [[], Array(digests.dropLast()), digests + digests, digests.reversed()] {
      GemTestSupport.assertRefused(.invalidRequest) { try check(whole, others) }
    }
  }

  func testASealOfAnotherJournalDoesNotHold() throws {
    let seal = try ledger().seal()
    let other = Ledger.inMemory(clock: time.clock, salt: 1)
    try other.apply(Make.catalog())
    XCTAssertEqual(
      try other.check(seal).problems.first,
      "the transactions are not those that were sealed: 0 of them, and 3 were sealed")
  }

  // MARK: Erasures

  func testASealHoldsAfterAnErasure() throws {
    let ledger = try ledger()
    var kept: [CustomerDigest] = []
    let seal = try ledger.seal { kept.append($0) }
    XCTAssertEqual(kept.count, 2)
    try ledger.erase(Make.customer("bob"))
    let alone = try ledger.check(seal)
    XCTAssertEqual(alone.problems, [])
    XCTAssertNil(alone.erasedCustomerCount)
    let known = try ledger.check(seal, customers: next(of: kept))
    XCTAssertEqual(known.problems, [])
    XCTAssertEqual(known.erasedCustomerCount, 1)
  }

  func testWhatWasErasedBeforeTheSealTakesNothingAway() throws {
    let ledger = try ledger()
    try ledger.erase(Make.customer("bob"))
    let seal = try ledger.seal()
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("bob"))
    let check = try ledger.check(seal)
    XCTAssertEqual(check.problems, [])
    XCTAssertEqual(check.erasedCustomerCount, 0)
  }

  func testDigestsOfAnotherSealAreRefused() throws {
    let ledger = try ledger()
    var kept: [CustomerDigest] = []
    let seal = try ledger.seal { kept.append($0) }
    let wrong: [[CustomerDigest]] = [
      [], [kept[0]], kept.reversed(), kept + [CustomerDigest(number: 99, leaf: kept[0].leaf)],
      [CustomerDigest(number: kept[0].number, leaf: kept[1].leaf), kept[1]],
    ]
    for digests in wrong {
      assertRefused(.invalidRequest) { try ledger.check(seal, customers: next(of: digests)) }
    }
  }

  private func next(of digests: [CustomerDigest]) -> () throws(LedgerError) -> CustomerDigest? {
    var rest = digests[...]
    return { () throws(LedgerError) in rest.popFirst() }
  }

  // MARK: Text

  func testTheDigestIsTheHashOfTheLinesBeforeIt() throws {
    let seal = try ledger().seal()
    let text = seal.description
    XCTAssertEqual(JournalSeal(text), seal)
    let head = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(5).joined(separator: "\n") + "\n"
    XCTAssertEqual(RecordHashes().digest(of: head).hex, seal.digest)
  }

  func testNoOtherTextIsASeal() throws {
    let bytes = Array(try ledger().seal().description.utf8)
    for index in bytes.indices {
      for value in [bytes[index] ^ 1, bytes[index] ^ 32, bytes[index] ^ 128] {
        var other = bytes
        other[index] = value
        XCTAssertNil(JournalSeal(String(decoding: other, as: UTF8.self)), "byte \(index)")
      }
    }
    for count in bytes.indices { XCTAssertNil(JournalSeal(String(decoding: bytes[..<count], as: UTF8.self))) }
    XCTAssertNil(JournalSeal(String(decoding: bytes + bytes, as: UTF8.self)))
  }

  func testNoOtherLineIsADigestOfACustomer() throws {
    var kept: [CustomerDigest] = []
    _ = try ledger().seal { kept.append($0) }
    let line = kept[0].description
    XCTAssertEqual(CustomerDigest(line), kept[0])
    for other in ["", " ", "1", line + " ", " " + line, "+" + line, "0" + line, line.uppercased(), "0 " + line] {
      XCTAssertNil(CustomerDigest(other), other)
    }
  }
}
#endif
