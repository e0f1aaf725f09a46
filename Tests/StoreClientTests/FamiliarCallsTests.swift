import Foundation
import XCTest

/// The page of familiar calls names tests that there are.
final class FamiliarCallsTests: XCTestCase {
  func testEveryRowNamesATestThatThereIs() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try text(top.appending(path: "Sources/StoreClient/StoreClient.docc/FamiliarCalls.md"))
    let suites = try suites(in: top.appending(path: "Tests"))
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.contains("| shown by |") }
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

  /// The files of tests by their names; of two with one name the client's comes first.
  private func suites(in folder: URL) throws -> [String: [URL]] {
    let files = try XCTUnwrap(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let swift = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    let ordered = swift.sorted { $0.path.contains("StoreClientTests") && !$1.path.contains("StoreClientTests") }
    return Dictionary(grouping: ordered, by: \.lastPathComponent)
  }

  private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
}
