import XCTest

@testable import GemLedger

/// Files and exports keep digests: the same rows must give the same ones for all time.
final class RowDigestTests: XCTestCase {
  func testATextIsItsBytesInWordsOfEight() {
    for count in 0...40 {
      let text = String((0..<count).map { "abcdefghijklmnopqrstuvwxyz0123456789"[$0 % 36] })
      var digest = RowDigest(.note)
      digest.add(text)
      var words = RowDigest(.note)
      words.add(UInt64(count))
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: count, by: 8) {
        let part = bytes[start..<min(start + 8, count)]
        // Whole words are little-endian; the rest is read byte by byte.
        words.add((part.count == 8 ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | UInt64($1) })
      }
      XCTAssertEqual(digest.value, words.value, "\(count) bytes")
    }
  }

  func testDigestsStayAsTheyAre() throws {
    var digest = RowDigest(.key)
    digest.add(7 as Int64)
    digest.add(nil as Int64?)
    digest.add("purchase-2026-01-05-0001")
    digest.add(nil as String?)
    XCTAssertEqual(digest.value, 4_393_456_646_749_592_478)
  }
}

extension String {
  fileprivate subscript(position: Int) -> Character { self[index(startIndex, offsetBy: position)] }
}
