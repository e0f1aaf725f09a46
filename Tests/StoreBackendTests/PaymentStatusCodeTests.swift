import GemLedger
import XCTest

@testable import StoreBackend

final class PaymentStatusCodeTests: XCTestCase {
  func testTheRegistry() {
    XCTAssertEqual(PaymentStatusCode.all.map(\.rawValue), [0, 1030, 1031, 1032, 1034, 1036, 1049, 1050])
    XCTAssertEqual(PaymentStatusCode.all.filter(\.isSuccess).map(\.rawValue), [0, 1034, 1036, 1049, 1050])
    XCTAssertEqual(PaymentStatusCode.deliveryPending.description, "1036 REQUEST_TO_GAME_FAIL")
    XCTAssertEqual(PaymentStatusCode.purchaseExists.name, "PURCHASE_HAS_EXIST")
    XCTAssertEqual(PaymentStatusCode.packageNotFound.name, "PACKAGE_GAME_NOT_FOUND")
    XCTAssertEqual(PaymentStatusCode(rawValue: 7).description, "7 UNKNOWN")
    for code in PaymentStatusCode.all { XCTAssertNotEqual(code.name, "UNKNOWN") }
  }

  func testRefusalsHaveTheirNumbers() {
    typealias Row = (line: UInt, error: LedgerError.Code, step: PaymentStatusCode.Step, number: Int?)
    let rows: [Row] = [
      (#line, .bundleMismatch, .initPayment, 1031), (#line, .bundleMismatch, .completePayment, 1030),
      (#line, .productNotFound, .initPayment, 1032), (#line, .productNotFound, .completePayment, 1032),
      (#line, .orderNotFound, .completePayment, 1049), (#line, .purchaseNotFound, .history, 1049),
      (#line, .customerNotFound, .history, 1049), (#line, .customerNotFound, .initPayment, nil),
      (#line, .receiptUnverified, .completePayment, nil), (#line, .storageUnavailable, .initPayment, nil),
    ]
    for row in rows {
      let code = PaymentStatusCode(LedgerError(row.error, "for the test"), in: row.step)
      XCTAssertEqual(code?.rawValue, row.number, line: row.line)
    }
  }
}
