import Foundation
import XCTest

/// The script of the first steps finds every block of its page, and runs what the page says last.
final class FirstStepsPageTests: XCTestCase {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.top.appendingPathComponent(path), encoding: .utf8)
  }

  func testEveryBlockIsACommandOrNamesItsFile() throws {
    let page = try text("Sources/SimulatedStores/SimulatedStores.docc/FromAnEmptyFolder.md")
    let lines = page.components(separatedBy: "\n")
    var (files, commands): ([String], [String]) = ([], [])
    for (index, line) in lines.enumerated() where line.hasPrefix("```") && line.count > 3 {
      if line == "```sh" { commands.append(lines[index + 1]) }
      if line == "```swift" {
        let before = try XCTUnwrap(lines[..<index].last { !$0.isEmpty })
        let named = try XCTUnwrap(before.firstMatch(of: /`([^`]+\.swift)`:$/), "line \(index + 1)")
        files.append(String(named.1))
      }
    }
    XCTAssertEqual(files, ["Package.swift", "Sources/GemShop/GemShop.swift", "Tests/GemShopTests/GemShopTests.swift"])
    XCTAssertEqual(commands.last, "swift test")
    XCTAssertTrue(try text(".ci/run").contains(".ci/first-steps"))
  }

  /// Compiled by the script alone; the products that it takes are those of this package.
  func testThePagesPackageTakesProductsThatExist() throws {
    let page = try text("Sources/SimulatedStores/SimulatedStores.docc/FromAnEmptyFolder.md")
    let package = try text("Package.swift")
    let products = Set(page.matches(of: /\.product\(name: "(\w+)"/).map { String($0.1) })
    XCTAssertEqual(products, ["GemLedger", "StoreBackend", "StoreClient", "SimulatedStores"])
    let offered = Set(package.matches(of: /\.library\(\s*name: "(\w+)"/).map { String($0.1) })
    XCTAssertTrue(products.isSubset(of: offered), "\(offered)")
  }
}
