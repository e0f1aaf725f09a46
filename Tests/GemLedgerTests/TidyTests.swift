import Foundation
import GemLedger
import XCTest

/// Checks of the sources that save work in reviews.
final class TidyTests: XCTestCase {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Functions that were longer when this was written; the list only ever shrinks.
  private static let longFunctions: Set<String> = ["Tests/gemctlTests/HelpPageTests.swift testMainPage"]

  /// How many lines were longer when this was written; the list only ever shrinks.
  private static let longLines: [String: Int] = [
    "Sources/gemctl/Home/BuiltInCatalog.swift": 3,
    "Tests/GemTestSupport/StorageContract.swift": 1,
    "Tests/gemctlTests/LedgerCommandTests.swift": 1,
  ]

  func testNoLineIsTooLong() throws {
    for file in try sources() {
      let long = file.lines.indices.filter { file.lines[$0].utf8.count > 120 && file.lines[$0].count > 120 }
      let known = Self.longLines[file.name] ?? 0
      if long.count > known {
        XCTFail("\(file.name): lines \(long.map { $0 + 1 }) have more than 120 columns; \(known) were known")
      }
    }
  }

  func testNoFunctionIsTooLong() throws {
    for file in try sources() {
      for (name, start, count) in functions(in: file.lines) where count > 70 {
        if Self.longFunctions.contains("\(file.name) \(name)") { continue }
        XCTFail("\(file.name):\(start): \(name) has \(count) lines; the most is 70")
      }
    }
  }

  /// A shortcut past the compiler needs a reason in a comment, on the line before it or on its own.
  func testShortcutsGiveTheirReasons() throws {
    // Put together, so that this file is not found itself.
    let shortcuts = ["try" + "!", "as" + "!", "fatal" + "Error(", "@unchecked" + " Sendable"]
    for file in try sources() where shortcuts.contains(where: file.contains) {
      for (index, line) in file.lines.enumerated() {
        let code = line.trimmingCharacters(in: .whitespaces)
        guard !code.hasPrefix("//"), let found = shortcuts.first(where: { line.contains($0) }) else { continue }
        let before = index > 0 ? file.lines[index - 1].trimmingCharacters(in: .whitespaces) : ""
        XCTAssertTrue(before.hasPrefix("//"), "\(file.name):\(index + 1): \(found) without a comment before it")
      }
    }
  }

  /// A contract's functions run only where ``runAll()`` names them: the runner of tests does not find them.
  func testEveryContractFunctionRuns() throws {
    let contracts = try sources().filter { $0.name.contains("GemTestSupport/") && $0.name.contains("Contract") }
    for file in contracts {
      let contract = file.name.prefix { $0 != "+" && $0 != "." }
      let whole = contracts.filter { $0.name.hasPrefix(contract) }.flatMap(\.lines).joined(separator: "\n")
      for line in file.lines {
        let words = line.split { $0 == " " || $0 == "(" }
        guard let at = words.firstIndex(of: "func"), at + 1 < words.count, words[at + 1].hasPrefix("test") else {
          continue
        }
        XCTAssertTrue(
          whole.contains("run.step(\"\(words[at + 1])\""), "\(file.name): runAll() leaves out \(words[at + 1])")
      }
    }
  }

  func testNothingIsLeftToDo() throws {
    for file in try sources() {
      for word in ["TO" + "DO", "FIX" + "ME", "HA" + "CK:"] where file.contains(word) {
        let index = file.lines.firstIndex { $0.contains(word) } ?? 0
        XCTFail("\(file.name):\(index + 1): \(word)")
      }
    }
  }

