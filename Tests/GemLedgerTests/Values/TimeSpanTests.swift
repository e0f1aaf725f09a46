import GemLedger
import XCTest

final class TimeSpanTests: XCTestCase {
  func testReadsAndWritesTheLargestUnit() {
    let rows: [(line: UInt, text: String, seconds: Int64, written: String)] = [
      (#line, "1s", 1, "1s"), (#line, "90s", 90, "90s"), (#line, "60s", 60, "1m"), (#line, "5m", 300, "5m"),
      (#line, "90m", 5400, "90m"), (#line, "60m", 3600, "1h"), (#line, "1h", 3600, "1h"),
      (#line, "24h", 86_400, "1d"), (#line, "30d", 2_592_000, "30d"), (#line, "86401s", 86_401, "86401s"),
      (#line, "999999999d", 86_399_999_913_600, "999999999d"),
    ]
    for row in rows {
      XCTAssertEqual(TimeSpan(row.text)?.seconds, row.seconds, line: row.line)
      XCTAssertEqual(TimeSpan(row.text)?.description, row.written, line: row.line)
      XCTAssertEqual(TimeSpan(row.written), TimeSpan(seconds: row.seconds), line: row.line)
      XCTAssertEqual(TimeSpan(row.text)?.milliseconds, row.seconds * 1000, line: row.line)
    }
  }

  func testRefusesWhatIsNoLengthOfTime() {
    let texts = [
      "", "s", "5", "m5", "0s", "05m", "-5m", "+5m", "5 m", " 5m", "5m ", "1.5h", "1h30m", "5M", "5w", "5ms", "5µ",
      "1000000000s", "99999999999999999999d", "٥m", "5m\u{301}",
    ]
    for text in texts { XCTAssertNil(TimeSpan(text), text) }
  }

  func testWhatIsOutOfReachDoesNotTrap() {
    XCTAssertEqual(TimeSpan(seconds: .max).milliseconds, .max)
    XCTAssertEqual(TimeSpan(seconds: .min).milliseconds, .min)
    XCTAssertEqual(TimeSpan(seconds: 0).description, "0s")
    XCTAssertEqual(TimeSpan(seconds: -60).description, "-1m")
    XCTAssertNil(TimeSpan(TimeSpan(seconds: 0).description))
    XCTAssertNil(TimeSpan(TimeSpan(seconds: -60).description))
    XCTAssertLessThan(TimeSpan(seconds: 59), TimeSpan(seconds: 60))
  }
}
