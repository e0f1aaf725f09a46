import GemLedger
import XCTest

@testable import gemctl

final class ErrorReportTests: XCTestCase {
  func testUsageErrorHasThreeLines() {
    let report = ErrorReport(UsageError("unknown verb \"blance\"", suggestion: "balance"))
    XCTAssertEqual(report.exitStatus, 64)
    XCTAssertEqual(
      report.rendered(asJSON: false),
      """
      error: unknown verb "blance". Did you mean "balance"?
      See "gemctl help".
      Usage: gemctl [OPTIONS] VERB [ARGUMENTS]

      """)
    XCTAssertEqual(
      report.rendered(asJSON: true),
      #"{"error":{"code":"invalid_request","message":"unknown verb \"blance\". Did you mean \"balance\"?","#
        + #""details":{"suggestion":"balance"}}}"# + "\n")
  }

  func testLedgerErrorKeepsCodeAndDetails() {
    let report = ErrorReport(
      LedgerError(
        .insufficientBalance, "Needs 50.\u{1B}", details: [.integer("needed", 50), .text("currency", "GEM")]))
    XCTAssertEqual(report.exitStatus, 2)
    XCTAssertEqual(report.rendered(asJSON: false), "error: Needs 50.\\u{1B}\n")
    XCTAssertEqual(
      report.rendered(asJSON: true),
      #"{"error":{"code":"insufficient_balance","message":"Needs 50.\u001b","#
        + #""details":{"needed":50,"currency":"GEM"}}}"# + "\n")
  }

  func testColorIsForTerminals() {
    let report = ErrorReport(UsageError("x"))
    XCTAssertTrue(report.rendered(asJSON: false, style: Style(isOn: true)).hasPrefix("\u{1B}[31merror:\u{1B}[0m x."))
  }

  func testEscapesJSON() {
    XCTAssertEqual(JSONValue.string("a\"\\\n\u{0}é💎").text(.terminal), #""a\"\\\n\u0000é💎""#)
  }
}