  #if os(Linux) && PostgreSQL && Server
  /// A test that the runner does not find is in no tier: one with parameters, or in a class of another kind.
  func testEveryTestIsFound() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--list-tests"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let list = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // A bundle may have some modules only.
    let found = Set(list.split(separator: "\n").map(String.init))
    let modules = Set(found.compactMap { $0.split(separator: ".").first })
    XCTAssertTrue(modules.contains("GemLedgerTests"))
    for file in try sources() {
      let parts = file.name.split(separator: "/")
      guard parts[0] == "Tests", modules.contains(parts[1]) else { continue }
      var isCompiled = true
      var type = ""
      for line in file.lines {
        if let match = line.firstMatch(of: /^(?:\w+ )*(?:class|extension) (\w+)/) { type = String(match.1) }
        if line.hasSuffix("#else") { isCompiled = false } else if line.hasSuffix("#endif") { isCompiled = true }
        guard isCompiled, line.utf8.starts(with: "  func test".utf8) else { continue }
        let method = line.dropFirst("  func ".count).prefix { $0 != "(" && $0 != "<" }
        let name = "\(parts[1]).\(type)/\(method)"
        XCTAssertTrue(found.contains(name), "\(file.name): the runner does not find \(name)")
      }
    }
  }
  #endif

  func testEveryErrorCodeIsDocumented() throws {
    let page = Self.top.appendingPathComponent("Sources/GemLedger/GemLedger.docc/ErrorCodes.md")
    try XCTSkipUnless(FileManager.default.fileExists(atPath: page.path), "the page is not written yet")
    let text = try String(contentsOf: page, encoding: .utf8)
    for kind in ErrorKind.allCases where !text.contains("`\(kind.rawValue)`") {
      XCTFail("\(kind.rawValue) has no row in ErrorCodes.md")
    }
  }

  func testNoStrayFilesAtTheTop() throws {
    let known: Set<String> = [
      ".build", ".ci", ".git", ".github", ".gitignore", ".spi.yml", ".swift-format", ".swiftpm",
      "Documentation.md", "Fixtures", "LICENSE", "Package.resolved", "Package.swift", "Plugins", "README.md", "Sources",
      "Tests",
    ]
    let found = try FileManager.default.contentsOfDirectory(atPath: Self.top.path)
    XCTAssertEqual(found.filter { !known.contains($0) && !$0.hasPrefix(".build") }.sorted(), [])
  }

  // MARK: Reading the sources

  private struct Source {
    let name: String
    let bytes: Data
    let lines: [String]

    /// Much faster in a debug build than by characters.
    func contains(_ word: String) -> Bool { bytes.range(of: Data(word.utf8)) != nil }
  }

  private static let allSources = Result { try readSources() }

  private func sources() throws -> [Source] { try Self.allSources.get() }

  private static func readSources() throws -> [Source] {
    var found: [Source] = []
    for folder in ["Sources", "Tests"] {
      let files = FileManager.default.enumerator(atPath: top.appendingPathComponent(folder).path)
      while let name = files?.nextObject() as? String {
        guard name.hasSuffix(".swift"), !name.contains(".build/") else { continue }
        let path = folder + "/" + name
        let bytes = try Data(contentsOf: top.appendingPathComponent(path))
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n")
        found.append(Source(name: path, bytes: bytes, lines: lines))
      }
    }
    XCTAssertGreaterThan(found.count, 50)
    return found
  }

  /// The formatter puts a function's closing brace under its first word.
  private func functions(in lines: [String]) -> [(name: String, start: Int, count: Int)] {
    var found: [(name: String, start: Int, count: Int)] = []
    for (index, line) in lines.enumerated() {
      // Most lines begin no function; bytes tell faster than characters.
      guard line.utf8.last == UInt8(ascii: "{") || line.utf8.last == UInt8(ascii: "(") else { continue }
      let code = line.drop { $0 == " " }
      guard code.contains("func ") || code.hasPrefix("init"), !code.hasPrefix("//"), !code.hasSuffix("}") else {
        continue
      }
      let indent = String(repeating: " ", count: line.count - code.count)
      let rest = lines[(index + 1)...]
      // A requirement of a protocol has no body.
      let head = code.hasSuffix("(") ? rest.first { $0.hasPrefix(indent + ")") } : line
      guard head?.hasSuffix("{") == true else { continue }
      guard let end = rest.firstIndex(where: { $0 == indent + "}" || $0.isEmpty && rest.isEmpty }) else { continue }
      let name = code.drop { $0 != " " }.prefix { $0 != "(" }
      found.append((name.trimmingCharacters(in: .whitespaces), index + 1, end - index + 1))
    }
    return found
  }
}
