import Foundation
import XCTest

/// The page of familiar calls names tests that there are.
final class FamiliarCallsTests: XCTestCase {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  func testEveryRowNamesATestThatThereIs() throws {
    let suites = try suites(in: Self.top.appending(path: "Tests"))
    let rows = try rows()
    XCTAssertGreaterThan(rows.count, 40)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = try XCTUnwrap(cells.last).trimmingCharacters(in: ["`"]).split(separator: ".").map(String.init)
      guard name.count == 2 else {
        XCTFail("no test in: \(row)")
        continue
      }
      let suite = try text(try XCTUnwrap(suites["\(name[0]).swift"]?.first, "there is no \(name[0])"))
      XCTAssertTrue(suite.contains("func \(name[1])()"), "\(name[0]) has no \(name[1])")
    }
  }

  /// A row shows code: each name in it stands in the file of its test, or in the snippets of other SDKs' pages.
  ///
  /// Where the row says "the same", that holds for the name of the other SDK too.
  func testEveryNameOfARowIsUsedByItsTest() throws {
    let suites = try suites(in: Self.top.appending(path: "Tests"))
    let snippets = try suites.values.joined().filter { $0.path.contains("/PageSnippets/") }.map(text).joined()
    var count = 0
    for row in try rows() {
      let cells = row.split(separator: "|").map(String.init)
      let test = try XCTUnwrap(cells.last).trimmingCharacters(in: ["`", " "]).prefix { $0 != "." }
      let shown = try text(try XCTUnwrap(suites["\(test).swift"]?.first)) + snippets
      for name in names(in: cells[1].contains("the same") ? cells[0] + cells[1] : cells[1]) {
        // The type of a value is seldom written where it is used.
        if ["StoreClientDelegate", "StoreProduct"].contains(name) { continue }
        XCTAssertTrue(shown.contains(name), "\(test) does not use \(name): \(row)")
        count += 1
      }
    }
    XCTAssertGreaterThan(count, 100)
  }

  /// The last names in the code of a cell, such as `logIn` of `Purchases.shared.logIn(_:)`.
  private func names(in cell: String) -> [String] {
    cell.matches(of: /`+([^`]+)`+/).compactMap { code in
      let path = code.1.prefix { !"( {:?[".contains($0) }
      let name = path.split { $0 == "." || $0 == "/" }.last.map(String.init)
      return name?.contains { !$0.isLetter && !$0.isNumber } == false ? name : nil
    }
  }

  /// The files of tests by their names; of two with one name the client's comes first.
  private func suites(in folder: URL) throws -> [String: [URL]] {
    let files = try XCTUnwrap(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let swift = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    let ordered = swift.sorted { $0.path.contains("StoreClientTests") && !$1.path.contains("StoreClientTests") }
    return Dictionary(grouping: ordered, by: \.lastPathComponent)
  }

  private func rows() throws -> [Substring] {
    let page = try text(Self.top.appending(path: "Sources/StoreClient/StoreClient.docc/FamiliarCalls.md"))
    return page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.contains("| shown by |") }
  }

  private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
}
