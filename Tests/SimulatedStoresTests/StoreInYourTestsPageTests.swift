import Foundation
import XCTest

/// The test on the page about a store in your tests is a file of this suite, so it compiles and passes.
final class StoreInYourTestsPageTests: XCTestCase {
  func testThePageShowsTheTestThatRuns() throws {
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = top.appendingPathComponent("Sources/SimulatedStores/SimulatedStores.docc/StoreInYourTests.md")
    let page = try String(contentsOf: path, encoding: .utf8)
    let block = try XCTUnwrap(page.components(separatedBy: "```swift\n").dropFirst().first)
    let shown = try XCTUnwrap(block.components(separatedBy: "```").first)
    let file = top.appendingPathComponent("Tests/SimulatedStoresTests/GemStoreTests.swift")
    XCTAssertEqual(shown, try String(contentsOf: file, encoding: .utf8))
  }
}
