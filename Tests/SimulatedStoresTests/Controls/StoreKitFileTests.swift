import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A `.storekit` file as the shop, as StoreKit takes it.
final class StoreKitFileTests: XCTestCase {
  private func store(settings: String, products: String = "") throws -> SimulatedStore {
    let text = #"{"version":{"major":4},"settings":{\#(settings)},"products":[\#(products)]}"#
    return try SimulatedStore(storeKit: StoreKitConfiguration.load(Array(text.utf8)), signer: PlainSigner())
  }

  func testAProductWithoutADisplayNameIsSold() async throws {
    let store = try store(
      settings: "",
      products: #"""
        {"productID":"gems","type":"Consumable","displayPrice":"2.99","referenceName":"Bag of gems",
         "localizations":[{"locale":"en_US","displayName":""}]}
        """#)
    let phone = store.account("family").device("phone")
    let shown = try await phone.products(for: ["gems"])
    XCTAssertEqual(shown.map(\.displayName), ["Bag of gems"])
    let result = try await phone.purchase(StorePaymentRequest(productID: "gems"))
    guard case .success = result else { return XCTFail("\(result)") }
  }

  func testAPriceThatDoesNotFitSpoilsItsProductAlone() async throws {
    let store = try store(
      settings: #""_storefront":"JPN""#,
      products: #"""
        {"productID":"a","type":"Consumable","displayPrice":"4.99","referenceName":"A"},
        {"productID":"b","type":"Consumable","displayPrice":"500","referenceName":"B"}
        """#)
    let phone = store.account("family").device("phone")
    let shown = try await phone.products(for: ["a", "b"])
    XCTAssertEqual(shown.map(\.id), ["b"])
    await assertFails(.notAvailableInStorefront) { () async throws(StoreFailure) in
      _ = try await phone.purchase(StorePaymentRequest(productID: "a"))
    }
  }

  /// The reader of the files knows the rates by their numbers, and the store by their names.
  func testEveryTimeRateOfAFileIsTheStores() throws {
    for rate in TimeRate.allCases {
      let text = #"{"version":{"major":4},"settings":{"_timeRate":\#(rate.rawValue)}}"#
      XCTAssertEqual(try StoreKitConfiguration.load(Array(text.utf8)).notes, [], "\(rate)")
      XCTAssertEqual(try store(settings: #""_timeRate":\#(rate.rawValue)"#).timeRate, rate)
    }
    XCTAssertEqual(try store(settings: #""_timeRate":7"#).timeRate, .realTime)
  }

  func testACallThatTheFileLetsFailFails() async throws {
    let calls: [(name: String, api: StoreAPI)] = [
      ("Load Products", .loadProducts), ("Purchase", .purchase), ("Verification", .verification),
      ("App Store Sync", .appStoreSync), ("Subscription Status", .subscriptionStatus),
      ("App Transaction", .appTransaction), ("Manage Subscriptions Sheet", .manageSubscriptions),
      ("Refund Request Sheet", .refundRequest), ("Offer Code Redeem Sheet", .offerCodeRedeem),
    ]
    for call in calls {
      let store = try store(
        settings: #""_storeKitErrors":[{"name":"\#(call.name)","enabled":true,"current":null}]"#)
      let failing = StoreAPI.allCases.filter { store.simulatedError(forAPI: $0) != nil }
      XCTAssertEqual(failing, [call.api], call.name)
    }
    let store = try store(settings: #""_storeKitErrors":[{"name":"Load Products","enabled":true}]"#)
    await assertFails(.unknown) { () async throws(StoreFailure) in
      _ = try await store.account("family").device("phone").products(for: ["gems"])
    }
  }

  private func assertFails(_ failure: StoreFailure, _ body: () async throws(StoreFailure) -> Void) async {
    do throws(StoreFailure) {
      try await body()
      XCTFail("It succeeded.")
    } catch {
      XCTAssertEqual(error, failure)
    }
  }
}
