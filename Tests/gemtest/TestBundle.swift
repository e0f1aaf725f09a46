import Foundation

/// A test method, as `swift test --filter` names it: `Module.Class/method`.
struct TestName: Hashable, Comparable, CustomStringConvertible {
  let module: String
  let className: String
  let method: String

  init(module: String, className: String, method: String) {
    self.module = module
    self.className = className
    self.method = method
  }

  init?(_ text: some StringProtocol) {
    guard let match = String(text).wholeMatch(of: /(\w+)\.(\w+)\/(\w+)/) else { return nil }
    self.init(module: String(match.1), className: String(match.2), method: String(match.3))
  }

  var qualifiedClass: String { "\(module).\(className)" }
  var description: String { "\(module).\(className)/\(method)" }

  static func < (first: TestName, second: TestName) -> Bool { first.description < second.description }
}

/// The built tests of the package.
struct TestBundle {
  let path: String

  /// Every test of the bundle, in order of their names.
  func tests() throws -> [TestName] {
    let process = Process()
    #if os(macOS)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "test", "list", "--skip-build"]
    #else
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--list-tests"]
    #endif
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let tests = text.split(separator: "\n").compactMap { TestName($0) }.sorted()
    // "Listing 2133 tests in debug.xctest:"; on macOS there is no such line.
    let count = text.firstMatch(of: /Listing (\d+) tests?/).flatMap { Int($0.1) } ?? tests.count
    guard process.terminationStatus == 0, count == tests.count, Set(tests).count == count else {
      throw Options.Problem("the bundle lists \(count) tests, of which \(tests.count) have a name that can be read")
    }
    return tests
  }

  /// A process that runs the tests, and is not started yet.
  func process(running tests: [TestName]) -> Process {
    let process = Process()
    let names = tests.map(\.description).joined(separator: ",")
    #if os(macOS)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/xcrun")
    process.arguments = ["xctest", "-XCTest", names, path]
    #else
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [names]
    #endif
    return process
  }
}
