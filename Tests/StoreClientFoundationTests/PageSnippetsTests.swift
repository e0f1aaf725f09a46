import Foundation
import XCTest

/// The compiled snippets are the texts of the pages.
///
/// White space does not count. Imports, the attribute `@main` and marks for the formatter are left out on both sides.
final class PageSnippetsTests: XCTestCase {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  func testTheCompiledTextsAreThoseOfThePages() throws {
    let published = try published()
    let compiled = try compiled()
    XCTAssertEqual(published.count, 22)
    XCTAssertEqual(compiled.keys.sorted(), published.keys.sorted())
    for (name, text) in published { XCTAssertEqual(compiled[name], text, name) }
  }

  /// The table of familiar calls counts the same snippets, page by page.
  func testTheTableCountsTheSnippets() throws {
    let page = try text("Sources/StoreClient/StoreClient.docc/FamiliarCalls.md")
    let pages = [
      "codelab": "RevenueCat's codelab on virtual currencies", "identity": "RevenueCat's page on identifying users",
      "purchases": "AppActor's page on purchases", "two-step": "a two-step SDK's page on purchases",
      "consumables": "a page on consumables with StoreKit 2",
    ]
    let counts = try Dictionary(grouping: published().keys) { name in
      pages.keys.first { name.hasPrefix($0 + "-") } ?? name
    }
    XCTAssertEqual(counts.keys.sorted(), pages.keys.sorted())
    for (name, snippets) in counts {
      let row = "| \(pages[name] ?? name): \(snippets.count) | \(snippets.count)"
      XCTAssertTrue(page.contains(row), "no row \(row)")
    }
  }

  private func published() throws -> [String: String] {
    var (found, name, lines): ([String: String], String?, [String]?) = ([:], nil, nil)
    for line in try text("Fixtures/page-snippets.md").components(separatedBy: "\n") {
      if line.hasPrefix("## ") { name = String(line.dropFirst(3)) }
      if line == "```swift" {
        lines = []
      } else if line == "```", let block = lines, let name {
        found[name] = Self.bare(block)
        lines = nil
      } else {
        lines?.append(line)
      }
    }
    return found
  }

  private func compiled() throws -> [String: String] {
    let mark = "// snippet: "
    var (found, name, lines): ([String: String], String, [String]?) = ([:], "", nil)
    let folder = Self.top.appending(path: "Tests/PageSnippets")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift") {
      for line in try text("Tests/PageSnippets/\(file)").components(separatedBy: "\n") {
        let code = line.trimmingCharacters(in: .whitespaces)
        if code == mark + "end" {
          XCTAssertNil(found[name], "\(name) is there twice")
          found[name] = lines.map(Self.bare)
          lines = nil
        } else if code.hasPrefix(mark) {
          XCTAssertNil(lines, "\(name) has no end")
          (name, lines) = (String(code.dropFirst(mark.count)), [])
        } else {
          lines?.append(line)
        }
      }
    }
    return found
  }

  private static func bare(_ lines: [String]) -> String {
    let kept = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.hasPrefix("import ") && $0 != "@main" && !$0.hasPrefix("// swift-format-ignore")
    }
    return kept.joined().filter { !$0.isWhitespace }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.top.appending(path: path), encoding: .utf8)
  }
}
