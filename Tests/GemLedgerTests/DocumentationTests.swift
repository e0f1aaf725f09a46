import GemLedgerAudit
import XCTest

@testable import GemLedger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The pages of the documentation agree with the code.
final class DocumentationTests: XCTestCase {
  func testErrorCodesHasTheRightRowForEveryCode() throws {
    let rows = try Page.rows(of: "Sources/GemLedger/GemLedger.docc/ErrorCodes.md")
    for kind in ErrorKind.allCases {
      let own = rows.filter { $0.first == "`\(kind.rawValue)`" }
      XCTAssertEqual(own.count, 1, "\(kind.rawValue) has \(own.count) rows")
      guard let row = own.first, row.count == 7 else { continue }
      XCTAssertEqual(row[2], kind.row.isKept ? "yes" : "no", "\(kind.rawValue) kept")
      XCTAssertEqual(row[3], String(kind.row.exitStatus), "\(kind.rawValue) exit")
      XCTAssertEqual(row[4], String(kind.row.httpStatus), "\(kind.rawValue) HTTP status")
      XCTAssertEqual(row[5], "`\(kind.row.type)`", "\(kind.rawValue) HTTP type")
      XCTAssertFalse(row[1].isEmpty || row[6].isEmpty, "\(kind.rawValue) says nothing")
    }
  }

  func testErrorCodesHasNoRowWithoutACode() throws {
    let rows = try Page.rows(of: "Sources/GemLedger/GemLedger.docc/ErrorCodes.md").filter { $0.count == 7 }
    let codes = Set(ErrorKind.allCases.map { "`\($0.rawValue)`" })
    for row in rows.dropFirst(2) { XCTAssert(codes.contains(row[0]), "\(row[0]) is no code") }
  }

  func testVerificationNamesEveryEquation() throws {
    let names = try equationNames()
    XCTAssertGreaterThan(names.count, 15)
    let rows = try Page.rows(of: "Sources/GemLedger/GemLedger.docc/Verification.md")
    let documented = Set(rows.compactMap(\.first))
    for name in names { XCTAssert(documented.contains("`\(name)`"), "\(name) has no row") }
  }

  func testVerificationNamesNoOtherEquation() throws {
    let names = try equationNames()
    let rows = try Page.rows(of: "Sources/GemLedger/GemLedger.docc/Verification.md")
    for row in rows where row.count == 3 && row[0].hasPrefix("`") {
      XCTAssert(names.contains(String(row[0].dropFirst().dropLast())), "\(row[0]) is reported nowhere")
    }
  }

  func testTheExampleOfTheFrontPageRuns() throws {
    var said: [String] = []
    func print(_ items: Any...) { said.append(items.map { "\($0)" }.joined(separator: " ")) }

    // The example begins here.
    let gem = try CurrencyCode("GEM")
    let pack = try ProductCode("gems_1200")
    let alice = try CustomerID("alice")

    let ledger = Ledger.inMemory()
    try ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems")],
        products: [Product(code: pack, type: .consumable, grants: [Grant(currency: gem, amount: 1200)])]))

    // A store transaction is credited once, for any number of callers and calls.
    let purchase = StorePurchase(
      store: .apple, environment: .sandbox, transactionID: try StoreTransactionID("2000000123456789"), product: pack,
      price: Money(minorUnits: 999, currency: "USD"), purchasedAt: LedgerClock.system.now())
    try ledger.creditPurchase(purchase, customer: alice)
    try ledger.creditPurchase(purchase, customer: alice)

    // One key for one tap, sent with every retry of it.
    let key = IdempotencyKey.timeOrdered()
    let first = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
    let again = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
    print(first.balance(gem) ?? 0, again.isReplayed)  // 1150 true

    print(try ledger.balance(of: gem, customer: alice).available)  // 1150
    for record in try ledger.history(of: alice).transactions {
      print(record.booking.kind.name, record.booking.entries[0].amount)  // spend -50, then purchase 1200
    }
    print(try ledger.verify().isOK)  // true
    // The example ends here.

    XCTAssertEqual(said, ["1150 true", "1150", "spend -50", "purchase 1200", "true"])
    let page = try Page.text(of: "Sources/GemLedger/GemLedger.docc/GemLedger.md")
    XCTAssertEqual(
      page.lines(from: "```swift", to: "```"), ["import GemLedger", "import GemLedgerAudit", ""] + (try ownExample()))
  }

  /// The lines of the example above, without their indentation.
  private func ownExample() throws -> [String] {
    let source = try Page.text(of: "Tests/GemLedgerTests/DocumentationTests.swift")
    let lines = source.lines(from: "    // The example begins here.", to: "    // The example ends here.")
    return lines.map { String($0.dropFirst(4)) }
  }

  /// The first argument of every call of `report` in the verifier.
  private func equationNames() throws -> Set<String> {
    var names: Set<String> = []
    for file in try Page.files(in: "Sources/GemLedgerAudit/Verify") {
      let text = try Page.text(of: file)
      names.formUnion(text.matches(of: /report\(\s*"([a-z_]+)"/).map { String($0.1) })
    }
    return names
  }
}

/// Files of the package, as text.
private enum Page {
  private static var top: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: top.appending(path: path)), as: UTF8.self)
  }

  static func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
  }

  /// The cells of the lines that are rows of tables.
  static func rows(of path: String) throws -> [[String]] {
    try text(of: path).split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast().map { cell in
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }
}

extension String {
  /// The lines between the first one that is the opening and the next that is the closing.
  fileprivate func lines(from opening: String, to closing: String) -> [String] {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != opening }.dropFirst().prefix { $0 != closing }.map(String.init)
  }
}
