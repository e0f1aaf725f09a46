import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Codes, prices that a store sets itself, and family sharing.
final class StoreOfferTests: XCTestCase {
  private let usa = StorefrontCode.unitedStates

  private func price(_ text: String) throws -> Price { try Price(text, in: usa.currency) }

  func testAnOfferCodeHasItsOwnPriceAndNamesTheOffer() async throws {
    let eventLog = RetainedEventLog()
    let first = try SimulatedShop(eventLog: eventLog)
    try first.store.addOfferCode("FREE", forProduct: "gems", identifier: "spring")
    try first.store.addOfferCode("HALF", forProduct: "gems", price: price("1.49"))
    try first.store.addOfferCode("MONTH", forProduct: "monthly")
    let store = try SimulatedShop(clock: first.clock, eventLog: eventLog).store
    let phone = store.account("alice").device("phone")
    for code in ["FREE", "HALF", "MONTH"] { try await phone.redeemOfferCode(code) }
    store.clock.advance(by: .seconds(32 * 86_400))
    let bought = store.allTransactions().map(\.transaction)
    XCTAssertEqual(bought.map { $0.price?.minorUnits }, [0, 149, 0, 599])
    XCTAssertEqual(
      bought.map(\.offer),
      [
        .init(kind: .code, identifier: "spring"), .init(kind: .code, identifier: "HALF"),
        .init(kind: .code, identifier: "MONTH", isFreeTrial: true), nil,
      ])
    XCTAssertEqual(bought.map(\.isFree), [true, false, true, false])
    XCTAssertEqual(bought.map(\.accountToken), [nil, nil, nil, nil])
    let again = try SimulatedShop(clock: first.clock, eventLog: eventLog).store
    XCTAssertEqual(again.allTransactions().map(\.transaction), bought)
    let receipts = try UnsignedReceipts(session: "test")
    for one in bought { XCTAssertEqual(try receipts.verify(receipts.receipt(for: one)), one) }
  }

  func testAPriceThatTheStoreSetIsPaidUntilItIsTakenBack() async throws {
    let eventLog = RetainedEventLog()
    let first = try SimulatedShop(eventLog: eventLog)
    try first.store.setPrice(price("3.49"), ofProduct: "gems", in: usa)
    try first.store.setPrice(price("6.49"), ofProduct: "monthly", in: usa)
    assertRefused(.productNotFound) { try first.store.setPrice(nil, ofProduct: "nothing", in: usa) }
    let store = try SimulatedShop(clock: first.clock, eventLog: eventLog).store
    let phone = store.account("alice").device("phone")
    let listed = try await phone.products(for: ["gems", "chest"])
    XCTAssertEqual(listed.map(\.price.text), ["3.49", "49.99"])
    try store.buyProduct(identifier: "gems", options: [.quantity(2)])
    try store.buyProduct(identifier: "monthly")
    try store.setPrice(nil, ofProduct: "gems", in: usa)
    store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    try store.buyProduct(identifier: "gems")
    store.storefront = usa
    store.clock.advance(by: .seconds(32 * 86_400))
    try store.buyProduct(identifier: "gems")
    XCTAssertEqual(store.allTransactions().map { $0.transaction.price?.minorUnits }, [698, 649, 450, 649, 299])
  }

  func testAPromoCodeCostsNothingAndHasNoOrder() async throws {
    let store = try SimulatedPlayStore(catalog: SimulatedShop.catalog(), signer: PlainSigner())
    let phone = store.account("alice").device("pixel")
    assertRefused(.invalidRequest) { try store.addOfferCode("X", forProduct: "gems", price: price("0.99")) }
    try store.addOfferCode("GIFT", forProduct: "gems", identifier: "gift")
    try await phone.redeemPromoCode("GIFT")
    for (code, failure) in [("GIFT", BillingResponseCode.itemAlreadyOwned), ("WRONG", .developerError)] {
      do {
        try await phone.redeemPromoCode(code)
        XCTFail(code)
      } catch { XCTAssertEqual(error, failure) }
    }
    let bought = try XCTUnwrap(store.purchases().first)
    XCTAssertEqual(bought.transaction.price?.minorUnits, 0)
    XCTAssertEqual(bought.transaction.offer, .init(kind: .code, identifier: "gift"))
    XCTAssertNil(bought.orderID)
    try await phone.consume(bought.purchaseToken)
    try await phone.redeemPromoCode("GIFT")
    XCTAssertEqual(store.purchases().count, 2)
  }

