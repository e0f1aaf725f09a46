import Foundation
import XCTest

/// Folders of a module use each other in one direction, except for the pairs that the page *Folders* explains.
final class FolderTests: XCTestCase {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  func testFoldersUseEachOtherInOneDirection() throws {
    let explained = try explainedPairs()
    var found: Set<String> = []
    let sources = Self.top.appendingPathComponent("Sources")
    for module in try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted() {
      let uses = FolderUses(of: try files(in: sources.appendingPathComponent(module)))
      for (pair, places) in uses.pairsInBothDirections {
        let name = "\(module): \(pair)"
        found.insert(name)
        XCTAssertTrue(explained.contains(name), "\(name) use each other; move a type, or explain it:\n\(places)")
      }
    }
    for name in explained.subtracting(found).sorted() {
      XCTFail("The page Folders explains \(name), which do not use each other both ways")
    }
  }

  func testAPairInBothDirectionsIsFound() {
    let base = ["Low/A.swift": "struct A {}", "High/B.swift": "struct B { let a: A }"]
    XCTAssertTrue(FolderUses(of: base).pairsInBothDirections.isEmpty)
    for use in ["extension A { var b: B }", "let b = B()", "func f(_: [B])"] {
      let uses = FolderUses(of: base.merging(["Low/C.swift": use]) { $1 })
      XCTAssertEqual(uses.pairsInBothDirections.map(\.pair), ["High, Low"], use)
    }
    for noUse in ["// of B", "let text = \"a B\"", "let other = Other.B", "let notB = 1"] {
      let uses = FolderUses(of: base.merging(["Low/C.swift": noUse]) { $1 })
      XCTAssertTrue(uses.pairsInBothDirections.isEmpty, noUse)
    }
  }

  /// The pairs of the page's table, as `module: folder, folder`.
  private func explainedPairs() throws -> Set<String> {
    let page = Self.top.appendingPathComponent("Sources/GemLedger/GemLedger.docc/Folders.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let rows = lines.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    var pairs: Set<String> = []
    for row in rows.filter({ $0.count == 4 && $0[0] != "module" }).dropFirst() {
      for other in row[2].components(separatedBy: ", ") {
        pairs.insert("\(row[0]): \([row[1], other].sorted().joined(separator: ", "))")
      }
    }
    return pairs
  }

  /// The texts of a module's Swift files by path.
  private func files(in module: URL) throws -> [String: String] {
    var files: [String: String] = [:]
    let paths = FileManager.default.enumerator(atPath: module.path)
    while let path = paths?.nextObject() as? String {
      guard path.hasSuffix(".swift") else { continue }
      files[path] = try String(contentsOf: module.appendingPathComponent(path), encoding: .utf8)
    }
    return files
  }
}

/// Which folders of a module name types that other folders declare.
private struct FolderUses {
  /// Examples of uses, by the using folder and the used folder.
  private var uses: [String: [String: [String]]] = [:]

  init(of files: [String: String]) {
    var words: [String: (declared: Set<String>, used: Set<String>)] = [:]
    var folders: [String: String] = [:]
    for (path, text) in files where path.contains("/") {
      let own = Self.words(of: text)
      words[path] = own
      for type in own.declared { folders[type] = Self.folder(path) }
    }
    for (path, own) in words {
      let folder = Self.folder(path)
      for type in own.used {
        guard let other = folders[type], other != folder else { continue }
        uses[folder, default: [:]][other, default: []].append("\(path) uses \(type) of \(other)")
      }
    }
  }

  /// The pairs in the order of their names, with the uses of the direction that has fewer.
  var pairsInBothDirections: [(pair: String, places: String)] {
    var pairs: [(pair: String, places: String)] = []
    for (folder, others) in uses {
      for (other, there) in others where folder < other {
        guard let back = uses[other]?[folder] else { continue }
        let fewer = there.count < back.count ? there : back
        pairs.append(("\(folder), \(other)", fewer.sorted().joined(separator: "\n")))
      }
    }
    return pairs.sorted { $0.pair < $1.pair }
  }

  private static func folder(_ path: String) -> String { String(path.prefix { $0 != "/" }) }

  /// The types that a file declares for others, and all words with a capital that are not members of other types.
  ///
  /// Comments and texts do not count.
  private static func words(of text: String) -> (declared: Set<String>, used: Set<String>) {
    var (declared, used): (Set<String>, Set<String>) = ([], [])
    for line in text.split(separator: "\n") {
      let code = code(of: line)
      let isPrivate = code.hasPrefix("private ") || code.hasPrefix("fileprivate ")
      var before: Substring = ""
      for word in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }) {
        defer { before = word }
        // Of a member, only the type before it counts.
        guard let type = word.split(separator: ".").first, word.first != ".", type.first?.isUppercase == true else {
          continue
        }
        if code.first != " ", !isPrivate,
          ["struct", "class", "enum", "actor", "protocol", "typealias"].contains(before)
        {
          declared.insert(String(type))
        }
        used.insert(String(type))
      }
    }
    return (declared, used)
  }

  /// The line without its texts and its comment.
  private static func code(of line: Substring) -> String {
    var (code, isText, last): (String, Bool, Character) = ("", false, " ")
    for character in line {
      if character == "\"", last != "\\" { isText.toggle() }
      if !isText {
        if character == "/", last == "/" { return String(code.dropLast()) }
        code.append(character)
      }
      last = character
    }
    return code
  }
}
