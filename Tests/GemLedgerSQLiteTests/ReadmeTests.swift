import Foundation
import GemLedger
import GemLedgerAudit
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

  /// The README's block is this file's program, line by line, with this file's imports of the package's products.
  func testTheReadmeShowsThatProgram() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let section = try XCTUnwrap(readme.components(separatedBy: "\n## A first program\n").dropFirst().first)
    let block = try XCTUnwrap(section.components(separatedBy: "```swift\n").dropFirst().first)
    let lines = try XCTUnwrap(block.components(separatedBy: "\n```").first).split(separator: "\n")
    let shown = lines.filter { !$0.hasPrefix("import ") }
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let helpers = ["import Foundation", "import GemTestSupport", "import XCTest"]
    let imports = source.split(separator: "\n").filter { $0.hasPrefix("import ") && !helpers.contains(String($0)) }
    XCTAssertEqual(lines.filter { $0.hasPrefix("import ") }, imports)
    let body = try XCTUnwrap(source.components(separatedBy: "// README begins\n").dropFirst().first)
    let program = try XCTUnwrap(body.components(separatedBy: "  // README ends").first).split(separator: "\n")
    XCTAssertEqual(shown.map { $0.trimmingPrefix { $0 == " " } }, program.map { $0.trimmingPrefix { $0 == " " } })
  }

  /// The README names each product of the package, and links only to pages that exist.
  func testTheReadmeNamesProductsAndPages() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let package = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let products = package.matches(of: /\.(?:library|executable)\(name: "(\w+)"/).map { String($0.1) }
    XCTAssertGreaterThan(products.count, 7)
    for product in products { XCTAssertTrue(readme.contains("`\(product)`"), "\(product) is not in the README") }
    let pages = readme.matches(of: /\]\((Sources[^)]+)\)/).map { String($0.1) }
    XCTAssertGreaterThan(pages.count, 10)
    for page in pages {
      let path = Self.root.appendingPathComponent(page).path
      XCTAssertTrue(FileManager.default.fileExists(atPath: path), "there is no page \(page)")
    }
    XCTAssertLessThanOrEqual(readme.split(separator: "\n", omittingEmptySubsequences: false).count - 1, 200)
  }

  /// Each feature of GemLedger in the comparison with peers names a test that exists.
  func testEveryYesNamesItsTest() throws {
    let page = Self.root.appendingPathComponent("Sources/GemLedger/GemLedger.docc/Peers.md")
    let suites = try Self.suites()
    var count = 0
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.first == "feature" { continue }
      XCTAssertEqual(cells[1], "yes", cells[0])
      let match = try XCTUnwrap(cells.last?.firstMatch(of: /^`(\w+)\.(\w+)`$/), "\(cells[0]) names no test")
      let own = suites[String(match.1)] ?? []
      XCTAssertTrue(own.contains { $0.contains("func \(match.2)(") }, "\(match.1) has no \(match.2)")
      count += 1
    }
    XCTAssertGreaterThan(count, 30)
  }

  /// The sources of each suite; a file `Suite+Topic.swift` belongs to `Suite`.
  private static func suites() throws -> [String: [String]] {
    let folder = root.appendingPathComponent("Tests")
    var found: [String: [String]] = [:]
    for case let path as String in try XCTUnwrap(FileManager.default.enumerator(atPath: folder.path)) {
      guard path.hasSuffix(".swift") else { continue }
      let file = folder.appendingPathComponent(path)
      let suite = file.deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
      found[String(suite), default: []].append(try String(contentsOf: file, encoding: .utf8))
    }
    return found
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
  precondition(retry.isReplayed)
  precondition(retry.transactionID == spend.transactionID)
  precondition(spend.balance(gem) == 1150)

  // Refused, with nothing changed.
  let refusal = ledger.submit([try .spend([Adjustment(gem, 5000)], customer: alice)])[0]
  if case .failure(let error) = refusal {
    precondition(error.code == .insufficientBalance)
    print(error.message)  // Not enough GEM: 5000 needed, 1150 available. Nothing was changed.
  }

  let available = try ledger.balance(of: gem, customer: alice).available
  let history = try ledger.history(of: alice).transactions
  let books = try ledger.verify()
  precondition(available == 1150)
  precondition(history.count == 2)
  precondition(books.isOK)
  // README ends
}
