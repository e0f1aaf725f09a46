import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

/// Lines are written and read by other code than JSON elsewhere is, and come to the same.
final class ExportBytesTests: XCTestCase {
  private func written(_ body: (ExportWriter) -> Void) throws -> String {
    var bytes: [UInt8] = []
    let writer = ExportWriter { bytes += $0 }
    writer.begin("line")
    body(writer)
    try writer.end()
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  func testMembersAreWrittenAsJSON() throws {
    let texts = ["", "plain", "quote \" and \\", "line\nfeed", "caf\u{e9} \u{1F48E}", "\u{1}\u{1f}\u{7f}"]
    for text in texts {
      XCTAssertEqual(
        try written { $0.text("text", text) }, JSONValue.object(["type": "line", "text": .string(text)]).text() + "\n")
    }
    for number in [0, 1, -1, 9, 10, -10, 1_234_567_890, .max, .min] as [Int64] {
      XCTAssertEqual(try written { $0.integer("number", number) }, "{\"type\":\"line\",\"number\":\(number)}\n")
    }
    for number in [0, 1, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .max] as [UInt64] {
      XCTAssertEqual(
        try written { $0.hexadecimal("hex", number) },
        "{\"type\":\"line\",\"hex\":\"\(HexForm.hex(number, digits: 16))\"}\n")
    }
    for milliseconds in [0, 1, 999, 1000, 1_790_000_000_123, -1, -1000, -1001] as [Int64] {
      let time = Timestamp(milliseconds: milliseconds)
      XCTAssertEqual(try written { $0.time("at", time) }, "{\"type\":\"line\",\"at\":\"\(time)\"}\n")
    }
    let id = TransactionIDMaker(salt: 5).id(number: 77, createdAt: Timestamp(milliseconds: 1_790_000_000_123))
    XCTAssertEqual(try written { $0.id("id", id) }, "{\"type\":\"line\",\"id\":\"\(id)\"}\n")
  }

  /// The buffer grows where a line is longer than it.
  func testALongLineIsWhole() throws {
    let text = String(repeating: "gem", count: 1_000_000)
    XCTAssertEqual(try written { $0.text("text", text) }, "{\"type\":\"line\",\"text\":\"\(text)\"}\n")
  }

  /// The reader of lines accepts the same texts as the JSON reader, and reads the same values.
  func testLinesAreReadAsJSON() throws {
    let lines = [
      #"{"type":"x","a":[1,-2,[3,{"b":null}],"\u00e9\n"],"c":{},"d":[],"e":true,"f":1.5e-3,"g":-0}"#,
      #" { "a" : 9223372036854775807 , "b" : -9223372036854775808, "c": 92233720368547758070 } "#,
      #"{"a\u0062":"caf\u00c3\ud83d\ude00","c":"café"}"#, "[]", "7", "\"\"", #""a\n\u00e9 \"b""#,
    ]
    for line in lines { try compare(Array(line.utf8)) }
    let refused = [
      "", "{", "{}x", "[1,]", "{\"a\":1,\"a\":2}", "01", "1.", "-", "nul", "\"\u{1}\"", "\"\\x\"", "{a:1}",
    ]
    for line in refused { XCTAssertFalse(try compare(Array(line.utf8)), line) }
    var generator = SeededRandom()
    for _ in 0..<3000 {
      var bytes = Array(generator.one(of: lines).utf8)
      for _ in 0...generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
      try compare(bytes, "seed \(generator.seed)")
    }
  }

  /// - Returns: Whether both take the text.
  @discardableResult
  private func compare(_ bytes: [UInt8], _ message: String = "", line: UInt = #line) throws -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    let tokens = LineTokens()
    let read = Result { () throws(LineFault) in try tokens.read(bytes[...]) }
    switch Result(catching: { () throws(JSONError) in try JSONValue.parse(bytes) }) {
    case .success(let value):
      try read.get()
      XCTAssertEqual(tokens.json(0), value.text(), "\(text) \(message)", line: line)
      XCTAssertEqual(tokens.text(0), value.text, "\(text) \(message)", line: line)
      XCTAssertEqual(tokens.integer(0), value.integer, "\(text) \(message)", line: line)
      return true
    case .failure(let error):
      guard case .failure(let fault) = read else {
        XCTFail("\(text) is taken \(message)", line: line)
        return false
      }
      XCTAssertEqual(fault.message, "\(error.message) (column \(error.column))", message, line: line)
      return false
    }
  }
}
