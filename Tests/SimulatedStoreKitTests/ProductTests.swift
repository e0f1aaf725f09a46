import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreTestSupport
import XCTest

import struct SimulatedStoreKit.Product

/// Products, purchases and transactions under StoreKit's names.
@MainActor
final class ProductTests: XCTestCase {
  private func session() throws -> SKTestSession {
    let shop = try SimulatedShop()
    return SKTestSession(device: shop.phone)
  }

  func testProductsHaveTypePriceAndPeriod() async throws {
    let session = try session()
    session.storefront = "JPN"
    session.locale = Locale(identifier: "ja_JP")
    let products = try await Product.products(for: ["gems", "monthly", "unknown", "vip"])
    XCTAssertEqual(products.map(\.id), ["gems", "monthly"])  // vip has no price in yen
    let (gems, monthly) = (try XCTUnwrap(products.first), try XCTUnwrap(products.last))
    XCTAssertEqual(gems.type, .consumable)
    XCTAssertEqual(gems.displayName, "gems 日本語")
    XCTAssertEqual(gems.price, 450)
    XCTAssertEqual(gems.priceFormatStyle.currencyCode, "JPY")
    XCTAssertNil(gems.subscription)
    XCTAssertEqual(monthly.type, .autoRenewable)
    XCTAssertEqual(monthly.subscription?.subscriptionPeriod, .monthly)
    XCTAssertEqual(monthly.subscription?.subscriptionGroupID, "monthly")
  }

  func testATransactionHasTheStoresRecord() async throws {
    let session = try session()
    let token = UUID()
    let product = try await ShopFixture.product("gems")
    let result = try await product.purchase(options: [.quantity(3), .appAccountToken(token)])
    guard case .success(let verification) = result else { return XCTFail("expected a success, got \(result)") }
    let transaction = try verification.payloadValue
    let record = try XCTUnwrap(session.store.allTransactions().first?.transaction)
    XCTAssertEqual(String(transaction.id), record.id.text)
    XCTAssertEqual(transaction.originalID, transaction.id)
    XCTAssertEqual(transaction.productID, "gems")
    XCTAssertEqual(transaction.productType, .consumable)
    XCTAssertEqual(transaction.purchasedQuantity, 3)
    XCTAssertEqual(transaction.appAccountToken, token)
    XCTAssertEqual(transaction.price, Decimal(string: "8.97"))
    XCTAssertEqual(transaction.currency?.identifier, "USD")
    XCTAssertEqual(transaction.storefront.countryCode, "USA")
    XCTAssertEqual(transaction.environment, .xcode)
    XCTAssertEqual(transaction.purchaseDate, record.purchasedAt.date)
    XCTAssertEqual(transaction.appBundleID, "com.example.gems")
    XCTAssertEqual(transaction.ownershipType, .purchased)
    XCTAssertEqual(transaction.reason, .purchase)
    XCTAssertNil(transaction.revocationDate)
    XCTAssertNil(transaction.expirationDate)
  }

  func testTheJWSHoldsTheTransaction() async throws {
    let session = try ShopFixture.gemsSession()
    let product = try await ShopFixture.product("gems_300")
    guard case .success(let verification) = try await product.purchase() else { return XCTFail("expected a success") }
    let transaction = try verification.payloadValue
    XCTAssertEqual(verification.jwsRepresentation.split(separator: ".", omittingEmptySubsequences: false).count, 3)
    XCTAssertEqual(verification.payloadData, transaction.jsonRepresentation)
    let json = try JSONSerialization.jsonObject(with: transaction.jsonRepresentation) as? [String: Any]
    XCTAssertEqual(json?["transactionId"] as? String, "\(transaction.id)")
    XCTAssertEqual(json?["productId"] as? String, "gems_300")
    XCTAssertEqual(session.receipts?.environment, session.store.environment)
  }

  func testQuantitiesBeyondTenAreRefused() async throws {
    _ = try session()
    let product = try await ShopFixture.product("gems")
    for quantity in [0, -1, 11] {
      do {
        _ = try await product.purchase(options: [.quantity(quantity)])
        XCTFail("expected a failure for \(quantity)")
      } catch Product.PurchaseError.invalidQuantity {}
    }
  }

  func testAskToBuyOfOnePurchase() async throws {
    let session = try session()
    let product = try await ShopFixture.product("gems")
    guard case .pending = try await product.purchase(options: [.simulatesAskToBuyInSandbox(true)]) else {
      return XCTFail("expected pending")
    }
    guard case .success = try await product.purchase(options: [.simulatesAskToBuyInSandbox(false)]) else {
      return XCTFail("expected a success")
    }
    XCTAssertEqual(session.allTransactions().map(\.state), [.deferred, .purchased])
  }

