import GemTestSupport
import XCTest

@testable import GemLedger

final class IdentifierTests: XCTestCase {
  func testLengths() {
    let rows: [(line: UInt, text: String, isValid: Bool)] = [
      (#line, "", false), (#line, "a", true), (#line, " ", true),
      (#line, String(repeating: "a", count: 1500), true), (#line, String(repeating: "a", count: 1501), false),
      (#line, String(repeating: "é", count: 750), true), (#line, String(repeating: "é", count: 751), false),
      (#line, String(repeating: "a", count: 1_000_000), false),
    ]
    for row in rows {
      assertOutcome(row.isValid ? nil : .invalidIdentifier, line: row.line) { _ = try CustomerID(row.text) }
    }
  }

  func testControlCharactersAreRefused() throws {
    for code in (0...0x24F as ClosedRange<UInt32>) {
      let scalar = try XCTUnwrap(Unicode.Scalar(code))
      let isControl = code < 0x20 || (0x7F...0x9F).contains(code)
      for text in ["\(Character(scalar))", "a\(Character(scalar))", "a\(Character(scalar))b"] {
        assertOutcome(isControl ? .invalidIdentifier : nil) { _ = try CustomerID(text) }
      }
    }
  }

  func testSpellingsStayApart() throws {
    let (composed, decomposed) = (try CustomerID("caf\u{E9}"), try CustomerID("cafe\u{301}"))
    XCTAssertEqual(composed.text, decomposed.text)
    XCTAssertNotEqual(composed, decomposed)
    XCTAssertEqual(Set([composed, decomposed]).count, 2)
    XCTAssertLessThan(decomposed, composed)
    XCTAssertEqual(composed, try CustomerID("caf\u{E9}"))
  }

  func testTimeOrderedKeysSort() {
    var generator = SeededRandom()
    var keys: [IdempotencyKey] = []
    for milliseconds in [0, 1, 255, 256, 65_535, 65_536, 1_767_225_600_000, 1_767_225_600_001, 1 << 47, 1 << 48 - 1]
      as [Int64]
    {
      keys.append(.timeOrdered(at: Timestamp(milliseconds: milliseconds), using: &generator))
    }
    XCTAssertEqual(keys, keys.sorted())
    for key in keys {
      XCTAssertEqual(key.text.utf8.count, 36)
      XCTAssertEqual(Array(key.text)[14], "7")
      XCTAssertTrue("89ab".contains(Array(key.text)[19]), key.text)
      XCTAssertNotNil(HexForm.parseUUID(key.text))
    }
    for instant in [Int64.min, -1, .max] {
      XCTAssertEqual(IdempotencyKey.timeOrdered(at: Timestamp(milliseconds: instant)).text.utf8.count, 36)
    }
  }

  func testTransactionIDs() throws {
    let maker = TransactionIDMaker(salt: 42)
    let instant = Timestamp(milliseconds: 1_767_225_600_000)
    var ids: [TransactionID] = []
    for number in [1, 2, 4095, 4096, 1 << 42 - 1, 1 << 42, RowBounds.transaction] as [Int64] {
      let id = maker.id(number: number, createdAt: instant)
      XCTAssertEqual(maker.number(of: id), number)
      XCTAssertEqual(try TransactionID(id.description), id)
      XCTAssertNil(TransactionIDMaker(salt: 43).number(of: id))
      ids.append(id)
    }
    XCTAssertEqual(ids, ids.sorted())
    XCTAssertEqual(ids.map(\.description), ids.map(\.description).sorted())
    let later = maker.id(number: 1, createdAt: Timestamp(milliseconds: instant.milliseconds + 1))
    XCTAssertGreaterThan(later, try XCTUnwrap(ids.last))
    let text = ids[0].description
    for wrong in ["", "x", text.uppercased(), text + "0", String(text.dropLast()), text.replacing("-", with: "_")] {
      assertRefused(.invalidIdentifier) { try TransactionID(wrong) }
    }
  }

  func testCursorsOfOthersAreRefused() throws {
    let cursor = PageCursor(position: 1234, list: 7, salt: 1)
    XCTAssertEqual(try PageCursor(cursor.description).position(list: 7, salt: 1), 1234)
    for (list, salt) in [(8, 1), (-1, 1), (7, 2)] as [(Int64, UInt64)] {
      assertRefused(.invalidRequest) { try cursor.position(list: list, salt: salt) }
    }
    var generator = SeededRandom()
    for _ in 0..<2000 {
      var bytes = Array(cursor.description.utf8)
      let index = generator.below(bytes.count)
      let replaced = generator.one(of: Array("0123456789abcdefABCDEF+- g".utf8))
      guard bytes[index] != replaced else { continue }
      bytes[index] = replaced
      assertRefused(.invalidRequest) {
        try PageCursor(String(decoding: bytes, as: UTF8.self)).position(list: 7, salt: 1)
      }
    }
  }

  func testCurrencyCodesOrderAsBytes() throws {
    var generator = SeededRandom()
    let letters = Array("0129AMZ_amz")
    var texts = Set(["0", "9", "A", "Z", "_", "a", "z", "AA", "A0", "A_", "Aa", "zzzzzzzzzz", "0000000000"])
    for _ in 0..<500 { texts.insert(String((0...generator.below(10)).map { _ in generator.one(of: letters) })) }
    let codes = try texts.map { try CurrencyCode($0) }
    XCTAssertEqual(Set(codes).count, texts.count)
    XCTAssertEqual(
      codes.sorted().map(\.description), texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for text in ["", "A-B", "GEM ", "É", "ABCDEFGHIJK", "a.b", "\u{FF21}", "A\0"] {
      assertRefused(.invalidIdentifier) { try CurrencyCode(text) }
      XCTAssertNil(CurrencyCode(exactly: text))
    }
  }

  func testTextsCompareByTheirBytes() {
    XCTAssertTrue("".hasBytes(of: ""))
    XCTAssertFalse("caf\u{e9}".hasBytes(of: "cafe\u{301}"))
    for count in 1..<40 {
      let bytes = [UInt8](repeating: 0x61, count: count)
      let text = String(decoding: bytes, as: UTF8.self)
      XCTAssertTrue(text.hasBytes(of: String(decoding: bytes, as: UTF8.self)))
      XCTAssertFalse(text.hasBytes(of: text + "a"))
      for position in 0..<count {
        var other = bytes
        other[position] = 0x62
        XCTAssertFalse(text.hasBytes(of: String(decoding: other, as: UTF8.self)), "\(count) \(position)")
      }
    }
  }
}
