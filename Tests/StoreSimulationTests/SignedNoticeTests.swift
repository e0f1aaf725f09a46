#if Receipts
import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import StoreReceipts
import XCTest

/// The simulated App Store signs its notices, and the backend books what it can verify.
final class SignedNoticeTests: XCTestCase {
  func testARefundComesAsASignedNoticeAndNotWithAByteChanged() async throws {
    let gem = try CurrencyCode("GEM")
    let usa = StorefrontCode.unitedStates
    let pack = Product(
      code: try ProductCode("gems_1200"), storeIDs: ["apple": "gems_1200"], type: .consumable,
      localizations: [Localization(locale: "en_US", title: "1,200 Gems")],
      prices: [usa: try Price("9.99", in: usa.currency)], grants: [Grant(currency: gem, amount: 1200)])
    let catalog = try Catalog(currencies: [Currency(code: gem, name: "Gems")], products: [pack])
    let clock = VirtualClock()
    let receipts = try LocalReceipts(session: "test")
    let store = try SimulatedStore(catalog: catalog, session: "test", clock: clock, signer: receipts)
    let phone = store.account("family").device("phone")
    let ledger = Ledger.inMemory(clock: clock.ledgerClock)
    try ledger.apply(catalog)
    let backend = LocalBackend(ledger: ledger, verifier: receipts)
    let alice = try CustomerID("player-4f1c9a7e")
    var configuration = StoreClient.Configuration(
      apiKey: "test_key", appUserID: alice.text, mode: .payment(backend), storefront: phone,
      eventLog: MemoryEventLog())
    configuration.clock = clock.storeClock
    configuration.isAutomatic = false
    let app = try StoreClient(configuration: configuration)
    let bought = try await app.outcome(ofPurchasing: "gems_1200")
    clock.advance(by: .seconds(60))
    try store.refundTransaction(identifier: XCTUnwrap(bought.storeTransactionID))

    let notice = try XCTUnwrap(
      store.pendingNotices().first { if case .refunded = $0.notice { true } else { false } })
    let text = try XCTUnwrap(notice.signedText)
    let read = try receipts.verifier.notification(text)
    XCTAssertEqual(read.type, "REFUND")
    let again = try XCTUnwrap(store.pendingNotices().first { $0.id == notice.id }?.signedText)
    XCTAssertEqual(try receipts.verifier.notification(again).id, read.id, "A delivery repeats the identity.")

    var changed = Array(text.utf8)
    for index in stride(from: 0, to: changed.count, by: 97) {
      let byte = changed[index]
      changed[index] = byte == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      do {
        try await backend.apply(signedNotice: String(decoding: changed, as: UTF8.self))
        XCTFail("byte \(index)")
      } catch {
        XCTAssertTrue([.receiptMalformed, .receiptUnverified].contains(error.code), "byte \(index): \(error)")
      }
      changed[index] = byte
    }
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1200)

    for round in 0..<2 {
      let answer = try await backend.apply(signedNotice: round == 0 ? text : again)
      XCTAssertEqual(answer?.outcome, round == 0 ? .refunded : .unchanged)
    }
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 0)
    let other = LocalBackend(ledger: ledger, verifier: try LocalReceipts(session: "test"))
    do {
      try await other.apply(signedNotice: text)
      XCTFail("Another authority signed it.")
    } catch { XCTAssertEqual(error.code, .receiptUnverified) }
  }
}
#endif
