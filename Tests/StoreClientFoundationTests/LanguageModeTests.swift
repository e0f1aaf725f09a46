import Foundation
import XCTest

/// An app's code compiles in every language mode, with and without the features that new projects turn on.
///
/// The compiler checks the sources against the modules that these tests were built with, which takes no build.
final class LanguageModeTests: XCTestCase {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "PageSnippets")

  private static func features(_ names: String...) -> [String] {
    names.flatMap { ["-enable-upcoming-feature", $0] }
  }

  private static let modes: [(name: String, flags: [String])] = [
    ("Swift 5", ["-swift-version", "5"]),
    ("Swift 5, checked as Swift 6", ["-swift-version", "5", "-strict-concurrency=complete"]),
    ("Swift 5, member imports", ["-swift-version", "5"] + features("MemberImportVisibility")),
    ("Swift 6", ["-swift-version", "6"]),
    ("Swift 6, member imports", ["-swift-version", "6"] + features("MemberImportVisibility", "ExistentialAny")),
    (
      "a new project, Swift 5",
      ["-swift-version", "5", "-default-isolation", "MainActor"]
        + features("NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility")
    ),
    (
      "a new project, Swift 6",
      ["-swift-version", "6", "-default-isolation", "MainActor"]
        + features("NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility")
    ),
  ]

  func testEverydayCodeCompilesWithoutAWarningInEveryMode() throws {
    for mode in Self.modes {
      let complaints = try check(["EverydayApp.swift", "StandIns/Observation.swift"], mode.flags)
      XCTAssertEqual(complaints, "", mode.name)
    }
  }

  /// The pages' snippets stand in a module in Swift 5 mode; they are code of Swift 6 as well.
  func testTheSnippetsCompileInSwift6() throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".swift") }
    XCTAssertGreaterThan(names.count, 8)
    for flags in [["-swift-version", "6"], ["-swift-version", "6"] + Self.features("MemberImportVisibility")] {
      XCTAssertEqual(try check(names.sorted(), flags + ["-suppress-warnings"]), "", "\(flags)")
    }
  }

  /// A test of an app looks at the books too: the names of both modules are told apart.
  func testTheImportsOfTestsAreNotAmbiguous() throws {
    let names = "func see(_: Offering, _: Package, _: Configuration, _: Offerings, _: CatalogOffering, _: Product) {}\n"
    for imports in [
      "import GemLedger\nimport StoreClientFoundation\n",
      "import GemLedger\nimport SimulatedStores\nimport StoreBackend\nimport StoreClientFoundation\n",
      "import GemLedger\nimport SimulatedStoreKit\nimport StoreClientFoundation\n"
        + "import struct SimulatedStoreKit.Product\n",
    ] {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data((imports + names).utf8).write(to: file)
      XCTAssertEqual(try check([file.path], ["-swift-version", "6"]), "", imports)
    }
  }

  func testTheCoreIsOneImportInEveryMode() throws {
    for mode in Self.modes {
      let complaints = try check(["OneImport.swift"], mode.flags)
      XCTAssertEqual(complaints, "", mode.name)
    }
  }

  /// A check that finds nothing would say nothing of the modes.
  func testAMistakeIsFound() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    let mistake = "import StoreClientFoundation\nfunc f() async { _ = await Purchases.shared.noSuchCall() }\n"
    try Data(mistake.utf8).write(to: file)
    XCTAssertTrue(try check([file.path], ["-swift-version", "6"]).contains("no member 'noSuchCall'"))
  }

  /// Returns the compiler's errors and warnings.
  private func check(_ files: [String], _ flags: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let paths = files.map { $0.hasPrefix("/") ? $0 : Self.folder.appending(path: $0).path }
    process.arguments =
      ["swiftc", "-typecheck", "-module-name", "App", "-I", try Self.modules().path] + Self.platform + flags + paths
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    do { try process.run() } catch { throw XCTSkip("there is no compiler: \(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus == 0, !text.contains("error:"), text)
    return text
  }

  /// The modules beside the bundle of the tests.
  private static func modules() throws -> URL {
    let bundle = Bundle(for: LanguageModeTests.self).bundleURL
    let places = [bundle, bundle.deletingLastPathComponent()].map { $0.appending(path: "Modules") }
    guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
      throw XCTSkip("no modules beside \(bundle.path)")
    }
    return found
  }

  #if os(macOS)
  private static let platform = ["-target", "arm64-apple-macosx15.0"]
  #else
  private static let platform: [String] = []
  #endif
}
