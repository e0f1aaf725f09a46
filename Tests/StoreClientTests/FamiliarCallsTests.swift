import Foundation
import XCTest

/// The page of familiar calls names tests that there are.
final class FamiliarCallsTests: XCTestCase {
  func testEveryRowNamesATestThatThereIs() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try text(top.appending(path: "Sources/StoreClient/StoreClient.docc/FamiliarCalls.md"))
    let folder = top.appending(path: "Tests/StoreClientTests/Client")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.contains("| shown by |") }
    XCTAssertGreaterThan(rows.count, 40)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = try XCTUnwrap(cells.last).trimmingCharacters(in: ["`"]).split(separator: ".").map(String.init)
      guard name.count == 2 else {
        XCTFail("no test in: \(row)")
        continue
      }
      let suite = try text(folder.appending(path: "\(name[0]).swift"))
      XCTAssertTrue(suite.contains("func \(name[1])()"), "\(name[0]) has no \(name[1])")
    }
  }

  private func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
}
