import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Refunds as stores report them, in receipts and in notices.
final class RefundTests: XCTestCase {
  private func revoked(
    _ transaction: StoreTransaction, _ extent: StoreTransaction.Revocation.Extent = .full, at instant: Timestamp
  ) -> StoreTransaction {
    var transaction = transaction
    transaction.revocation = .init(revokedAt: instant, extent: extent)
    transaction.signedAt = instant
    return transaction
  }

  func testARevokedReceiptThatIsCreditedIsASuccessAndClawsBack() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    _ = try await shop.backend.post(shop.post(transaction))
    try shop.ledger.spend([Adjustment(CurrencyCode("GEM"), 1000)], customer: CustomerID("alice"))
    shop.time.advance(seconds: 60)
    let refunded = revoked(transaction, at: shop.time.now)
    for _ in 0..<2 {
      let answer = try await shop.backend.post(shop.post(refunded))
      XCTAssertTrue(answer.booking.isReplayed)
      XCTAssertEqual(answer.purchase.refundedMilliPercent, 100_000)
      XCTAssertEqual(try shop.gems(), 0)
    }
    // The first receipt, delivered again, is older evidence and says nothing of it.
    let old = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(old.purchase.refundedMilliPercent, 100_000)
    XCTAssertEqual(try shop.gems(), 0)
    // Newer evidence without the refund takes it back.
    shop.time.advance(seconds: 60)
    var reversed = transaction
    reversed.signedAt = shop.time.now
    let answer = try await shop.backend.post(shop.post(reversed))
    XCTAssertEqual(answer.purchase.refundedMilliPercent, 0)
    XCTAssertEqual(try shop.gems(), 200)
    try assertBooksAddUp(shop.ledger)
  }

  func testARevokedReceiptThatNobodyCreditedIsRefusedAndRemembered() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    shop.time.advance(seconds: 60)
    await assertRefused(.receiptRevoked) {
      try await shop.backend.post(shop.post(revoked(transaction, at: shop.time.now)))
    }
    assertRefused(.customerNotFound) { try shop.gems() }
    // Older evidence that comes late is booked with its refund.
    let answer = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(answer.booking.entries.map(\.amount), [1200])
    XCTAssertEqual(try shop.gems(), 0)
    let again = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(again.purchase.refundedMilliPercent, 100_000)
    try assertBooksAddUp(shop.ledger)
  }

  func testAReceiptRevokedInPartIsCreditedAndClawedBackInPart() async throws {
    typealias Row = (line: UInt, extent: StoreTransaction.Revocation.Extent, left: Int64, share: Int64)
    let rows: [Row] = [
      (#line, .milliPercent(33_333), 2400, 33_333), (#line, .quantity(2), 1200, 66_666),
      (#line, .milliPercent(1), 3599, 1),
    ]
    for row in rows {
      let shop = try Shop()
      let transaction = revoked(try shop.transaction("t1", quantity: 3), row.extent, at: shop.time.now)
      let answer = try await shop.backend.post(shop.post(transaction))
      XCTAssertFalse(answer.booking.isReplayed, line: row.line)
      XCTAssertEqual(answer.purchase.refundedMilliPercent, row.share, line: row.line)
      XCTAssertEqual(try shop.gems(), row.left, line: row.line)
      try assertBooksAddUp(shop.ledger)
    }
  }

  // MARK: Notices

  func testNoticesOfARefundAndItsReversal() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    _ = try await shop.backend.post(shop.post(transaction))
    shop.time.advance(seconds: 60)
    let refunded = revoked(transaction, at: shop.time.now)
    let first = try await shop.backend.apply(refunded)
    XCTAssertEqual(first.outcome, .refunded)
    XCTAssertEqual(first.booking?.entries.map(\.amount), [-1200])
    let again = try await shop.backend.apply(refunded)
    XCTAssertEqual(again.outcome, .unchanged)
    shop.time.advance(seconds: 60)
    var reversed = transaction
    reversed.signedAt = shop.time.now
    let reversal = try await shop.backend.apply(reversed)
    XCTAssertEqual(reversal.outcome, .refundReversed)
    XCTAssertEqual(try shop.gems(), 1200)
    // The refund's own notice comes late, or once more: nothing changes.
    let late = try await shop.backend.apply(refunded)
    XCTAssertEqual(late.outcome, .unchanged)
    XCTAssertEqual(try shop.gems(), 1200)
    try assertBooksAddUp(shop.ledger)
  }

  func testARefundThatComesFirstIsKept() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    shop.time.advance(seconds: 60)
    let kept = try await shop.backend.apply(revoked(transaction, at: shop.time.now))
    XCTAssertEqual(kept.outcome, .kept)
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.gems(), 0)
    try assertBooksAddUp(shop.ledger)
  }

  func testANoticeOfAPurchaseCreditsWhomItsTokenNames() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "alice")
    let unknown = try await shop.backend.apply(transaction)
    XCTAssertEqual(unknown.outcome, .unattributed)
    // It is credited as soon as she is known.
    _ = try await shop.backend.register(CustomerID("alice"))
    XCTAssertEqual(try shop.gems(), 1200)
    var second = transaction
    second.id = try StoreTransactionID("t2")
    let credited = try await shop.backend.apply(second)
    XCTAssertEqual(credited.outcome, .credited)
    let again = try await shop.backend.apply(transaction)
    XCTAssertEqual(again.outcome, .unchanged)
    let posted = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertTrue(posted.booking.isReplayed)
    XCTAssertEqual(try shop.gems(), 2400)
  }

  func testNoticesAreCheckedToo() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", of: "alice")
    transaction.bundleID = "com.example.other"
    await assertRefused(.bundleMismatch) { try await shop.backend.apply(transaction) }
    transaction.signedAt = shop.after(hours: 25)
    await assertRefused(.receiptFutureDated) { try await shop.backend.apply(transaction) }
  }

  /// In any order and number of the store's notices, the newest evidence holds in the end.
  func testNoticesInAnyOrder() async throws {
    var generator = SeededRandom()
    for _ in 0..<40 {
      let shop = try Shop()
      let transaction = try shop.transaction("t1")
      var notices = [transaction]
      for _ in 0..<generator.below(4) {
        shop.time.advance(seconds: 60)
        var notice = transaction
        notice.signedAt = shop.time.now
        if generator.percent(60) { notice = revoked(transaction, at: shop.time.now) }
        notices.append(notice)
      }
      let isRefunded = notices.last?.revocation != nil
      var deliveries = notices
      for _ in 0..<generator.below(4) { deliveries.append(generator.one(of: notices)) }
      deliveries.shuffle(using: &generator)
      for notice in deliveries {
        if generator.percent(50) {
          _ = try await shop.backend.apply(notice)
        } else {
          let post = try shop.post(notice)
          do throws(LedgerError) {
            _ = try await shop.backend.post(post)
          } catch {
            XCTAssertEqual(error.code, .receiptRevoked)
          }
        }
      }
      // The app posts its evidence until it hears of a success, and the newest notice comes in the end.
      _ = try await shop.backend.post(shop.post(transaction))
      if let newest = notices.last { _ = try await shop.backend.apply(newest) }
      XCTAssertEqual(try shop.gems(), isRefunded ? 0 : 1200)
      try assertBooksAddUp(shop.ledger)
    }
  }
}
