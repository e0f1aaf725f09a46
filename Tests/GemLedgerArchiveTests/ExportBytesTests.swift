import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

/// Lines are written by other code than JSON elsewhere is, and come to the same.
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
}
