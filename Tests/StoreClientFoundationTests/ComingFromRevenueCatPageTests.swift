import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

/// The page "Coming from RevenueCat, in ten minutes" shows code that is compiled here, and its errors are as it says.
@MainActor
final class ComingFromRevenueCatPageTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  /// Without the imports, which are those of an app; `PageSwiftTests` compiles the blocks with them.
  func testEveryBlockOfThePageIsTestedCode() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let tests = folder.deletingLastPathComponent()
    let page = try lines(
      tests.deletingLastPathComponent().appending(
        path: "Sources/StoreClientFoundation/StoreClientFoundation.docc/ComingFromRevenueCat.md"))
    let shown = Self.blocks(page, from: { $0 == "```swift" }, to: { $0 == "```" })
    var tested: [String] = []
    for folder in [folder, tests.appending(path: "PageSnippets")] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        tested += Self.blocks(
          try lines(folder.appending(path: name)),
          from: { $0.hasPrefix("// ten-minutes: ") && $0 != "// ten-minutes: end" },
          to: { $0 == "// ten-minutes: end" })
      }
    }
    XCTAssertEqual(shown.count, tested.count)
    for block in shown {
      let code = block.split(separator: "\n", omittingEmptySubsequences: false).drop {
        $0.isEmpty || $0.wholeMatch(of: /(@testable )?import \w+/) != nil
      }
      XCTAssertTrue(tested.contains(code.joined(separator: "\n")), "no test holds:\n\(block)")
    }
  }

  private func lines(_ file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
  }

  /// The lines between marks without their common indentation.
  private static func blocks(
    _ lines: [String], from isStart: (String) -> Bool, to isEnd: (String) -> Bool
  ) -> [String] {
    var (blocks, block): ([String], [String]?) = ([], nil)
    for line in lines {
      let mark = line.trimmingCharacters(in: .whitespaces)
      if let open = block {
        guard isEnd(mark) else {
          block = open + [line]
          continue
        }
        let indent = open.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        blocks.append(open.map { String($0.dropFirst(indent)) }.joined(separator: "\n"))
        block = nil
      } else if isStart(mark) {
        block = []
      }
    }
    return blocks
  }

  // MARK: Its errors

  func testErrorsAreCaughtAsThePageShows() async throws {
    let sandbox = try SnippetWorld.open()
    launch()
    let screen = SpendScreen()
    try sandbox.ledger.grant([Adjustment(CurrencyCode("GEM"), 120)], customer: Purchases.shared.customerID)
    var answers = [await screen.spend(tap: "tap-1"), await screen.spend(tap: "")]
    XCTAssertEqual(answers, ["Spent.", "The key is empty."])
    answers = []
    for request in [#"{"GEM": 50}"#, #"{"GEM": 5000}"#, #"{"COIN": "#] {
      answers.append(await screen.spendAsWritten(Data(request.utf8)))
    }
    XCTAssertEqual(answers[0], "Spent.")
    XCTAssertTrue(answers[1].hasPrefix("The key"), "the key is that of another spend: \(answers[1])")
    XCTAssertFalse(answers[2].isEmpty)
    let spent = await screen.spendInAClosure()
    XCTAssertEqual(spent, "spend: GEM -1 to 19")
    let short = await screen.spend(tap: "tap-4")
    XCTAssertEqual(short, "You need more gems for that.")
    sandbox.network.fail(.spend, with: .networkLostBeforeEffect)
    let offline = await screen.spend(tap: "tap-5")
    XCTAssertEqual(offline, "You are offline.")
  }

  /// An error that has lost its type still reads as a sentence.
  func testErrorsReadWellWithoutTheirType() async throws {
    _ = try SnippetWorld.open()
    launch()
    var caught: (any Error)?
    do { try await Purchases.shared.spend(["GEM": 5]) } catch { caught = error }
    let error = try XCTUnwrap(caught)
    let sentence = (error as? LedgerError)?.message ?? ""
    XCTAssertTrue(sentence.contains("GEM"), sentence)
    XCTAssertEqual(error.localizedDescription, sentence)
    XCTAssertEqual("\(error)", "insufficient_balance: \(sentence)")
    XCTAssertEqual((error as NSError).localizedDescription, sentence)
  }
}
