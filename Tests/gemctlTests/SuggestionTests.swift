import GemLedger
import LedgerCharts
import XCTest

@testable import gemctl

final class SuggestionTests: XCTestCase {
  func testCountsSlips() {
    let rows: [(line: UInt, left: String, right: String, distance: Int)] = [
      (#line, "", "", 0), (#line, "", "abc", 3), (#line, "abc", "", 3), (#line, "buy", "buy", 0),
      (#line, "blance", "balance", 1), (#line, "balnace", "balance", 1), (#line, "spemd", "spend", 1),
      (#line, "ab", "ba", 1), (#line, "ca", "abc", 3), (#line, "kitten", "sitting", 3),
    ]
    for row in rows { XCTAssertEqual(Suggestion.distance(row.left, row.right), row.distance, line: row.line) }
  }

  func testSuggestsTheSecondWordOfAVerbThatAlsoStandsAlone() throws {
    for (words, meant) in [(["clock", "advanc"], "clock advance"), (["queue", "lst"], "queue list")] {
      XCTAssertThrowsError(try Parser.parse(words)) { XCTAssertEqual(($0 as? UsageError)?.suggestion, meant) }
    }
    XCTAssertThrowsError(try Parser.parse(["clock", "xyz"])) { XCTAssertNil(($0 as? UsageError)?.suggestion) }
  }

  func testADayIsPlainDigits() throws {
    let days = try XCTUnwrap(DaysOfZone())
    XCTAssertEqual(days.time("2026-02-03")?.description, "2026-02-03T00:00:00.000Z")
    for text in ["+026-02-03", "-026-02-03", "2026-+2-03", "2026-2-003", "2026-002-3", "02-03-2026", "2026-02-30"] {
      XCTAssertNil(days.time(text), text)
    }
  }

  func testSuggestsTheNearestVerb() {
    let rows: [(line: UInt, word: String, nearest: String?)] = [
      (#line, "blance", "balance"), (#line, "bal", "balance"), (#line, "hsitory", "history"),
      (#line, "comp", "completions"),
      (#line, "grnt", "grant"), (#line, "custmrs", "customers"), (#line, "x", nil),
      (#line, "", nil), (#line, "refund", nil), (#line, "Balance", "balance"), (#line, "bxx", nil), (#line, "hat", nil),
      (#line, String(repeating: "b", count: 10_000), nil),
    ]
    for row in rows {
      XCTAssertEqual(Suggestion.nearest(to: row.word, among: Verb.firstWords()), row.nearest, line: row.line)
    }
  }
}
