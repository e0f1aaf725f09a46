import GemTestSupport
import XCTest

@testable import GemLedger

final class ErasedIDTests: XCTestCase {
  /// The erased form of an id gives the number to a holder of the salt, and to no other reader.
  func testTheNumberCanBeTold() throws {
    var generator = SeededRandom()
    for _ in 0..<1000 {
      let salt = UInt64.random(in: 0 ... .max, using: &generator)
      for number in [
        1, Int64.random(in: 1...100_000, using: &generator), Int64.random(in: 1 ... .max, using: &generator),
      ] {
        let id = CustomerID(ofErased: number, salt: salt)
        XCTAssertEqual(id.numberOfErased(salt: salt), number, "seed \(generator.seed), salt \(salt)")
        XCTAssertNotEqual(id.numberOfErased(salt: salt ^ 1), number)
      }
    }
    // As it was from the first version on.
    XCTAssertEqual(CustomerID(ofErased: 1, salt: 1).text, "$erased:f470dffc1c7dcdc2")
    for text in ["alice", "$erased:", "$erased:g", "$erased:1", "$erased:F470DFFC1C7DCDC2"] {
      XCTAssertNil(CustomerID(unchecked: text).numberOfErased(salt: 1), text)
    }
  }
}
