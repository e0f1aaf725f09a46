import GemLedger
import XCTest

@testable import gemctl

final class AmountArgumentsTests: XCTestCase {
  func testReadsAmountsInOrder() throws {
    let pairs = try AmountArguments.amounts(["GEM=50", "gold_1=1", "A=9007199254740991"])
    XCTAssertEqual(pairs.map(\.0.description), ["GEM", "gold_1", "A"])
    XCTAssertEqual(pairs.map(\.1), [50, 1, Limits.amount])
    XCTAssertTrue(try AmountArguments.amounts([]).isEmpty)
  }

  func testRefusesEverythingButPlainDigits() {
    let malformed = [
      "GEM", "GEM=", "GEM=-50", "GEM=+5", "GEM=5.0", "GEM=5e2", "GEM=１２", "GEM= 5", "GEM=5 ", "GEM=007", "GEM=00",
      "GEM=0x5", "GEM=5_0", "GEM=1,200", "GEM==5", "GEM=٣", "GEM=5\u{301}", "",
    ]
    for text in malformed { assertRefused([text], .invalidRequest) }
    for text in ["GEM=0", "GEM=9007199254740992", "GEM=9223372036854775808", "GEM=99999999999999999999999"] {
      assertRefused([text], .amountOutOfRange)
    }
    for text in ["=5", "GE M=5", "GÉM=5", "ELEVENCHARS=5"] { assertRefused([text], .invalidIdentifier) }
    assertRefused(["GEM=1", "GEM=2"], .invalidRequest)
  }

  func testMessageSaysWhatIsAllowed() {
    XCTAssertThrowsError(try AmountArguments.amounts(["GEM=-50"])) { error in
      XCTAssertEqual(
        (error as? LedgerError)?.message,
        "\"-50\" in \"GEM=-50\" is not an amount: plain digits from 1 to 9007199254740991, without sign, point, "
          + "exponent, spaces or leading zeros.")
    }
  }

  func testConditionsMayBeZero() throws {
    XCTAssertEqual(try AmountArguments.conditions(["GEM=0"]).map(\.1), [0])
    XCTAssertThrowsError(try AmountArguments.conditions(["GEM=00"]))
  }

  private func assertRefused(
    _ texts: [String], _ code: LedgerError.Code, file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertThrowsError(try AmountArguments.amounts(texts), "\(texts)", file: file, line: line) { error in
      XCTAssertEqual((error as? LedgerError)?.code, code, "\(texts)", file: file, line: line)
    }
  }
}
