import GemLedger
import GemTestSupport
import XCTest

/// The tape reads and refuses the same texts as the parser of whole values.
final class JSONTapeTests: XCTestCase {
  private var tape = JSONTape()

  /// Compares the two readings of a text: the value with all its parts, or the error with its position.
  ///
  /// - Returns: Whether both accept it.
  @discardableResult
  private func compare(_ text: [UInt8], line: UInt = #line) -> Bool {
    let expected = Result { () throws(JSONError) in try JSONValue.parse(text) }
    return text.withUnsafeBufferPointer { bytes in
      do throws(JSONError) {
        try tape.read(bytes)
        let value = try expected.get()
        tape.withRoot { compare($0, value, String(decoding: text, as: UTF8.self), line) }
        return true
      } catch {
        guard case .failure(error) = expected else {
          XCTFail("\(error), \(expected): \(String(decoding: text, as: UTF8.self))", line: line)
          return false
        }
        return false
      }
    }
  }

  private func compare(_ node: JSONNode, _ value: JSONValue, _ text: String, _ line: UInt) {
    XCTAssertEqual(node.value, value, text, line: line)
    XCTAssertEqual(node.json, value.text(), text, line: line)
    XCTAssertEqual(node.text, value.text, text, line: line)
    XCTAssertEqual(node.integer, value.integer, text, line: line)
    XCTAssertEqual(node.kind, value.kind, text, line: line)
    XCTAssertEqual(
      [node.isNull, node.isText, node.isObject], [value.isNull, value.text != nil, value.object != nil], text,
      line: line)
    XCTAssertEqual(node.elements?.count, value.array?.count, text, line: line)
    for (element, value) in zip(node.elements.map(Array.init) ?? [], value.array ?? []) {
      compare(element, value, text, line)
    }
    let members = Array(node.members)
    XCTAssertEqual(members.map(\.name.text), (value.object?.members ?? []).map(\.name), text, line: line)
    for (member, own) in zip(members, value.object?.members ?? []) { compare(member.value, own.value, text, line) }
  }

  func testTextsOfEachForm() {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    let manyNames = (0..<70).map { "\"name\($0)\":\($0)" }.joined(separator: ",")
    let rows: [(line: UInt, text: String, isJSON: Bool)] = [
      (#line, "", false), (#line, " ", false), (#line, " null ", true), (#line, "\u{feff}1", false),
      (#line, "-0", true), (#line, "9223372036854775807", true), (#line, "-9223372036854775808", true),
      (#line, "9223372036854775808", true), (#line, "1.50e+7", true), (#line, "01", false), (#line, "1.", false),
      (#line, #"{"a":[1,{"b":"c"}],"d":{}}"#, true), (#line, #"{"a" : [ ] }"#, true), (#line, "[1,]", false),
      (#line, #"["\u00e9\ud83d\ude00é","\/"]"#, true), (#line, #""\ud83d""#, false), (#line, "\"\u{1}\"", false),
      (#line, #"{"a":1,"\u0061":2}"#, false), (#line, #"{"\u0061":1,"b":2}"#, true), (#line, #"{"\u0000":1}"#, false),
      (#line, "{\"caf\u{e9}\":1,\"cafe\u{301}\":2}", true), (#line, #"{"":1,"":2}"#, false),
      (#line, deepest, true), (#line, "[\(deepest)]", false), (#line, "{\(manyNames)}", true),
      (#line, "{\(manyNames),\"name3\":0}", false), (#line, "{\(manyNames),\"\\u006eame69\":0}", false),
      (#line, #"{"a":{"b":[0,tru]}}"#, false),
    ]
    for row in rows {
      XCTAssertEqual(compare(Array(row.text.utf8), line: row.line), row.isJSON, row.text, line: row.line)
    }
  }

  func testInvalidUTF8() {
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82] + Array(#"\u0041"#.utf8)] {
      XCTAssertFalse(compare([0x22] + bytes + [0x22]))
      XCTAssertFalse(compare([0x7B, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D]))
    }
  }

  func testRandomTexts() {
    var generator = SeededRandom()
    let parts = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "\"a\":", "\"b\":", "\"\\u0061\":", "\"é\"", "1", "-2", "0.5",
      "99999999999999999999", "true", "false", "null", " ", "\"", "\\", "x", "\"\\n\"",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      let text = (0...generator.below(9)).map { _ in generator.one(of: parts) }.joined()
      if compare(Array(text.utf8)) { accepted += 1 }
    }
    XCTAssertGreaterThan(accepted, 100)
  }

  /// The lines of an export, and the same lines with damaged, missing and repeated bytes.
  func testDamagedLinesOfAnExport() throws {
    let ledger = Ledger.inMemory(salt: 7)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice \u{e9}\"\\")
    try ledger.creditPurchase(Make.purchase("one"), customer: alice, key: Make.key("k1"))
    try ledger.spend([Make.amount("GEM", 50)], customer: alice, key: Make.key("k2"))
    try ledger.refund(Make.refund("one"))
    var generator = SeededRandom()
    for line in try Exported(ledger).lines {
      let bytes = Array(line.utf8)
      XCTAssertTrue(compare(bytes))
      for _ in 0..<300 {
        var damaged = bytes
        let start = generator.below(bytes.count)
        let end = min(bytes.count, start + 1 + generator.below(30))
        switch generator.below(4) {
        case 0: damaged[start] ^= UInt8(1 + generator.below(255))
        case 1: damaged.removeSubrange(start..<end)
        case 2: damaged.insert(contentsOf: bytes[start..<end], at: generator.below(bytes.count))
        default: damaged.insert(generator.one(of: Array(#"{}[],:"\ 0-"#.utf8)), at: start)
        }
        compare(damaged)
      }
    }
  }
}
