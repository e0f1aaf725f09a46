#if Receipts
import GemLedger
import GemTestSupport
import XCTest

@testable import GemLedgerSeal

/// A proof holds for its transaction and its seal, and every change of it shows.
final class InclusionProofTests: XCTestCase {
  private let time = ManualClock()

  private func richLedger() throws -> Ledger {
    let storages = KeptStorages()
    try RichJournal.fill(SeededRandom(seed: 5), time) { clock in
      storages.ledger("rich", clock)
    } open: { clock in
      storages.ledger("rich", clock)
    }
    return storages.ledger("rich", time.clock)
  }

  /// The first and the last transaction of each kind of a journal that has something of everything.
  func testTransactionsOfEachKindAreProven() throws {
    let ledger = try richLedger()
    let seal = try ledger.seal()
    var events: [FeedEvent] = []
    var page = try ledger.feed(limit: 1000)
    while !page.events.isEmpty {
      events += page.events
      page = try ledger.feed(after: page.next, limit: 1000)
    }
    XCTAssertEqual(Int64(events.count), seal.transactionCount)
    let kinds = Dictionary(grouping: events, by: \.record.booking.kind).values
    XCTAssertGreaterThan(kinds.count, 10)
    for event in kinds.flatMap({ [$0[0], $0[$0.count - 1]] }) {
      let proof = try InclusionProof(ledger.prove(XCTUnwrap(event.record.booking.transactionID), in: seal).text)
      XCTAssertEqual(proof.seal, seal)
      let proven = try proof.check()
      let transaction = try JSONValue.parse(proven.transaction)
      XCTAssertEqual(transaction["id"]?.text, event.record.booking.transactionID?.description)
      XCTAssertEqual(transaction["kind"]?.text, event.record.booking.kind.name)
      XCTAssertEqual(proven.purchase != nil, event.record.booking.kind == .purchase)
      let note = try proven.note.map { try JSONValue.parse($0) }
      XCTAssertEqual(note?["reason"]?.text, event.record.reason?.text)
      XCTAssertEqual(note?["reference"]?.text, event.record.reference?.text)
      XCTAssertNotNil(proven.customer)
    }
  }

  private func smallLedger() throws -> Ledger {
    let ledger = Ledger.inMemory(clock: time.clock)
    try ledger.apply(Make.catalog())
    for name in ["alice", "bob", "carl"] {
      let customer = try Make.customer(name)
      try ledger.creditPurchase(Make.purchase("of-\(name)"), customer: customer)
      try ledger.book(
        .spend(
          [Make.amount("GEM", 70)], customer: customer, key: Make.key("key-\(name)"),
          details: CommandDetails(reason: Reason("why-\(name)"))))
    }
    return ledger
  }

  private func spend(of name: String, in ledger: Ledger) throws -> TransactionID {
    try XCTUnwrap(
      ledger.history(of: Make.customer(name)).transactions.first { $0.booking.kind == .spend }?.booking.transactionID)
  }

  func testAProofTellsNothingOfOthers() throws {
    let ledger = try smallLedger()
    let text = try ledger.prove(spend(of: "bob", in: ledger), in: ledger.seal()).text
    XCTAssertTrue(text.contains("why-bob") && text.contains("key-bob"))
    XCTAssertFalse(text.contains("alice") || text.contains("carl"))
  }

  /// A changed byte is refused, or changes nothing of what is proven.
  func testEveryChangedByteShows() throws {
    let ledger = try smallLedger()
    let proof = try ledger.prove(spend(of: "bob", in: ledger), in: ledger.seal())
    let proven = try proof.check()
    let bytes = Array(proof.text.utf8)
    var refused = 0
    let indices = Tier.current.items(bytes.count / 5, of: bytes.indices)
    for index in indices {
      for bit: UInt8 in [1, 2, 32] {
        var other = bytes
        other[index] ^= bit
        do {
          let changed = try InclusionProof(String(decoding: other, as: UTF8.self))
          let found = try changed.check()
          XCTAssertEqual(changed.seal, proof.seal, "byte \(index)")
          XCTAssertEqual(found, proven, "byte \(index)")
        } catch {
          XCTAssertTrue([.invalidRequest, .booksWrong].contains(error.code), "byte \(index): \(error)")
          refused += 1
        }
      }
    }
    XCTAssertGreaterThan(refused, indices.count * 2)
  }

