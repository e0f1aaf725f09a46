import GemLedger
import GemTestSupport
import XCTest

final class JSONWriterTests: XCTestCase {
  func testWritesWithoutSpace() {
    let value: JSONValue = [
      "b": [1, -2, nil, true, .number("1.50"), .integer(.min), .integer(.max), 0], "a": ["x": [:], "y": []],
    ]
    XCTAssertEqual(
      value.text(),
      #"{"b":[1,-2,null,true,1.50,-9223372036854775808,9223372036854775807,0],"a":{"x":{},"y":[]}}"#)
  }

  func testWritesPretty() {
    let value: JSONValue = ["a": [1, 2], "b": [:], "c": ["d": "e"]]
    let text = """
      {
        "a": [
          1,
          2
        ],
        "b": {},
        "c": {
          "d": "e"
        }
      }
      """
    XCTAssertEqual(value.text(.pretty), text)
  }

  func testEscapesOnlyWhatItMust() {
    let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é😀\u{2028}\u{2029}"
    XCTAssertEqual(
      JSONValue.string(text).text(), #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7f}é😀\u{2028}\u{2029}\"")
  }

  func testEveryScalarRoundTrips() throws {
    let scalars = (0..<0x3000).compactMap(Unicode.Scalar.init) + ["\u{fffd}", "\u{ffff}", "\u{10000}", "\u{10ffff}"]
    let value = JSONValue.array(scalars.map { .string(String($0)) })
    XCTAssertEqual(try JSONValue.parse(value.text()), value)
    XCTAssertEqual(try JSONValue.parse(value.text(.pretty)), value)
  }

  /// Texts are read and written eight bytes at a time; a character to escape may stand at any of the eight positions.
  func testEscapesAtEveryPlaceOfAText() throws {
    let escapes = ["\"": #"\""#, "\\": #"\\"#, "\n": #"\n"#, "\u{1}": #"\u0001"#, "\u{1f}": #"\u001f"#]
    let plain = ["a", " ", "!", "#", "[", "]", "\u{7f}", "é", "\u{20}", "💎"]
    for count in 0..<20 {
      for position in 0...count {
        for (character, escape) in escapes {
          let (before, after) = (
            String(repeating: "x", count: position), String(repeating: "y", count: count - position)
          )
          let value = JSONValue.string(before + character + after)
          XCTAssertEqual(value.text(), "\"\(before)\(escape)\(after)\"")
          XCTAssertEqual(try JSONValue.parse(value.text()), value)
        }
      }
    }
    var generator = SeededRandom()
    for _ in 0..<2_000 {
      let parts = (0..<generator.below(30)).map { _ in
        generator.percent(90) ? generator.one(of: plain) : generator.one(of: escapes.keys.sorted())
      }
      let value = JSONValue.string(parts.joined())
      XCTAssertEqual(value.text(), "\"" + parts.map { escapes[$0] ?? $0 }.joined() + "\"")
      XCTAssertEqual(try JSONValue.parse(value.text()), value)
    }
  }

  func testWritesAValueAmongTokens() {
    var writer = JSONWriter(capacity: 1)
    writer.beginObject()
    writer.name("data")
    writer.value(["a": JSONValue(nil as String?), "b": JSONValue("x")])
    writer.text("text", nil)
    writer.text("text", "\"")
    writer.bool("no", false)
    writer.name("list")
    writer.beginList()
    writer.plain("p")
    writer.json("{}")
    writer.beginList()
    writer.endList()
    writer.endList()
    writer.integer("number", -7)
    writer.endObject()
    XCTAssertEqual(
      writer.string, #"{"data":{"a":null,"b":"x"},"text":"\"","no":false,"list":["p",{},[]],"number":-7}"#)
    XCTAssertEqual(writer.bytes, Array(writer.string.utf8))
  }

  func testEscapesWhatDrivesATerminal() {
    let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}\u{80}\u{9f}\u{a0}é💎\u{2028}"
    XCTAssertEqual(
      JSONValue.object([text: 1]).text(.terminal),
      #"{"\"\\/\u0008\u000c\n\r\t\u0000\u001f\u007f\u0080\u009f"# + "\u{a0}é💎\u{2028}\":1}")
  }

  func testObjectsKeepTheirOrder() {
    var object: JSONObject = ["b": 1, "a": 2]
    object["c"] = 3
    object["b"] = 4
    object["a"] = nil
    XCTAssertEqual(object, ["b": 4, "c": 3])
    XCTAssertNotEqual(object, ["c": 3, "b": 4])
    XCTAssertNil(object["a"])
  }

  func testPathsQuoteUnusualNames() {
    let path = JSONPath.root / "products"
    XCTAssertEqual((path[2] / "prices" / "USA").description, "$.products[2].prices.USA")
    XCTAssertEqual((path / "na me" / "" / "it's\\").description, #"$.products['na me']['']['it\'s\\']"#)
  }
}
