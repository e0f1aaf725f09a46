import GemLedger
import XCTest

final class HexFormTests: XCTestCase {
  func testReadsWhatItWrites() {
    for (high, low) in [
      (UInt64(0), UInt64(0)), (.max, .max), (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210), (1, 1 << 63),
    ] {
      let text = HexForm.uuid(high: high, low: low)
      XCTAssertEqual(HexForm.parseUUID(text)?.high, high, text)
      XCTAssertEqual(HexForm.parseUUID(text)?.low, low, text)
    }
    XCTAssertEqual(HexForm.uuid(high: 0x019A_A3F2_6C1E_7000, low: 0x8000_0000_0A51_C7E4), Self.example)
  }

  /// Every other byte at every place is refused, so that the form and the sixteen bytes stand for each other.
  func testRefusesEverythingElse() {
    for position in 0..<36 {
      for byte in UInt8(1)...127 {
        var bytes = Array(Self.example.utf8)
        bytes[position] = byte
        let isHyphen = [8, 13, 18, 23].contains(position)
        let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        let parsed = HexForm.parseUUID(String(decoding: bytes, as: UTF8.self))
        XCTAssertEqual(parsed != nil, isHyphen ? byte == 0x2D : isDigit, "\(byte) at \(position)")
      }
    }
    for text in ["", String(Self.example.dropLast()), Self.example + "0", Self.example.uppercased()] {
      XCTAssertNil(HexForm.parseUUID(text), text)
    }
  }

  private static let example = "019aa3f2-6c1e-7000-8000-00000a51c7e4"
}
