import Foundation
import XCTest

/// The tables of *Walks through the code* and of the pages on additions against the sources.
final class WalksPageTests: XCTestCase {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(of path: String) throws -> String {
    try String(contentsOf: Self.top.appendingPathComponent(path), encoding: .utf8)
  }

  func testEachStepIsAFunctionOfTheNamedFile() throws {
    let page = try text(of: "Sources/GemLedger/GemLedger.docc/Walks.md")
    var stepCount = 0
    for line in page.split(separator: "\n") where line.hasPrefix("| ") && !line.hasPrefix("| step") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      guard cells.count == 4 else { return XCTFail("The row \"\(line)\" does not have four cells.") }
      let source = try text(of: "Sources/\(cells[2])")
      let names = cells[1].split(separator: ".").map(String.init)
      let function = try XCTUnwrap(names.last)
      let declaration = function == "init" ? "init" : "func \(function)"
      XCTAssertTrue(["(", "<"].contains { source.contains(declaration + $0) }, "\(cells[2]) has no \(declaration).")
      if names.count == 2 {
        let type = names[0]
        let isNamed = ["struct ", "class ", "enum ", "extension ", "actor "].contains { source.contains($0 + type) }
        XCTAssertTrue(isNamed, "\(cells[2]) does not declare or extend \(type).")
      }
      stepCount += 1
    }
    XCTAssertGreaterThan(stepCount, 40)
  }

  /// The second cell of such a row is a path, and the quoted names of its neighbours occur in that file.
  func testEachFileOfAnAdditionHasTheNames() throws {
    for (page, expectedCount) in [("AddACommand", 7), ("AddAColumn", 8), ("AddAStorage", 39)] {
      var rowCount = 0
      for line in try text(of: "Sources/GemLedger/GemLedger.docc/\(page).md").split(separator: "\n") {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4, cells[1].hasPrefix("`Sources/") || cells[1].hasPrefix("`Tests/") else { continue }
        let path = cells[1].filter { $0 != "`" }
        let source = try text(of: path)
        for name in (cells[0] + cells[2]).matches(of: /`(\w+)`/).map(\.output.1) {
          XCTAssertTrue(source.contains(name), "\(page): \(path) has no \(name).")
        }
        rowCount += 1
      }
      XCTAssertEqual(rowCount, expectedCount, page)
    }
  }
}