  /// Records that are sealed each prove nothing together unless they are of one transaction.
  func testRecordsOfDifferentTransactionsDoNotGoTogether() throws {
    let ledger = try smallLedger()
    let seal = try ledger.seal()
    let (alice, bob) = (
      try ledger.prove(spend(of: "alice", in: ledger), in: seal),
      try ledger.prove(spend(of: "bob", in: ledger), in: seal)
    )
    for section in [SealWalk.Section.transactions, .customers, .notes, .keys] {
      let mixed = alice.records.filter { $0.section != section } + bob.records.filter { $0.section == section }
      assertRefused(.booksWrong) { try InclusionProof(seal: seal, records: mixed).check() }
    }
    assertRefused(.booksWrong) { try InclusionProof(seal: seal, records: alice.records + bob.records).check() }
    assertRefused(.booksWrong) {
      try InclusionProof(
        seal: seal, records: alice.records.filter { $0.section == .transactions || $0.section == .notes }
      )
      .check()
    }
    assertRefused(.booksWrong) { try InclusionProof(seal: seal, records: []).check() }
    // Without the note and the customer it proves less, and that holds.
    let less = try InclusionProof(seal: seal, records: alice.records.filter { $0.section == .transactions }).check()
    XCTAssertNil(less.customer)
  }

  func testOnlySealedTransactionsAreProven() throws {
    let ledger = try smallLedger()
    let seal = try ledger.seal()
    let later = try XCTUnwrap(
      ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob")).transactionID)
    assertRefused(.invalidRequest) { try ledger.prove(later, in: seal) }
    let other = Ledger.inMemory(clock: time.clock, salt: 99)
    assertRefused(.transactionNotFound) { try other.prove(later, in: seal) }
    let id = try spend(of: "bob", in: ledger)
    let emptySeal = try other.seal()
    assertRefused(.invalidRequest) { try ledger.prove(id, in: emptySeal) }
  }

  func testAfterAnErasureOnlyTheKeptDigestsLeadToACustomer() throws {
    let ledger = try smallLedger()
    var kept: [CustomerDigest] = []
    let seal = try ledger.seal { kept.append($0) }
    try ledger.erase(Make.customer("alice"))
    let id = try spend(of: "bob", in: ledger)
    XCTAssertNil(try ledger.prove(id, in: seal).check().customer)
    var rest = kept[...]
    let proven = try ledger.prove(id, in: seal, customers: { () throws(LedgerError) in rest.popFirst() }).check()
    XCTAssertTrue(try XCTUnwrap(proven.customer).contains("bob"))
    XCTAssertTrue(try XCTUnwrap(proven.note).contains("why-bob"))
    // The books of the erased customer are proven, the identity is not.
    let erased = try XCTUnwrap(ledger.feed(limit: 100).events.first { $0.record.booking.kind == .spend })
    rest = kept[...]
    let bare = try ledger.prove(
      XCTUnwrap(erased.record.booking.transactionID), in: seal, customers: { () throws(LedgerError) in rest.popFirst() }
    )
    .check()
    XCTAssertNil(bare.customer)
    XCTAssertEqual(bare.keys, [])
  }

  func testATextThatIsNoProofIsRefused() throws {
    for text in ["", "{}", "[]", "null", "{\"seal\":\"\",\"digest\":\"\",\"records\":[]}"] {
      assertRefused(.booksWrong) { try InclusionProof(text) }
    }
  }
}
#endif
