import GemLedger
import XCTest

final class TimestampTests: XCTestCase {
  func testEveryMillisecondRoundTripsThroughItsText() {
    for base in [0, 951_782_400_000, 1_796_083_200_000, 4_102_444_800_000, -1_000_000] as [Int64] {
      for milliseconds in base..<base + 1000 {
        let timestamp = Timestamp(milliseconds: milliseconds)
        XCTAssertEqual(Timestamp(timestamp.description), timestamp)
      }
    }
  }

  func testWritesMillisecondsInUTC() {
    let rows: [(line: UInt, milliseconds: Int64, text: String)] = [
      (#line, 0, "1970-01-01T00:00:00.000Z"),
      (#line, -1, "1969-12-31T23:59:59.999Z"),
      (#line, 1_796_083_200_004, "2026-12-01T00:00:00.004Z"),
      (#line, 951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (#line, 951_782_400_070, "2000-02-29T00:00:00.070Z"),
    ]
    for row in rows {
      XCTAssertEqual(Timestamp(milliseconds: row.milliseconds).description, row.text, line: row.line)
    }
  }

  func testReadsZonesAndFractions() {
    let rows: [(line: UInt, text: String, milliseconds: Int64)] = [
      (#line, "2026-12-01T00:00:00Z", 1_796_083_200_000),
      (#line, "2026-12-01T01:00:00+01:00", 1_796_083_200_000),
      (#line, "2026-12-01T00:00:00.250Z", 1_796_083_200_250),
    ]
    for row in rows { XCTAssertEqual(Timestamp(row.text)?.milliseconds, row.milliseconds, line: row.line) }
    for text in ["", "2026-12-01", "tomorrow", "2026-13-01T00:00:00Z"] { XCTAssertNil(Timestamp(text), text) }
  }
}
