import GemLedger
import XCTest

/// Members are found in any order, and an unread one is refused.
final class ImportFieldsTests: XCTestCase {
  private func read(_ text: String, _ body: (inout ImportFields) throws -> Void) throws {
    var tape = JSONTape()
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      try tape.read(bytes)
      try tape.withRoot { (root) throws in
        var fields = try ImportFields(root)
        try body(&fields)
      }
    }
  }

  func testMembersInAnyOrder() throws {
    let texts = [
      #"{"a":1,"b":2,"c":3}"#, #"{"c":3,"a":1,"b":2}"#, #"{"b":2,"c":3,"\u0061":1}"#, #"{"c":3,"b":2,"a":1}"#,
    ]
    for text in texts {
      try read(text) { fields in
        XCTAssertNil(fields.value(ifAny: "d"), text)
        XCTAssertEqual(try fields.integer("a"), 1, text)
        XCTAssertTrue(fields.has("b"), text)
        XCTAssertNil(fields.value(ifAny: "ab"), text)
        XCTAssertEqual(try fields.integer("b"), 2, text)
        XCTAssertThrowsError(try fields.end { _ in ["a", "b"] }, text) {
          XCTAssertEqual(($0 as? LineFault)?.message, #"The field "c" is unknown."#, text)
        }
        XCTAssertEqual(try fields.integer("c"), 3, text)
        XCTAssertNoThrow(try fields.end { _ in [] }, text)
        XCTAssertThrowsError(try fields.integer("d"), text) {
          XCTAssertEqual(($0 as? LineFault)?.message, #""d" is missing."#, text)
        }
      }
    }
  }

  func testOtherValuesAreNoObjects() {
    for (text, found) in [("[1]", "a list"), ("\"x\"", "a string"), ("7", "a whole number"), ("null", "null")] {
      XCTAssertThrowsError(try read(text) { _ in }, text) {
        XCTAssertEqual(($0 as? LineFault)?.message, "Expected an object, found \(found).", text)
      }
    }
  }
}
