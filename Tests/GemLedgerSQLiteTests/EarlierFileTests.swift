import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import StoreBackend
import XCTest

/// A file that the version before the evidence of stores wrote.
final class EarlierFileTests: XCTestCase {
  func testAnEarlierFileBooksNothingAgain() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run(try EarlierLedger.fixture("earlier-sqlite.sql")))
    XCTAssertEqual(raw.rows("SELECT user_version & 255 FROM pragma_user_version"), ["1"])
    let purchases = raw.rows("SELECT count(*) FROM purchases")
    let earlier = try EarlierLedger { try Ledger.openSQLite(at: path, clock: $0) }
    XCTAssertEqual(raw.rows("SELECT count(*) FROM evidence WHERE kind = 7"), purchases)
    try earlier.check { ledger in
      let ended = expectation(description: "posts")
      Task {
        do { try await Self.post(to: ledger) } catch { XCTFail("\(error)") }
        ended.fulfill()
      }
      XCTAssertEqual(XCTWaiter().wait(for: [ended], timeout: 60), .completed)
    }
    XCTAssertEqual(raw.rows("PRAGMA integrity_check"), ["ok"])
  }

  /// Posts the receipts of the story and tells of its refund again, by a backend.
  private static func post(to ledger: Ledger) async throws {
    let environment = try EarlierStory.testing()
    let receipts = try UnsignedReceipts(environment: environment)
    let backend = LocalBackend(ledger: ledger, verifier: receipts)
    for (customer, purchase) in try EarlierStory.bought()
    where purchase.environment == environment && purchase.store == .apple {
      var transaction = StoreTransaction(
        store: .apple, environment: environment, id: purchase.transactionID, bundleID: "com.example.gems",
        storeProductID: purchase.product.text, productType: .consumable, quantity: purchase.quantity,
        price: purchase.price, storefront: .unitedStates, purchasedAt: purchase.purchasedAt,
        signedAt: purchase.purchasedAt)
      let post = ReceiptPost(
        receipt: receipts.receipt(for: transaction), customer: try CustomerID(customer), source: .restore)
      let answer = try await backend.post(post)
      XCTAssertTrue(answer.booking.isReplayed, purchase.transactionID.text)
      _ = try await backend.apply(transaction)
      guard purchase.transactionID.text == "x2" else { continue }
      transaction.revocation = .init(revokedAt: EarlierStory.moment(100))
      transaction.signedAt = EarlierStory.moment(100)
      _ = try await backend.apply(transaction)
    }
  }
}
