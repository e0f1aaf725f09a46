internal import Dispatch
package import GemLedger
internal import Synchronization
import XCTest

/// Changes of the catalog with authors and conditions, on any storage.
package struct CatalogHistoryContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testVersionsNameAuthorAndReason", testVersionsNameAuthorAndReason)
    run.step("testVersionsArePaged", testVersionsArePaged)
    run.step("testAChangeOfAnOldVersionIsRefused", testAChangeOfAnOldVersionIsRefused)
    run.step("testOneOfManyChangesOfAVersionIsMade", testOneOfManyChangesOfAVersionIsMade)
    run.step("testAPreviewStatesWhatAChangeConcerns", testAPreviewStatesWhatAChangeConcerns)
  }

  private static func rename(
    _ name: String, in ledger: Ledger, _ details: CatalogChangeDetails = CatalogChangeDetails()
  ) throws(LedgerError) -> AppliedCatalog {
    try ledger.catalogEditor.change(details) { (old) throws(LedgerError) in
      try old.edited { (draft) in draft.currencies[0].name = name }
    }
  }

  private func testVersionsNameAuthorAndReason() throws {
    let ledger = try ledger()
    let (code, before) = (
      try ledger.currentCatalog().currencies[0].code, try ledger.currentCatalog().currencies[0].name
    )
    let first = time.now
    time.advance(seconds: 60)
    let details = CatalogChangeDetails(actor: try ActorName("ann"), reason: try Reason("typo"))
    let applied = try Self.rename("Gemmes", in: ledger, details)
    XCTAssertEqual(applied.version, 2)
    XCTAssertEqual(try Self.rename("Gemmes", in: ledger, details).version, 2, "Nothing changed.")
    let versions = try ledger.catalogEditor.versions()
    XCTAssertEqual(versions.map(\.version), [2, 1])
    XCTAssertEqual(versions.map(\.appliedAt), [time.now, first])
    XCTAssertEqual(versions.map(\.actor), [try ActorName("ann"), nil])
    XCTAssertEqual(versions.map(\.reason), [try Reason("typo"), nil])
    XCTAssertEqual(versions.first?.changeCount, 1)
    XCTAssertEqual(versions.first?.changes, applied.difference)
    XCTAssertEqual(
      applied.difference.changed.map { "\($0.id) \($0.fields)" },
      ["\(code) [\"name: \\\"\(before)\\\" -> \\\"Gemmes\\\"\"]"])
    try ledger.catalogEditor.eraseAuthor(of: 2)
    let erased = try XCTUnwrap(ledger.catalogEditor.versions(limit: 1).first)
    XCTAssertTrue(erased.actor == nil && erased.reason == nil)
    XCTAssertEqual(erased.changes, applied.difference)
    // A version of an earlier release has no record.
    try ledger.documents.remove("catalog-change/2", version: 2)
    try ledger.catalogEditor.eraseAuthor(of: 2)
    let bare = try XCTUnwrap(ledger.catalogEditor.versions(limit: 1).first)
    XCTAssertEqual(bare.version, 2)
    XCTAssertEqual(bare.appliedAt, time.now)
    XCTAssertTrue(bare.actor == nil && bare.reason == nil && bare.changeCount == nil && bare.changes == nil)
    try check(ledger)
  }

  private func testVersionsArePaged() throws {
    let ledger = try make(time.clock)
    XCTAssertEqual(try ledger.catalogEditor.versions(), [])
    XCTAssertEqual(try ledger.catalogEditor.current().version, 0)
    try ledger.apply(Make.catalog())
    for number in 2...7 { _ = try Self.rename("Name \(number)", in: ledger) }
    var (found, end): ([Int64], Int64?) = ([], nil)
    while true {
      let page = try ledger.catalogEditor.versions(below: end, limit: 3).map(\.version)
      guard let last = page.last else { break }
      XCTAssertLessThanOrEqual(page.count, 3)
      (found, end) = (found + page, last)
    }
    XCTAssertEqual(found, [7, 6, 5, 4, 3, 2, 1])
    XCTAssertEqual(try ledger.catalogEditor.versions(below: .min), [])
    XCTAssertEqual(try ledger.catalogEditor.versions(below: 99, limit: 1).map(\.version), [7])
    assertRefused(.limitExceeded) { try ledger.catalogEditor.versions(limit: Limits.historyPage + 1) }
    try check(ledger)
  }

  private func testAChangeOfAnOldVersionIsRefused() throws {
    let ledger = try ledger()
    let old = CatalogChangeDetails(baseVersion: 1)
    XCTAssertEqual(try Self.rename("Second", in: ledger, old).version, 2)
    let catalog = try ledger.currentCatalog()
    let refusal = assertRefused(.conditionFailed) { try Self.rename("Third", in: ledger, old) }
    XCTAssertEqual(refusal?.integer("expected"), 1)
    XCTAssertEqual(refusal?.integer("current"), 2)
    assertRefused(.conditionFailed) { try ledger.catalogEditor.preview(old) { $0 } }
    assertRefused(.conditionFailed) { try ledger.catalogEditor.removeCurrency(CurrencyCode("RUBY"), old) }
    XCTAssertEqual(try ledger.currentCatalog(), catalog)
    XCTAssertEqual(try ledger.catalogEditor.versions().map(\.version), [2, 1])
    try check(ledger)
  }

  private func testOneOfManyChangesOfAVersionIsMade() throws {
    let ledger = try ledger()
    let codes = Results()
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do throws(LedgerError) {
        _ = try Self.rename("Name \(number)", in: ledger, CatalogChangeDetails(baseVersion: 1))
        codes.add("done")
      } catch {
        codes.add("\(error.code)")
      }
    }
    XCTAssertEqual(codes.sorted, Array(repeating: "condition_failed", count: 7) + ["done"])
    XCTAssertEqual(try ledger.catalogEditor.current().version, 2)
    try check(ledger)
  }

  private func testAPreviewStatesWhatAChangeConcerns() throws {
    let ledger = try ledger()
    for name in ["alice", "bob", "carol"] {
      try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer(name))
    }
    try ledger.spend([Make.amount("GEM", 5)], customer: Make.customer("carol"))
    let product = try ProductCode("gems_1200")
    for (code, bought) in [("A1", "gems_1200"), ("A2", "gems_1200"), ("A3", "rubies")] {
      let opening = OrderOpening(
        code: try PurchaseCode(code), store: .apple, product: try ProductCode(bought), quantity: 1, request: "{}",
        key: nil, lifetimeMilliseconds: 60_000, paidBy: nil)
      try ledger.book(.openOrder(opening, customer: Make.customer("alice")))
    }
    let offering = CatalogOffering(id: try OfferingID("gems"), packages: [.init(id: "small", product: product)])
    try ledger.catalogEditor.change { (old) throws(LedgerError) in
      try old.edited { (draft) in draft.offerings = [offering] }
    }
    let catalog = try ledger.currentCatalog()
    let preview = try ledger.catalogEditor.preview { (old) throws(LedgerError) in
      try old.edited { (draft) in
        for index in draft.currencies.indices where draft.currencies[index].code.description == "GEM" {
          draft.currencies[index].name = "Gemmes"
        }
        for index in draft.products.indices where draft.products[index].code == product {
          draft.products[index].isActive.toggle()
        }
      }
    }
    XCTAssertEqual(preview.version, 2)
    XCTAssertEqual(preview.difference.changed.map(\.id), ["GEM", product.text])
    XCTAssertEqual(preview.impact.balances.mapValues(\.description), ["GEM": "2"])
    XCTAssertEqual(preview.impact.openOrders.description, "2")
    XCTAssertEqual(preview.impact.offerings, [offering.id])
    XCTAssertEqual(try ledger.currentCatalog(), catalog)
    try check(ledger)
  }
}

/// The outcomes of concurrent calls.
private final class Results: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  var sorted: [String] { texts.withLock { $0.sorted() } }
}
