import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class ReadmeTests: XCTestCase {
  func testTheReadmesProgramRuns() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let catalogBytes = Array(try Data(contentsOf: Self.root.appendingPathComponent("Fixtures/gems.json")))
    try runReadmeProgram(path: path, catalogBytes: catalogBytes)
  }

  /// The README's block is this file's program, line by line.
  func testTheReadmeShowsThatProgram() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let block = try XCTUnwrap(readme.components(separatedBy: "```swift\n").dropFirst().first)
    let shown = try XCTUnwrap(block.components(separatedBy: "\n```").first)
      .split(separator: "\n").filter { !$0.hasPrefix("import ") }
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let body = try XCTUnwrap(source.components(separatedBy: "// README begins\n").dropFirst().first)
    let program = try XCTUnwrap(body.components(separatedBy: "  // README ends").first).split(separator: "\n")
    XCTAssertEqual(shown.map { $0.trimmingPrefix { $0 == " " } }, program.map { $0.trimmingPrefix { $0 == " " } })
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

private func runReadmeProgram(path: String, catalogBytes: [UInt8]) throws {
  // README begins
  let ledger = try Ledger.createSQLite(at: path)
  try ledger.apply(Catalog.load(catalogBytes))

  let alice = try CustomerID("alice")
  let gem = try CurrencyCode("GEM")

  // Credited once, however often the store delivers it.
  let purchase = StorePurchase(
    store: .apple, environment: .production, transactionID: try StoreTransactionID("2000000123456789"),
    product: try ProductCode("gems_1200"), price: Money(minorUnits: 999, currency: "USD"), purchasedAt: Timestamp(.now))
  try ledger.creditPurchase(purchase, customer: alice)

  // Make the key when the user taps; send the same one with every retry of that tap.
  let key = IdempotencyKey.timeOrdered()
  let spend = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
  let retry = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
  assert(retry.isReplayed && retry.transactionID == spend.transactionID)
  assert(spend.entries[0].balance == 1150 && spend.entries[0].allocations[0].source == .paid)

  // Refused, with nothing changed.
  do {
    try ledger.spend([Adjustment(gem, 5000)], customer: alice)
  } catch  where error.code == .insufficientBalance {
    print(error.localizedDescription)
  }

  let balance = try ledger.balance(of: gem, customer: alice)
  let history = try ledger.history(of: alice)
  assert(balance.available == 1150 && history.transactions.count == 2)
  let verification = try ledger.verify()
  assert(verification.isOK)
  // README ends
}
