import Foundation
import XCTest

/// A reader who starts at the README reaches every page by links that a viewer of repositories follows.
///
/// Such a viewer shows the links of DocC, `<doc:Page>`, as text.
final class PageLinkTests: XCTestCase {
  func testEveryPageIsReachedFromTheReadme() throws {
    var reached: Set<String> = []
    var waiting = ["README.md"]
    while let page = waiting.popLast() {
      guard reached.insert(page).inserted else { continue }
      waiting += try links(of: page).filter { $0.hasSuffix(".md") }
    }
    XCTAssertEqual(try PageFiles.all().filter { !reached.contains($0) }, [])
  }

  func testEveryLinkLeadsToAFile() throws {
    for page in try PageFiles.all() {
      for link in try links(of: page) {
        let file = PageFiles.top.appending(path: link)
        XCTAssertTrue(FileManager.default.fileExists(atPath: file.path), "\(page): there is no \(link)")
      }
    }
  }

  /// The index names a page by its title.
  func testTheIndexHasTheTitles() throws {
    var count = 0
    for line in try PageFiles.lines(of: "Documentation.md") {
      guard let row = line.firstMatch(of: /^\| \[([^\]]+)\]\(([^)]+)\) \| .+ \|$/) else { continue }
      let title = try XCTUnwrap(PageFiles.lines(of: String(row.2)).first).dropFirst(2).filter { $0 != "`" }
      XCTAssertEqual(String(row.1), title.split(separator: "/").last.map(String.init), String(row.2))
      count += 1
    }
    XCTAssertGreaterThan(count, 50)
  }

  /// Returns the targets of relative links outside blocks of code, as paths from the top.
  private func links(of page: String) throws -> [String] {
    var (found, isCode): ([String], Bool) = ([], false)
    let folder = PageFiles.top.appending(path: page).deletingLastPathComponent()
    for line in try PageFiles.lines(of: page) {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode else { continue }
      for link in line.matches(of: /\]\(([^):#\s]+)(#[^)]*)?\)/) {
        let path = folder.appending(path: String(link.1)).standardizedFileURL.path
        let top = PageFiles.top.standardizedFileURL.path
        XCTAssertTrue(path.hasPrefix(top), "\(page): \(link.1)")
        found.append(String(path.dropFirst(top.count).drop { $0 == "/" }))
      }
    }
    return found
  }
}
