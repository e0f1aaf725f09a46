import GemLedger
import GemTestSupport
import XCTest

final class JSONParserTests: XCTestCase {
  func testReadsEveryKindOfValue() throws {
    let rows: [(line: UInt, text: String, value: JSONValue)] = [
      (#line, "null", .null),
      (#line, " \t\r\n true ", true),
      (#line, "false", false),
      (#line, "0", 0),
      (#line, "-17", -17),
      (#line, "9223372036854775807", .integer(.max)),
      (#line, "-9223372036854775808", .integer(.min)),
      (#line, "9223372036854775808", .number("9223372036854775808")),
      (#line, "-9223372036854775809", .number("-9223372036854775809")),
      (#line, "99999999999999999999", .number("99999999999999999999")),
      (#line, "-0", .number("-0")),
      (#line, "1.0", .number("1.0")),
      (#line, "1e3", .number("1e3")),
      (#line, "-1.25E-7", .number("-1.25E-7")),
      (#line, "1E+400", .number("1E+400")),
      (#line, "9007199254740993.0", .number("9007199254740993.0")),
      (#line, #""""#, ""),
      (#line, #""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
      (#line, #""\u00e9\u20AC\uD83D\uDE00é€😀""#, "é€😀é€😀"),
      (#line, #""\u0000\u2028""#, "\u{0}\u{2028}"),
      (#line, "\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"),
      (#line, "[]", []),
      (#line, "[ ]", []),
      (#line, "[1,[2],{}]", [1, [2], [:]]),
      (#line, #"{"b":1,"a":{"c":[true]}}"#, ["b": 1, "a": ["c": [true]]]),
      (#line, #"{"":0}"#, ["": 0]),
    ]
    for row in rows { XCTAssertEqual(try JSONValue.parse(row.text), row.value, line: row.line) }
  }

  func testRefusesWhatIsNotStrictJSON() {
    let rows: [(line: UInt, text: String)] = [
      (#line, ""), (#line, "   "), (#line, "nul"), (#line, "True"), (#line, "NaN"), (#line, "Infinity"),
      (#line, "01"), (#line, "-01"), (#line, "00"), (#line, "-"), (#line, "+1"), (#line, ".5"), (#line, "1."),
      (#line, "1e"), (#line, "1e+"), (#line, "0x10"), (#line, "１２"), (#line, "5 6"), (#line, "{} x"),
      (#line, "[1,]"), (#line, "[,1]"), (#line, "[1 2]"), (#line, "["), (#line, "[1"), (#line, "]"),
      (#line, #"{"a":1,}"#), (#line, #"{"a" 1}"#), (#line, #"{"a":}"#), (#line, "{a:1}"), (#line, #"{"a":1"#),
      (#line, "{1:2}"), (#line, #"{'a':1}"#), (#line, "// note\n1"), (#line, "\u{feff}1"), (#line, "1\u{0}"),
      (#line, "\u{a0}1"), (#line, #""abc"#), (#line, "\"a\nb\""), (#line, "\"a\u{0}b\""), (#line, "\"\u{1f}\""),
      (#line, #""\x""#), (#line, #""\u12""#), (#line, #""\u12G4""#), (#line, #""\"#), (#line, #""\uD83D""#),
      (#line, #""\uDE00""#), (#line, #""\uD83D\u0041""#), (#line, #""\uD83D\uD83D""#), (#line, #""\uD83Dx""#),
      (#line, #"{"GEM":1,"GEM":-5}"#), (#line, #"{"a":1,"\u0061":2}"#), (#line, #"{"\u0000":1}"#),
      (#line, #"{"GEM\u0000":1}"#), (#line, #"{"a":{"b":1,"b":1}}"#),
    ]
    for row in rows { XCTAssertThrowsError(try JSONValue.parse(row.text), row.text, line: row.line) }
  }

  func testComparesNamesByBytes() throws {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    let value = try JSONValue.parse("{\"\(composed)\":1,\"\(decomposed)\":2}")
    XCTAssertEqual(value[composed], 1)
    XCTAssertEqual(value[decomposed], 2)
    XCTAssertNotEqual(JSONValue.string(composed), .string(decomposed))
    XCTAssertEqual(Set([JSONValue.string(composed), .string(decomposed)]).count, 2)
  }

  func testRefusesInvalidUTF8() {
    let rows: [(line: UInt, bytes: [UInt8])] = [
      (#line, [0x61, 0xFF]), (#line, [0x61, 0xFE]), (#line, [0xC3]), (#line, [0xC0, 0x80]),
      (#line, [0xED, 0xA0, 0x80]), (#line, [0xF4, 0x90, 0x80, 0x80]), (#line, [0x80]),
      (#line, [0xE2, 0x82] + Array(#"\u0041"#.utf8)), (#line, Array(#"\u00e9"#.utf8) + [0xA9]),
    ]
    for row in rows {
      XCTAssertThrowsError(try JSONValue.parse([0x22] + row.bytes + [0x22]), line: row.line)
      XCTAssertThrowsError(try JSONValue.parse(row.bytes), line: row.line)
    }
    XCTAssertThrowsError(try JSONValue.parse([0xEF, 0xBB, 0xBF, 0x31]))
  }

  func testBoundsNesting() throws {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    XCTAssertNoThrow(try JSONValue.parse(deepest))
    XCTAssertThrowsError(try JSONValue.parse("[\(deepest)]"))
    XCTAssertThrowsError(try JSONValue.parse(String(repeating: "[", count: 1_000_000)))
    XCTAssertThrowsError(try JSONValue.parse(String(repeating: #"{"a":"#, count: 1_000_000)))
  }

  func testFindsDuplicatesInLargeObjects() throws {
    let names = (0..<50_000).map { "\"n\($0)\":0" }.joined(separator: ",")
    XCTAssertEqual(try JSONValue.parse("{\(names)}").object?.members.count, 50_000)
    XCTAssertThrowsError(try JSONValue.parse("{\(names),\"n3\":1}"))
    XCTAssertThrowsError(try JSONValue.parse("{\(names),\"n49999\":1}"))
  }

  func testErrorsSayWhere() {
    let rows: [(line: UInt, text: String, path: String, lineNumber: Int, column: Int, offset: Int)] = [
      (#line, "", "$", 1, 1, 0),
      (#line, "{\n  \"a\": [1, 2,\n  x]}", "$.a[2]", 3, 3, 18),
      (#line, #"{"products":[{"prices":{"na me":tru}}]}"#, "$.products[0].prices['na me']", 1, 36, 35),
      (#line, #"{"é😀":01}"#, "$['é😀']", 1, 8, 11),
      (#line, "{\"a\":1,\n\"a\":2}", "$", 2, 1, 8),
    ]
    for row in rows {
      XCTAssertThrowsError(try JSONValue.parse(row.text), line: row.line) { error in
        let error = error as? JSONError
        XCTAssertEqual(error?.path, row.path, line: row.line)
        XCTAssertEqual(error?.line, row.lineNumber, line: row.line)
        XCTAssertEqual(error?.column, row.column, line: row.line)
        XCTAssertEqual(error?.offset, row.offset, line: row.line)
      }
    }
  }

  func testMutatedBytesNeverTrap() throws {
    let original = try Fixture.bytes("gems.json") + Array(#"["\ud83d\ude00",1e5,-12]"#.utf8)
    var mutator = ByteMutator()
    for round in 0..<Tier.current.length(1500, thorough: 10_000) {
      guard let value = try? JSONValue.parse(mutator.mutate(original)) else { continue }  // Most are refused.
      XCTAssertEqual(try JSONValue.parse(value.text()), value, "seed \(mutator.seed), round \(round)")
    }
  }
}
