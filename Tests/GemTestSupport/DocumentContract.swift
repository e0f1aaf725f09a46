internal import Dispatch
package import GemLedger
internal import GemLedgerArchive
internal import Synchronization
import XCTest

/// The requirements of documents on every storage; each storage's tests call ``runAll()``.
package struct DocumentContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  private let reopen: (Ledger, LedgerClock) throws -> Ledger
  let join: (Ledger, LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// - Parameters:
  ///   - make: Makes an empty ledger over the storage.
  ///   - reopen: Closes a ledger and opens it anew; one that lives in memory stays open.
  ///   - join: Opens a second ledger over the same storage, as another process does.
  package init(
    make: @escaping (LedgerClock) throws -> Ledger,
    reopen: @escaping (Ledger, LedgerClock) throws -> Ledger = { ledger, _ in ledger },
    join: @escaping (Ledger, LedgerClock) throws -> Ledger = { Ledger(storage: $0.storage, clock: $1) }
  ) {
    self.make = make
    self.reopen = reopen
    self.join = join
  }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testADocumentIsMadeReplacedAndRemoved", testADocumentIsMadeReplacedAndRemoved)
    run.step("testAStaleVersionIsRefused", testAStaleVersionIsRefused)
    run.step("testDocumentsAreThereAfterReopening", testDocumentsAreThereAfterReopening)
    run.step("testAnotherProcessSeesTheNewestVersion", testAnotherProcessSeesTheNewestVersion)
    run.step("testOneOfManyMakersWins", testOneOfManyMakersWins)
    run.step("testNoChangeOfTwoProcessesIsLost", testNoChangeOfTwoProcessesIsLost)
    run.step("testNamesAreBytes", testNamesAreBytes)
    run.step("testDocumentsAreListedByPrefix", testDocumentsAreListedByPrefix)
    run.step("testBoundsAreKept", testBoundsAreKept)
    run.step("testRefusalsComeInTheirOrder", testRefusalsComeInTheirOrder)
    run.step("testTheJournalStaysAsItIs", testTheJournalStaysAsItIs)
    run.step("testAttributesLastAsLongAsTheirCustomer", testAttributesLastAsLongAsTheirCustomer)
    run.step("testAttributesAreBounded", testAttributesAreBounded)
    run.step("testCustomersAreFoundByAnAttribute", testCustomersAreFoundByAnAttribute)
  }

  private func assertRefused(
    version: Int64, file: StaticString = #filePath, line: UInt = #line, _ change: () throws -> Void
  ) {
    let error = GemTestSupport.assertRefused(.conditionFailed, file: file, line: line, change)
    XCTAssertEqual(error?.integer("version"), version, file: file, line: line)
  }

  // MARK: One document

  func testADocumentIsMadeReplacedAndRemoved() throws {
    let ledger = try make(time.clock)
    XCTAssertNil(try ledger.documents.find(named: "lease"))
    let made = try ledger.documents.save("lease", content: #"{"owner":"a"}"#, replacing: nil)
    XCTAssertEqual(made.version, 1)
    let replaced = try ledger.documents.save("lease", content: #"{"owner":"b"}"#, replacing: 1)
    XCTAssertEqual(replaced.version, 2)
    // The same content is a new version too: a lease is renewed so.
    XCTAssertEqual(try ledger.documents.save("lease", content: replaced.content, replacing: 2).version, 3)
    let found = try XCTUnwrap(try ledger.documents.find(named: "lease"))
    XCTAssertEqual(Self.text(found), #"lease 3 {"owner":"b"}"#)
    try ledger.documents.remove("lease", version: 3)
    XCTAssertNil(try ledger.documents.find(named: "lease"))
    XCTAssertEqual(try ledger.documents.save("lease", content: "{}", replacing: nil).version, 1)
    try check(ledger)
  }

  func testAStaleVersionIsRefused() throws {
    let ledger = try make(time.clock)
    assertRefused(version: 0) { try ledger.documents.save("key", content: "1", replacing: 1) }
    assertRefused(version: 0) { try ledger.documents.remove("key", version: 1) }
    try ledger.documents.save("key", content: "1", replacing: nil)
    try ledger.documents.save("key", content: "2", replacing: 1)
    assertRefused(version: 2) { try ledger.documents.save("key", content: "3", replacing: nil) }
    for version: Int64 in [.min, 0, 1, 3, .max] {
      assertRefused(version: 2) { try ledger.documents.save("key", content: "3", replacing: version) }
      assertRefused(version: 2) { try ledger.documents.remove("key", version: version) }
    }
    XCTAssertEqual(try ledger.documents.find(named: "key").map(Self.text), "key 2 2")
    try check(ledger)
  }

  func testDocumentsAreThereAfterReopening() throws {
    var ledger = try make(time.clock)
    let content = #"["caf\#u{E9}", "cafe\#u{301}", "\#u{1F48E}", "\\u0000"]"#
    try ledger.documents.save("kept", content: "0", replacing: nil)
    try ledger.documents.save("kept", content: content, replacing: 1)
    try ledger.documents.save("removed", content: "1", replacing: nil)
    try ledger.documents.remove("removed", version: 1)
    ledger = try reopen(ledger, time.clock)
    let kept = try XCTUnwrap(try ledger.documents.find(named: "kept"))
    XCTAssertEqual(kept.version, 2)
    XCTAssertTrue(kept.content.hasBytes(of: content))
    XCTAssertNil(try ledger.documents.find(named: "removed"))
    XCTAssertEqual(try ledger.documents.page().map(\.name), ["kept"])
    try check(ledger)
  }

  // MARK: Two processes

  func testAnotherProcessSeesTheNewestVersion() throws {
    let one = try make(time.clock)
    let other = try join(one, time.clock)
    try one.documents.save("cursor", content: "1", replacing: nil)
    XCTAssertEqual(try other.documents.save("cursor", content: "2", replacing: 1).version, 2)
    assertRefused(version: 2) { try one.documents.save("cursor", content: "3", replacing: 1) }
    XCTAssertEqual(try one.documents.find(named: "cursor").map(Self.text), "cursor 2 2")
    try other.documents.remove("cursor", version: 2)
    XCTAssertEqual(try one.documents.page().count, 0)
    try assertBooksAddUp(one)
    other.close()
    one.close()
  }

  func testOneOfManyMakersWins() throws {
    let one = try make(time.clock)
    let ledgers = [one, try join(one, time.clock)]
    for round in 0..<5 {
      let outcomes = Self.outcomes(of: 8) { number in
        try ledgers[number % 2].documents.save("race \(round)", content: "\(number)", replacing: nil)
      }
      XCTAssertEqual(outcomes, ["done": 1, "condition_failed": 7])
      XCTAssertEqual(try one.documents.find(named: "race \(round)")?.version, 1)
    }
    try assertBooksAddUp(one)
    for ledger in ledgers.reversed() { ledger.close() }
  }

  /// A counter that all of them count up, beside spends in the same storage.
  func testNoChangeOfTwoProcessesIsLost() throws {
    let (one, alice) = (try make(time.clock), try Make.customer("alice"))
    let ledgers = [one, try join(one, time.clock)]
    try one.apply(Make.catalog())
    try one.grant([Make.amount("GEM", 100)], customer: alice)
    try one.documents.save("count", content: "0", replacing: nil)
    let spend = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: alice)
    let outcomes = Self.outcomes(of: 8) { number in
      for _ in 0..<5 {
        try Self.countUp("count", in: ledgers[number % 2])
        _ = try Self.book(spend, in: ledgers[number % 2])
      }
    }
    XCTAssertEqual(outcomes, ["done": 8])
    XCTAssertEqual(try one.documents.find(named: "count").map(Self.text), "count 41 40")
    XCTAssertEqual(try one.balance(of: CurrencyCode("GEM"), customer: alice).balance, 60)
    try assertBooksAddUp(one)
    for ledger in ledgers.reversed() { ledger.close() }
  }

  private static func countUp(_ name: String, in ledger: Ledger) throws {
    while true {
      guard let known = try ledger.documents.find(named: name), let count = Int(known.content) else {
        throw LedgerError.defect("The count is missing")
      }
      do throws(LedgerError) {
        try ledger.documents.save(name, content: "\(count + 1)", replacing: known.version)
        return
      } catch {
        guard error.code == .conditionFailed else { throw error }
      }
    }
  }

  private static func book(_ command: LedgerCommand, in ledger: Ledger) throws -> Booking { try ledger.book(command) }

  /// Runs that many threads at once and counts their outcomes.
  private static func outcomes(of count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String: Int] {
    let counts = Mutex<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { number in
      var outcome = "done"
      do { try body(number) } catch { outcome = (error as? LedgerError)?.code.description ?? "\(error)" }
      counts.withLock { $0[outcome, default: 0] += 1 }
    }
    return counts.withLock { $0 }
  }

  // MARK: Names and lists

  func testNamesAreBytes() throws {
    let ledger = try make(time.clock)
    let names = ["cafe\u{301}", "caf\u{E9}", "Cafe", "cafe"]
    for (number, name) in names.enumerated() {
      XCTAssertEqual(try ledger.documents.save(name, content: "\(number)", replacing: nil).version, 1, name)
    }
    for (number, name) in names.enumerated() {
      XCTAssertEqual(try ledger.documents.find(named: name)?.content, "\(number)", name)
    }
    XCTAssertEqual(try ledger.documents.page().map(\.content), ["2", "3", "0", "1"])
    XCTAssertEqual(try ledger.documents.page(withPrefix: "caf\u{E9}").map(\.content), ["1"])
    // By its bytes the combining form begins with it; by its characters it does not.
    XCTAssertEqual(try ledger.documents.page(withPrefix: "cafe").map(\.content), ["3", "0"])
    try ledger.documents.remove("caf\u{E9}", version: 1)
    XCTAssertEqual(try ledger.documents.find(named: "cafe\u{301}")?.content, "0")
    try check(ledger)
  }

  func testDocumentsAreListedByPrefix() throws {
    let ledger = try make(time.clock)
    for name in ["webhook/2", "key", "webhook/10", "webhook", "webhook0", "key/1", "webhook/1", "z"] {
      try ledger.documents.save(name, content: "{}", replacing: nil)
    }
    let webhooks = ["webhook/1", "webhook/10", "webhook/2"]
    func names(_ prefix: String = "", after name: String? = nil, limit: Int = 100) throws -> [String] {
      try ledger.documents.page(withPrefix: prefix, after: name, limit: limit).map(\.name)
    }
    XCTAssertEqual(try names(), ["key", "key/1", "webhook"] + webhooks + ["webhook0", "z"])
    XCTAssertEqual(try names("webhook/"), webhooks)
    XCTAssertEqual(try names("webhook"), ["webhook"] + webhooks + ["webhook0"])
    XCTAssertEqual(try names("webhook", limit: 1), ["webhook"])
    XCTAssertEqual(try names("webhook", limit: 2), ["webhook", "webhook/1"])
    XCTAssertEqual(try names("webhook", after: "webhook", limit: 2), ["webhook/1", "webhook/10"])
    XCTAssertEqual(try names("webhook/", after: "webhook/1"), ["webhook/10", "webhook/2"])
    // The place need not be a document's name, nor begin with the prefix.
    XCTAssertEqual(try names("webhook/", after: "webhook/11"), ["webhook/2"])
    XCTAssertEqual(try names("webhook/", after: "a"), webhooks)
    XCTAssertEqual(try names("webhook/", after: "x"), [])
    XCTAssertEqual(try names(after: "webhook0"), ["z"])
    XCTAssertEqual(try names("none"), [])
    try ledger.documents.remove("webhook/10", version: 1)
    XCTAssertEqual(try names("webhook/", after: "webhook/1"), ["webhook/2"])
    try check(ledger)
  }

  func testBoundsAreKept() throws {
    var ledger = try make(time.clock)
    let (name, content) = (String(repeating: "n", count: 255), Self.content(bytes: 1 << 20))
    try ledger.documents.save(name, content: content, replacing: nil)
    try ledger.documents.save("n", content: "{}", replacing: nil)
    GemTestSupport.assertRefused(.limitExceeded) {
      try ledger.documents.save("n", content: Self.content(bytes: 1 << 20 + 1), replacing: 1)
    }
    ledger = try reopen(ledger, time.clock)
    XCTAssertTrue(try XCTUnwrap(try ledger.documents.find(named: name)).content.hasBytes(of: content))
    XCTAssertEqual(try ledger.documents.page(withPrefix: name).map(\.version), [1])
    XCTAssertEqual(try ledger.documents.find(named: "n")?.version, 1)
    for limit in [0, -1, 101] {
      GemTestSupport.assertRefused(.limitExceeded) { try ledger.documents.page(limit: limit) }
    }
    for number in 0..<101 { try ledger.documents.save("page \(number)", content: "0", replacing: nil) }
    let first = try ledger.documents.page(withPrefix: "page ")
    XCTAssertEqual(first.count, 100)
    XCTAssertEqual(try ledger.documents.page(withPrefix: "page ", after: first.last?.name).map(\.name), ["page 99"])
    try check(ledger)
  }

  /// A JSON text of that length.
  private static func content(bytes count: Int) -> String { "\"" + String(repeating: "x", count: count - 2) + "\"" }

  func testRefusalsComeInTheirOrder() throws {
    let ledger = try make(time.clock)
    let long = Self.content(bytes: 1 << 20 + 1)
    for name in ["", String(repeating: "n", count: 256), "a\u{0}b", "a\nb"] {
      GemTestSupport.assertRefused(.invalidIdentifier) { try ledger.documents.save(name, content: long, replacing: 1) }
      GemTestSupport.assertRefused(.invalidIdentifier) { try ledger.documents.find(named: name) }
      GemTestSupport.assertRefused(.invalidIdentifier) { try ledger.documents.remove(name, version: 1) }
      GemTestSupport.assertRefused(.invalidIdentifier) { try ledger.documents.page(after: name, limit: 0) }
      if name.isEmpty { continue }
      GemTestSupport.assertRefused(.invalidIdentifier) { try ledger.documents.page(withPrefix: name, limit: 0) }
    }
    GemTestSupport.assertRefused(.limitExceeded) { try ledger.documents.save("a", content: long + "{", replacing: 1) }
    for content in ["", "{", "{} {}", "\"\u{0}\"", "{'a': 1}"] {
      GemTestSupport.assertRefused(.invalidRequest) { try ledger.documents.save("a", content: content, replacing: 1) }
    }
    assertRefused(version: 0) { try ledger.documents.save("a", content: "{}", replacing: 1) }
    XCTAssertEqual(try ledger.documents.page().count, 0)
    try check(ledger)
  }

  // MARK: The journal

  /// The numbers and sums of a ledger.
  private struct Books: Equatable {
    let sequences: Sequences
    let sums: RecordSums?
    let last: [Int64]

    init(_ ledger: Ledger) throws {
      (sequences, sums, last) = try ledger.storage.read { (snapshot) throws(LedgerError) in
        (
          try snapshot.sequences(), try snapshot.recordSums(),
          try ColdSequence.allCases.map { (sequence) throws(LedgerError) in try snapshot.last(sequence) }
        )
      }
    }
  }

  func testTheJournalStaysAsItIs() throws {
    let (ledger, alice) = (try make(time.clock), try Make.customer("alice"))
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let (books, export) = (try Books(ledger), try Self.export(ledger))
    time.advance(seconds: 5)
    for version: Int64? in [nil, 1, 2] { try ledger.documents.save("alice", content: "{}", replacing: version) }
    try ledger.documents.save("bob", content: "{}", replacing: nil)
    try ledger.documents.remove("bob", version: 1)
    XCTAssertEqual(try Books(ledger), books)
    XCTAssertEqual(try Self.export(ledger), export)
    try assertBooksAddUp(ledger)
    try ledger.erase(alice)
    XCTAssertEqual(try ledger.documents.find(named: "alice")?.version, 3)
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("carol"))
    try check(ledger)
  }

  private static func export(_ ledger: Ledger) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try ledger.export { bytes += $0 }
    return bytes
  }

  private static func text(_ document: LedgerDocument) -> String {
    "\(document.name) \(document.version) \(document.content)"
  }
}
