import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

final class MemoryArchiveTests: XCTestCase {
  func testEveryJournalComesBackFromMemory() throws {
    for generator in InvariantContract.generator(12) {
      let kept = KeptStorages()
      var contract = try ArchiveContract(
        generator: generator, make: { kept.ledger("source", $0) }, chain: [.memory("copy", kept)],
        whole: { .memory("whole", KeptStorages()) })
      try contract.run(cuts: 4, of: 60)
    }
  }

  func testEveryStoryComesBack() throws {
    let kept = KeptStorages()
    try ArchiveStories.run(
      make: { Ledger.inMemory(clock: $0, salt: 7) }, copy: { ArchiveContract.Copy.memory($0, kept) })
  }

  func testACatalogOfTenThousandProductsComesBack() throws {
    func text(_ count: Int) -> [UInt8] {
      let products = (1...count).map { #"{"code":"p\#($0)","type":"consumable"}"# }.joined(separator: ",")
      return Array(#"{"currencies":[{"code":"GEM","name":"Gems"}],"products":[\#(products)]}"#.utf8)
    }
    let ledger = Ledger.inMemory()
    try ledger.apply(Catalog.load(text(10_000)))
    let copy = try Ledger.inMemory(importing: try Exported(ledger).bytes)
    XCTAssertEqual(try copy.currentCatalog().products.count, 10_000)
    XCTAssertThrowsError(try Catalog.load(text(10_001)))
  }

  /// A metadata name may hold any character, also those that JSON writes with escapes.
  func testMetadataNamesWithEscapesComeBack() throws {
    let metadata = #"{"the \"best\"":{"\\":1,"a\nb":[{"\u0001":"\u0002"}]},"\u0061":"plain","\ud83d\ude00":null}"#
    let ledger = Ledger.inMemory(salt: 7)
    try ledger.apply(
      Catalog.load(
        Array(
          #"""
          {"currencies":[{"code":"GEM","name":"Gems"}],"products":[{"code":"p","type":"consumable"}],
           "offerings":[{"id":"o","metadata":\#(metadata),"packages":[{"id":"one","product":"p"}]}]}
          """#.utf8)))
    let text = try Exported(ledger).bytes
    let copy = try Ledger.inMemory(importing: text)
    XCTAssertEqual(try copy.currentCatalog().text(), try ledger.currentCatalog().text())
    XCTAssertEqual(try Exported(copy).bytes, text)
  }

  /// A ledger of before may have a customer named by a variable without a value; its copies have it too.
  func testACustomerNamedByAnUnsetVariableComesBack() throws {
    let ledger = Ledger.inMemory(salt: 7)
    try ledger.apply(Catalog.load(Array(#"{"currencies":[{"code":"GEM","name":"Gems"}]}"#.utf8)))
    let (gem, null) = (try CurrencyCode("GEM"), try CustomerID("null"))
    try ledger.book(LedgerCommand.grant([Adjustment(gem, 7)], customer: null).namedByLedger())
    let text = try Exported(ledger).bytes
    let copy = try Ledger.inMemory(importing: text)
    XCTAssertEqual(try copy.balance(of: gem, customer: null).balance, 7)
    XCTAssertEqual(try Exported(copy).bytes, text)
  }

  /// A copy knows that nobody proved a login: a refund takes nothing else of the person there either.
  func testACopyKnowsAnUnprovenLogin() throws {
    let ledger = Ledger.inMemory(salt: 7)
    try ledger.apply(Make.catalog())
    let (alice, device) = (
      try CustomerID("alice"), try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcdef")
    )
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t"), customer: device)
    try ledger.spend([Make.amount("GEM", 1200)], customer: device)
    try ledger.book(.mergeAnonymous(from: device, into: alice, isProven: false))
    let copy = try Ledger.inMemory(importing: try Exported(ledger).bytes)
    for ledger in [ledger, copy] {
      try ledger.refund(Make.refund("t"))
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 50)
      try assertBooksAddUp(ledger)
    }
  }
}