  func testAChangedStorefrontIsPutToTheApp() async throws {
    let session = try session()
    let product = try await ShopFixture.product("gems")
    session.storefront = "JPN"
    do {
      _ = try await product.purchase(options: [.onStorefrontChange { $0.countryCode != "JPN" }])
      XCTFail("expected a failure")
    } catch StoreKitError.notAvailableInStorefront {}
    XCTAssertEqual(session.allTransactions().count, 0)
    let result = try await product.purchase(options: [.onStorefrontChange { $0.countryCode == "JPN" }])
    guard case .success(let verification) = result else { return XCTFail("expected a success") }
    XCTAssertEqual(verification.unsafePayloadValue.price, 450)
    let storefront = await Storefront.current
    XCTAssertEqual(storefront?.countryCode, "JPN")
    XCTAssertEqual(storefront?.currency?.identifier, "JPY")
  }

  func testListsShowWhatStoreKitShows() async throws {
    let session = try session()
    for id in ["gems", "vip", "monthly"] {
      guard case .success = try await ShopFixture.product(id).purchase() else { return XCTFail("expected a success") }
    }
    var ids = await Transaction.unfinished.collect().map(\.unsafePayloadValue.productID)
    XCTAssertEqual(ids, ["gems", "vip", "monthly"])
    for result in await Transaction.unfinished.collect() { await result.unsafePayloadValue.finish() }
    ids = await Transaction.unfinished.collect().map(\.unsafePayloadValue.productID)
    XCTAssertEqual(ids, [])
    ids = await Transaction.all.collect().map(\.unsafePayloadValue.productID)
    XCTAssertEqual(ids, ["vip", "monthly"])
    ids = await Transaction.currentEntitlements.collect().map(\.unsafePayloadValue.productID)
    XCTAssertEqual(ids, ["vip", "monthly"])
    let latest = await Transaction.latest(for: "vip")
    XCTAssertEqual(latest?.unsafePayloadValue.productID, "vip")
    let (none, entitled) = (
      await Transaction.latest(for: "gems"), try await ShopFixture.product("vip").currentEntitlement
    )
    XCTAssertNil(none)
    XCTAssertEqual(entitled, latest)
    session.clearTransactions()
    let left = await Transaction.all.collect()
    XCTAssertEqual(left.count, 0)
  }

  func testARefundShowsItsShare() async throws {
    let session = try session()
    let product = try await ShopFixture.product("gems")
    guard case .success(let verification) = try await product.purchase(options: [.quantity(4)]) else {
      return XCTFail("expected a success")
    }
    let transaction = verification.unsafePayloadValue
    try session.store.refundTransaction(
      identifier: try XCTUnwrap(session.store.allTransactions().first?.identifier), extent: .quantity(1),
      isAppIssue: true)
    var latest = await Transaction.latest(for: "gems")
    let refunded = try XCTUnwrap(latest).payloadValue
    XCTAssertEqual(refunded.id, transaction.id)
    XCTAssertEqual(refunded.revocationPercentage, 25)
    XCTAssertEqual(refunded.revocationReason, .developerIssue)
    XCTAssertNotNil(refunded.revocationDate)
    try session.refundTransaction(identifier: UInt(transaction.id))
    latest = await Transaction.latest(for: "gems")
    let whole = try XCTUnwrap(latest).payloadValue
    XCTAssertEqual(whole.revocationPercentage, 100)
    XCTAssertEqual(whole.revocationReason, .other)
  }

  func testASubscriptionsStatusFollowsItsLife() async throws {
    let shop = try SimulatedShop()
    let session = SKTestSession(device: shop.phone)
    let monthly = try await ShopFixture.product("monthly")
    let subscription = try XCTUnwrap(monthly.subscription)
    var status = try await subscription.status
    XCTAssertEqual(status.count, 0)
    guard case .success = try await monthly.purchase() else { return XCTFail("expected a success") }
    status = try await subscription.status
    XCTAssertEqual(status.first?.state, .subscribed)
    let info = try XCTUnwrap(status.first?.renewalInfo.payloadValue)
    XCTAssertTrue(info.willAutoRenew)
    XCTAssertEqual(info.renewalDate, status.first?.transaction.unsafePayloadValue.expirationDate)

    try session.forceRenewalOfSubscription(productIdentifier: "monthly")
    status = try await subscription.status
    XCTAssertEqual(status.first?.transaction.unsafePayloadValue.reason, .renewal)
    XCTAssertNotEqual(
      status.first?.transaction.unsafePayloadValue.id, status.first?.transaction.unsafePayloadValue.originalID)

    session.shouldEnterBillingRetryOnRenewal = true
    session.billingGracePeriodIsEnabled = true
    shop.clock.advance(by: .seconds(86_400 * 63))
    status = try await subscription.status
    XCTAssertEqual(status.first?.state, .inGracePeriod)
    XCTAssertEqual(try status.first?.renewalInfo.payloadValue.isInBillingRetry, true)
    try session.expireSubscription(productIdentifier: "monthly")
    status = try await subscription.status
    XCTAssertEqual(status.first?.state, .expired)
    let entitlements = await Transaction.currentEntitlements.collect()
    XCTAssertEqual(entitlements.count, 0)
  }
}
