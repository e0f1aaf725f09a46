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
      (#line, "2026-11-30T20:30:00.25-0330", 1_796_083_200_250),
      (#line, "2026-12-01T00:00:00.000999999+00:00", 1_796_083_200_000),
      (#line, "2024-02-29T23:59:59.9Z", 1_709_251_199_900), (#line, "0000-01-01T00:00:00Z", -62_167_219_200_000),
    ]
    for row in rows { XCTAssertEqual(Timestamp(row.text)?.milliseconds, row.milliseconds, line: row.line) }
    for text in ["", "2026-12-01", "tomorrow", "2026-13-01T00:00:00Z"] { XCTAssertNil(Timestamp(text), text) }
  }

  func testRefusesDaysAndTimesThatDoNotExist() {
    let texts = [
      "2026-11-21T25:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T09:30:60Z",
      "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-10T00:00:00Z",
      "2026-01-00T00:00:00Z", "2026-11-21T09:30:00", "2026-11-21T09:30Z", "2026-11-21 09:30:00Z",
      "2026-11-21T09:30:00.Z", "2026-11-21T09:30:00Z ", "2026-11-21T09:30:00+24:00", "2026-11-21T09:30:00+01:60",
      "2026-11-21T09:30:00ZZ", "20261121T093000Z", "+2026-11-21T09:30:00Z", "+999999999-01-01T00:00:00Z",
      "２０２６-11-21T09:30:00Z",
    ]
    for text in texts { XCTAssertNil(Timestamp(text), text) }
  }

  func testTheFirstAndTheLastInstantRoundTrip() {
    for milliseconds in [Int64.min, .min + 1, -62_167_219_200_001, 253_402_300_800_000, .max - 1, .max] {
      let timestamp = Timestamp(milliseconds: milliseconds)
      XCTAssertEqual(Timestamp(timestamp.description), timestamp, timestamp.description)
    }
    XCTAssertEqual(Timestamp(milliseconds: 253_402_300_800_000).description, "+010000-01-01T00:00:00.000Z")
    XCTAssertEqual(Timestamp(milliseconds: 31_494_784_780_800_000).description, "+1000000-01-01T00:00:00.000Z")
    XCTAssertEqual(Timestamp(milliseconds: -62_167_219_200_001).description, "-000001-12-31T23:59:59.999Z")
  }

  func testArithmeticStopsAtTheEnds() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    XCTAssertEqual(last.advanced(milliseconds: 1), last)
    XCTAssertEqual(first.advanced(milliseconds: -1), first)
    XCTAssertEqual(first.before, first)
    XCTAssertEqual(last.after, last)
    XCTAssertEqual(first.advanced(by: .seconds(1)).milliseconds, .min + 1000)
    XCTAssertEqual(last.milliseconds(since: first), .max)
    XCTAssertEqual(first.milliseconds(since: last), .min)
    XCTAssertEqual((Duration.seconds(Int64.max) * 10).wholeMilliseconds, .max)
    XCTAssertEqual((Duration.seconds(Int64.min) * 10).wholeMilliseconds, .min)
    XCTAssertEqual(Duration.milliseconds(-1500).wholeMilliseconds, -1500)
  }
}
