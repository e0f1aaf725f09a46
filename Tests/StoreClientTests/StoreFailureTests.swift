import StoreClient
import XCTest

final class StoreFailureTests: XCTestCase {
  /// A sentence that an app can show, and never the failure's name.
  func testEachFailureIsASentence() {
    for failure in StoreFailure.allCases {
      XCTAssertTrue(failure.message.hasSuffix(".") && failure.message.contains(" "), failure.message)
      XCTAssertFalse(failure.message.contains(failure.rawValue), failure.message)
    }
    XCTAssertEqual(Set(StoreFailure.allCases.map(\.message)).count, StoreFailure.allCases.count)
  }
}
