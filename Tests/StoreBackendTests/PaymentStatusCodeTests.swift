import GemLedger
import XCTest

@testable import StoreBackend

final class PaymentStatusCodeTests: XCTestCase {
  func testTheRegistry() {
    XCTAssertEqual(PaymentStatusCode.all.map(\.rawValue), [0, 1030, 1031, 1032, 1034, 1036, 1049, 1050])
    XCTAssertEqual(PaymentStatusCode.all.filter(\.isSuccess).map(\.rawValue), [0, 1034, 1036, 1049, 1050])
    XCTAssertEqual(PaymentStatusCode.deliveryPending.description, "1036 delivery_pending")
    XCTAssertEqual(PaymentStatusCode(rawValue: 7).description, "7 unknown")
    for code in PaymentStatusCode.all { XCTAssertFalse(code.description.hasSuffix("unknown")) }
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
