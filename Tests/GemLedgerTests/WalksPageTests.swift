import Foundation
import XCTest

/// The tables of *Walks through the code* against the sources.
final class WalksPageTests: XCTestCase {
  func testEachStepIsAFunctionOfTheNamedFile() throws {
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: top.appendingPathComponent("Sources/GemLedger/GemLedger.docc/Walks.md"), encoding: .utf8)
    var stepCount = 0
    for line in page.split(separator: "\n") where line.hasPrefix("| ") && !line.hasPrefix("| step") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      guard cells.count == 4 else { return XCTFail("The row \"\(line)\" does not have four cells.") }
      let source = try String(contentsOf: top.appendingPathComponent("Sources/\(cells[2])"), encoding: .utf8)
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
}
