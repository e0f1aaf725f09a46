import GemTestSupport
import XCTest

@testable import GemLedger

final class FeedPositionTests: XCTestCase {
  func testEveryCursorIsReadBack() throws {
    var generator = SeededRandom()
    for round in 0..<500 {
      let numbers = (0..<Int.random(in: 0...100, using: &generator)).map { _ in
        Int64.random(in: 1...(.max >> Int64.random(in: 0...50, using: &generator)), using: &generator)
      }
      var position = FeedPosition()
      position.advance(past: numbers.prefix(5).sorted(), isOrdered: round % 3 == 0)
      position.advance(past: numbers.dropFirst(5), isOrdered: false)
      let cursor = FeedCursor(position, salt: 7)
      XCTAssertLessThanOrEqual(cursor.description.utf8.count, 900)
      XCTAssertTrue(cursor.description.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || $0 > 0x2F }, "\(cursor)")
      XCTAssertEqual(try FeedCursor(cursor.description).position(salt: 7), position)
      assertRefused(.invalidRequest) { try cursor.position(salt: 8) }
      for number in numbers { XCTAssertTrue(position.covers(number)) }
    }
  }

  func testTextThatIsNoCursorIsRefused() throws {
    var generator = SeededRandom()
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=é ")
    for _ in 0..<2000 {
      let count = Int.random(in: 0...120, using: &generator)
      let text = String((0..<count).map { _ in digits[Int.random(in: digits.indices, using: &generator)] })
      assertRefused(.invalidRequest) { try FeedCursor(text).position(salt: 7) }
    }
    assertRefused(.invalidRequest) { try FeedCursor(String(repeating: "A", count: 100_000)).position(salt: 7) }
  }

  /// Eight lanes that booked within the same hour.
  func testIsShort() {
    var position = FeedPosition()
    let start = Numbering.last(before: Timestamp(milliseconds: 1_900_000_000_000), lane: 0)
    position.advance(past: (0..<8).map { start + $0 + 64 * 57_600_000 * ($0 % 2) }, isOrdered: false)
    XCTAssertLessThanOrEqual(FeedCursor(position, salt: 7).description.utf8.count, 70)
  }

  func testALaneDoesNotSpeakForAnother() {
    var position = FeedPosition()
    position.advance(past: [64 * 10 + 3], isOrdered: false)
    XCTAssertTrue(position.covers(64 * 9 + 3))
    XCTAssertFalse(position.covers(64 * 9 + 4))
    position.advance(past: [64 * 12], isOrdered: true)
    XCTAssertTrue(position.covers(64 * 9 + 4))
  }
}
