import Foundation
import XCTest

/// Every block of Swift on every page compiles as it is printed: nothing is added, and nothing is left out.
///
/// The rules by which a reader puts blocks together:
/// - A block continues the program before it on the page.
/// - A block that begins with an import which that program has already, or with the version of a manifest, begins a
///   new program.
/// - If the line before a block ends with the name of a file, as `Sources/Shop/Shop.swift`:, the block begins that file
///   of the module `Shop`, and a block with imports begins another file, which may import the module.
///
/// The compiler checks the programs against the modules that these tests were built with, which takes no build.
final class PageSwiftTests: XCTestCase {
  #if os(Linux) && Server && PostgreSQL
  func testEveryBlockCompilesAsPrinted() throws {
    var count = 0
    for page in try PageFiles.all() {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for program in try programs(of: page) {
        XCTAssertEqual(try Compiler(folder: folder).complaints(about: program), "", "\(page):\(program.line)")
        count += 1
      }
    }
    XCTAssertGreaterThan(count, 25)
  }

  /// A check that finds nothing would say nothing of the pages.
  func testMistakesAreFound() throws {
    let compiler = Compiler(folder: FileManager.default.temporaryDirectory)
    for (text, complaint) in [
      ("import GemLedger\nlet key = IdempotencyKey.timeOrderly()\n", "no member 'timeOrderly'"),
      ("let key = IdempotencyKey.timeOrdered()\n", "cannot find 'IdempotencyKey'"),
      ("import GemLedger\nlet gem: CurrencyCode\nprint(gem)\n", "used before being initialized"),
      ("// swift-tools-version: 6.1\nimport PackageDescription\nlet package = Package(nme: \"Shop\")\n", "nme"),
    ] {
      let complaints = try compiler.complaints(about: Program(line: 1, text: text))
      XCTAssertTrue(complaints.contains(complaint), complaints)
    }
  }
  #endif

  func testBlocksArePutTogether() throws {
    let page = [
      "```swift", "import A", "```", "Then:", "```swift", "import B", "a()", "```", "Or:", "```swift", "import A",
      "b()", "```", "`Sources/Shop/Shop.swift`:", "", "```swift", "import B", "```",
    ]
    XCTAssertEqual(
      Self.programs(in: page),
      [
        Program(line: 1, text: "import A\nimport B\na()\n"), Program(line: 10, text: "import A\nb()\n"),
        Program(line: 16, module: "Shop", text: "import B\n"),
      ])
  }

  /// The README's program is an executable of this package, byte for byte, and does what its comments say.
  func testTheReadmesProgramRuns() throws {
    let file = PageFiles.top.appending(path: "Tests/ReadmeProgram/main.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let program = try XCTUnwrap(programs(of: "README.md").last)
    XCTAssertEqual(program.text, source)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try Self.run(Self.products().appending(path: "ReadmeProgram"), [], in: folder)
    XCTAssertEqual(run.status, 0, run.output)
    let promised = try XCTUnwrap(source.firstMatch(of: /print\(error\.message\)  \/\/ (.+)/)).1
    XCTAssertEqual(run.output, promised + "\n")
  }

  // MARK: Programs

  private struct Program: Equatable {
    /// The line of the page before its first block.
    let line: Int
    var module: String?
    var text: String
  }

  private func programs(of page: String) throws -> [Program] { Self.programs(in: try PageFiles.lines(of: page)) }

  private static func programs(in lines: [String]) -> [Program] {
    var (programs, start): ([Program], Int?) = ([], nil)
    for (index, line) in lines.enumerated() {
      if line == "```swift" {
        start = index
      } else if line == "```", let opening = start {
        start = nil
        let block = lines[(opening + 1)..<index]
        let text = block.map { $0 + "\n" }.joined()
        let before = lines[..<opening].last { !$0.isEmpty } ?? ""
        let file = before.firstMatch(of: /`\w+\/(\w+)\/\w+\.swift`:$/)
        let imports = text.matches(of: /(?m)^(?:@testable )?import [\w. ]+$/).map { String($0.output) }
        let known = programs.last?.text.components(separatedBy: "\n") ?? []
        let isRepeated = imports.first.map { text.hasPrefix($0) && known.contains($0) } ?? false
        let isNew = programs.isEmpty || isRepeated || file != nil || text.hasPrefix("// swift-tools-version")
        let isOfAnotherFile = programs.last?.module != nil && imports.first.map { text.hasPrefix($0) } == true
        let followsManifest = programs.last?.text.hasPrefix("// swift-tools-version") == true
        if isNew || isOfAnotherFile || followsManifest {
          programs.append(Program(line: opening + 1, module: file.map { String($0.1) }, text: text))
        } else {
          programs[programs.count - 1].text += text
        }
      }
    }
    return programs
  }

  // MARK: Processes

  #if os(Linux) && Server && PostgreSQL
  /// The compiler over the modules of these tests, and those of a page in its folder.
  private struct Compiler {
    let folder: URL

    /// Returns errors and warnings of the whole compiler but its code generator, so of each path through the program.
    func complaints(about program: Program) throws -> String {
      let isManifest = program.text.contains("import PackageDescription")
      let name = program.module == nil ? "main.swift" : "\(UUID().uuidString).swift"
      let file = folder.appending(path: name)
      try Data(program.text.utf8).write(to: file)
      var arguments = ["swiftc", "-swift-version", "6", "-I", folder.path]
      if let module = program.module {
        arguments += ["-module-name", module, "-parse-as-library", "-enable-testing", "-emit-module"]
        arguments.append("-emit-module-path")
        arguments.append(folder.appending(path: "\(module).swiftmodule").path)
      } else {
        arguments += ["-emit-sil", "-o", "/dev/null"]
      }
      if isManifest {
        let version = try XCTUnwrap(program.text.firstMatch(of: /^\/\/ swift-tools-version: ([0-9.]+)\n/)).1
        arguments += ["-I", Self.manifestModules, "-package-description-version", String(version)]
      } else {
        arguments += ["-I", try products().appending(path: "Modules").path]
      }
      for library in ["CSQLite", "CPostgreSQL", "COpenSSL", "CMicroHTTPD", "CCurl"] where !isManifest {
        arguments += ["-I", PageFiles.top.appending(path: "Sources/\(library)").path]
      }
      let run = try PageSwiftTests.run(URL(filePath: "/usr/bin/env"), arguments + [file.path])
      XCTAssertEqual(run.status == 0, !run.output.contains("error:"), run.output)
      return run.output.replacing(file.path, with: name)
    }

    private static let manifestModules: String = {
      let info = (try? run(URL(filePath: "/usr/bin/env"), ["swiftc", "-print-target-info"]))?.output ?? ""
      let resources = info.firstMatch(of: /"runtimeResourcePath": "([^"]+)"/)?.1 ?? ""
      return "\(resources)/pm/ManifestAPI"
    }()
  }
  #endif

  private static func run(
    _ program: URL, _ arguments: [String], in folder: URL? = nil
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// The folder of the built modules and programs, next to the bundle of the tests.
  static func products() throws -> URL {
    let bundle = Bundle(for: PageSwiftTests.self).bundleURL
    let places = [bundle, bundle.deletingLastPathComponent()]
    return try XCTUnwrap(
      places.first { FileManager.default.fileExists(atPath: $0.appending(path: "Modules").path) }, bundle.path)
  }
}
