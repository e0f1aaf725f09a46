import Foundation
import XCTest

final class ReadmeTests: XCTestCase {
  /// The README names each product of the package with its modules, and links only to pages that exist.
  func testTheReadmeNamesProductsAndPages() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let package = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let list = try XCTUnwrap(package.firstMatch(of: /(?s)products: \[(.*?)\n  \],/)).1
    let products = list.matches(of: /\.(?:library|executable)\(/)
    XCTAssertLessThanOrEqual(products.count, 9)
    let names = Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
    XCTAssertGreaterThan(names.count, 10)
    for name in names { XCTAssertTrue(readme.contains("`\(name)`"), "\(name) is not in the README") }
    let pages = readme.matches(of: /\]\((Sources[^)]+)\)/).map { String($0.1) }
    XCTAssertGreaterThan(pages.count, 10)
    for page in pages {
      let path = Self.root.appendingPathComponent(page).path
      XCTAssertTrue(FileManager.default.fileExists(atPath: path), "there is no page \(page)")
    }
    XCTAssertLessThanOrEqual(readme.split(separator: "\n", omittingEmptySubsequences: false).count - 1, 180)
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
