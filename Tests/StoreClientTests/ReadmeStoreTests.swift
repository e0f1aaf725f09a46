import Foundation
import XCTest

/// The README's test is a file of ours, so it compiles and passes.
final class ReadmeStoreTests: XCTestCase {
  func testTheReadmeShowsTheTestThatRuns() throws {
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: top.appendingPathComponent("README.md"), encoding: .utf8)
    let section = try XCTUnwrap(readme.components(separatedBy: "\n## A store in your tests\n").dropFirst().first)
    let block = try XCTUnwrap(section.components(separatedBy: "```swift\n").dropFirst().first)
    let shown = try XCTUnwrap(block.components(separatedBy: "```").first)
    let file = top.appendingPathComponent("Tests/StoreClientTests/GemStoreTests.swift")
    XCTAssertEqual(shown, try String(contentsOf: file, encoding: .utf8))
  }
}