  func testAFamilyMemberHasATransactionThatEndsWithThePurchase() async throws {
    let eventLog = RetainedEventLog()
    let shop = try SimulatedShop(eventLog: eventLog)
    let bought = try shop.store.buyProduct(identifier: "vip", account: "alice")
    let child = shop.store.account("child").device("tablet")
    let shared = try shop.store.shareWithFamily(identifier: bought.identifier, account: "child")
    XCTAssertEqual(shared.transaction.ownership, .familyShared)
    XCTAssertNil(shared.transaction.accountToken)
    XCTAssertNotEqual(shared.identifier, bought.identifier)
    XCTAssertEqual(shared.originalTransactionIdentifier, shared.identifier)
    func held() async throws -> [StoreTransactionID] { try await child.currentEntitlements().map(\.transaction.id) }
    var entitling = try await held()
    XCTAssertEqual(entitling, [shared.identifier])
    shop.clock.advance(by: .seconds(60))
    try shop.store.refundTransaction(identifier: bought.identifier)
    entitling = try await held()
    XCTAssertEqual(entitling, [])
    guard case .revoked(let evidence)? = try shop.store.takeNotices().last else { return XCTFail("no notice") }
    XCTAssertEqual(evidence.transaction.id, shared.identifier)
    XCTAssertEqual(evidence.transaction.revocation?.extent, .full)
    try shop.store.reverseRefund(identifier: bought.identifier)
    entitling = try await held()
    XCTAssertEqual(entitling, [shared.identifier])
    let again = try SimulatedShop(clock: shop.clock, eventLog: eventLog).store
    XCTAssertEqual(again.allTransactions().map(\.transaction), shop.store.allTransactions().map(\.transaction))
    try again.refundTransaction(identifier: bought.identifier)
    XCTAssertNotNil(again.transaction(identifier: shared.identifier)?.cancelDate)
  }

  func testAFamilyMemberSharesTheRenewalsToo() async throws {
    let shop = try SimulatedShop()
    let bought = try shop.store.buyProduct(identifier: "monthly", account: "alice")
    let first = try shop.store.shareWithFamily(identifier: bought.identifier, account: "child")
    shop.clock.advance(by: .seconds(32 * 86_400))
    let mine = shop.store.account("child").transactions()
    XCTAssertEqual(mine.map(\.transaction.reason), [.purchase, .renewal])
    XCTAssertEqual(mine.map(\.originalTransactionIdentifier), [first.identifier, first.identifier])
    let entitling = try await shop.store.account("child").device("tablet").currentEntitlements()
    XCTAssertEqual(entitling.map(\.transaction.id), [mine[1].identifier])
    try shop.store.expireSubscription(productIdentifier: "monthly")
    let ended = try await shop.store.account("child").device("tablet").currentEntitlements()
    XCTAssertEqual(ended, [])
  }

  func testWhatCannotBeSharedIsRefused() throws {
    let shop = try SimulatedShop()
    let gems = try shop.store.buyProduct(identifier: "gems", account: "alice").identifier
    let vip = try shop.store.buyProduct(identifier: "vip", account: "alice").identifier
    let shared = try shop.store.shareWithFamily(identifier: vip, account: "child").identifier
    for (id, account) in [(gems, "child"), (vip, "alice"), (vip, "child"), (shared, "grandchild")] {
      assertRefused(.invalidRequest) { try shop.store.shareWithFamily(identifier: id, account: account) }
    }
    assertRefused(.invalidRequest) { try shop.store.refundTransaction(identifier: shared) }
    assertRefused(.invalidRequest) { try shop.store.reverseRefund(identifier: shared) }
  }
}
