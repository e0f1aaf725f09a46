import GemLedger
import XCTest

@testable import StoreBackend

/// The way of a receipt to its answer, for each decision, with and without a refund.
final class ReceiptStepTests: XCTestCase {
  private let now = Timestamp(milliseconds: 1_700_000_000_000)
  private let error = LedgerError(.validationPending, "Held.")
  private let refund = StoreTransaction.Revocation(revokedAt: Timestamp(milliseconds: 5), extent: .milliPercent(40_000))

  private func transaction(_ revocation: StoreTransaction.Revocation?, quantity: Int64 = 1) throws -> StoreTransaction {
    StoreTransaction(
      store: .apple, environment: .production, id: try StoreTransactionID("t1"), bundleID: "com.example.gems",
      storeProductID: "gems", productType: .consumable, quantity: quantity, purchasedAt: now, revocation: revocation,
      signedAt: now)
  }

  func testAPurchaseThatIsNotCredited() throws {
    let product = Product(code: try ProductCode("gems"), type: .consumable)
    let rows: [(ReceiptDecision, StoreTransaction.Revocation?, [ReceiptStep])] = [
      (.credit(product), nil, [.credit(product.code)]),
      (.credit(product), refund, [.refund(refund), .credit(product.code)]),
      (.refuse(error), refund, [.refund(refund), .fail(error)]),
      (.hold(.product, error), nil, [.hold(.product, until: nil, for: .poster), .failHeld(error)]),
      // Holding stores the refund too.
      (.hold(.buyer, until: now, error), refund, [.hold(.buyer, until: now, for: .poster), .failHeld(error)]),
      (.hold(.app, error), nil, [.hold(.app, until: nil, for: .poster), .fail(error)]),
      (.hold(.environment, error), refund, [.hold(.environment, until: nil, for: .poster), .fail(error)]),
    ]
    for (decision, revocation, steps) in rows {
      XCTAssertEqual(ReceiptStep.steps(of: try transaction(revocation), decision: decision), steps, "\(decision)")
    }
  }

  func testACreditedPurchase() throws {
    let code = try ProductCode("gems")
    let person = ReceiptStep.hold(.decision, until: nil, for: .nobody)
    let rows: [(quantity: Int64, states: Bool, StoreTransaction.Revocation?, [ReceiptStep])] = [
      (1, true, nil, [.credit(code)]),
      (1, true, refund, [.refund(refund), .credit(code)]),
      (2, true, nil, [person, .credit(code)]),
      (2, true, refund, [person, .refund(refund), .credit(code)]),
      // A notice of a refund need not state the quantity.
      (2, false, refund, [.refund(refund), .credit(code)]),
    ]
    for (quantity, states, revocation, steps) in rows {
      let evidence = Evidence(
        transaction: try transaction(revocation, quantity: quantity), original: nil, statesPurchase: states)
      XCTAssertEqual(ReceiptStep.steps(of: evidence, creditedAs: code, quantity: 1), steps, "\(quantity) \(states)")
    }
  }

  func testAFailedCredit() throws {
    let transaction = try transaction(nil)
    let full = LedgerError(.amountOutOfRange, "Full.")
    let missing = LedgerError(.productNotFound, "Gone.")
    let rows: [(LedgerError, [ReceiptStep])] = [
      (full, [.hold(.amount, until: now.advanced(milliseconds: 3_600_000), for: .poster), .fail(full)]),
      (missing, [.hold(.product, until: nil, for: .poster), .fail(ReceiptDecision.waiting(for: transaction))]),
      (error, [.fail(error)]),
    ]
    for (error, steps) in rows {
      XCTAssertEqual(ReceiptStep.steps(of: transaction, after: error, now: now), steps, "\(error)")
    }
  }

  /// Every way ends in an answer: its last step, and no earlier one, answers.
  func testEveryWayAnswers() throws {
    let product = Product(code: try ProductCode("gems"), type: .consumable)
    var ways: [[ReceiptStep]] = []
    for revocation in [nil, refund] {
      let transaction = try transaction(revocation)
      let held = HoldReason.allCases.map { ReceiptDecision.hold($0, error) }
      for decision in [.credit(product), .refuse(error)] + held {
        ways.append(ReceiptStep.steps(of: transaction, decision: decision))
      }
      let evidence = Evidence(transaction: transaction, original: nil)
      ways.append(ReceiptStep.steps(of: evidence, creditedAs: product.code, quantity: 2))
    }
    for code in [LedgerError.Code.amountOutOfRange, .productNotFound, .invalidRequest, .unexpected] {
      ways.append(ReceiptStep.steps(of: try transaction(nil), after: LedgerError(code, "Failed."), now: now))
    }
    for way in ways {
      XCTAssertEqual(way.map(\.answers), Array(repeating: false, count: way.count - 1) + [true], "\(way)")
    }
  }
}

extension ReceiptStep {
  fileprivate var answers: Bool {
    switch self {
    case .credit, .fail, .failHeld: true
    case .refund, .hold: false
    }
  }
}
