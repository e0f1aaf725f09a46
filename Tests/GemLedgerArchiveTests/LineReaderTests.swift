import GemLedger
import XCTest

@testable import GemLedgerArchive

final class LineReaderTests: XCTestCase {
  /// A text in one piece has the limit too, wherever the line is.
  func testRefusesLongLines() throws {
    for (text, lines) in [("abcde\n", 0), ("abcde", 0), ("a\nabcde\nb", 1), ("abcd\nabcde", 1)] {
      var reader = try LineReader(ImportBytes(Array(text.utf8)), lengthMax: 4)
      for _ in 0..<lines { XCTAssertNotNil(try reader.next()) }
      XCTAssertThrowsError(try reader.next(), text) { error in
        XCTAssertEqual((error as? LedgerError)?.message, "Line \(lines + 1) has more than 4 bytes.")
      }
    }
  }

  func testReadsLinesOfTheMaximumLength() throws {
    var reader = try LineReader(ImportBytes(Array("abcd\n\nabcd".utf8)), lengthMax: 4)
    var lines: [String] = []
    while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    XCTAssertEqual(lines, ["abcd", "", "abcd"])
  }
}
