import Foundation
import XCTest

/// The recipe "Test your app against a server" of the page about StoreClientHTTP works as printed.
final class ServedShopPageTests: XCTestCase {
  private static let page = "Sources/StoreClientHTTP/StoreClientHTTP.docc/StoreClientHTTP.md"

  func testThePageShowsTheTestThatRuns() throws {
    let page = try PageFiles.lines(of: Self.page).joined(separator: "\n")
    let file = PageFiles.top.appending(path: "Tests/PagesTests/ServedShopTests.swift")
    XCTAssertTrue(page.contains("```swift\n\(try String(contentsOf: file, encoding: .utf8))```"))
  }

  #if os(Linux) && Server && PostgreSQL
  /// The commands of the page, with a port that the system chooses.
  @MainActor
  func testTheRecipeWorks() async throws {
    let lines = try PageFiles.lines(of: Self.page)
    let commands = lines.drop { $0 != "```sh" }.dropFirst().prefix { $0 != "```" }
    XCTAssertEqual(commands.count, 6)
    XCTAssertEqual(commands.last, "SHOP=shop swift test --filter ServedShopTests")
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let catalog = PageFiles.top.appending(path: "Fixtures/gems.json")
    try FileManager.default.copyItem(at: catalog, to: folder.appending(path: "gems.json"))

    let script = commands.dropLast().joined(separator: "\n")
      .replacing("serve --simulate &", with: "serve --simulate --listen 127.0.0.1:0 &")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    let products = try PageSwiftTests.products().path
    process.arguments = ["-euc", "PATH=\"\(products):$PATH\"\n\(script)\necho \"process $!\"\nwait"]
    process.currentDirectoryURL = folder
    process.standardOutput = output
    try process.run()
    defer { process.waitUntilExit() }
    var text = ""
    var server: Int32?
    defer { if let server { kill(server, SIGTERM) } }
    while server == nil || !text.contains("Listening on ") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return XCTFail(text) }
      text += String(decoding: data, as: UTF8.self)
      server = text.firstMatch(of: /process (\d+)\n/).flatMap { Int32($0.1) }
    }
    let url = try XCTUnwrap(text.firstMatch(of: /Listening on (http:\S+)/)).1
    setenv("SHOP", folder.appending(path: "shop").path, 1)
    setenv("SHOP_URL", String(url), 1)
    defer { for name in ["SHOP", "SHOP_URL"] { unsetenv(name) } }
    let test = ServedShopTests(name: "testTheRecipeWorks", testClosure: { _ in })
    try await test.testGemsAreBoughtAndSpentAtTheServer()
  }
  #endif
}
