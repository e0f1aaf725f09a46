import Foundation

/// The pages of the project: all Markdown files but fixtures.
enum PageFiles {
  static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Paths from the top of the project, sorted.
  static func all() throws -> [String] {
    var found = ["README.md", "Documentation.md"]
    for folder in ["Sources", ".github"] {
      let names = try FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)
      found += names.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    return found.sorted()
  }

  static func lines(of page: String) throws -> [String] {
    try String(contentsOf: top.appending(path: page), encoding: .utf8).components(separatedBy: "\n")
  }
}
