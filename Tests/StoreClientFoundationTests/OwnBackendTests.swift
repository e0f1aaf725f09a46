import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

@testable import PageSnippets

/// Values for previews, backends of one's own, and the lines of the log.
@MainActor
final class OwnBackendTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  func testABackendOfOnesOwn() async throws {
    let sandbox = try SnippetWorld.open()
    StoreClient.defaults.mode = .payment(FortyTwoGems(decorated: sandbox.backend))
    Purchases.configure(withAPIKey: "appl_key")
    let balances = try await Purchases.shared.virtualCurrencies()
    XCTAssertEqual(balances.all.mapValues(\.balance), ["GEM": 42])
    let offerings = try await Purchases.shared.offerings()
    XCTAssertEqual(offerings["gems"]?.availablePackages.count, 2)
  }

  func testTheCoreAloneIsOneImport() async throws {
    _ = try SnippetWorld.open()
    let client = Purchases.configure(withAPIKey: "appl_key")
    let shop = OneImportShop(client: client)
    let (status, code) = try await shop.order("gems_300")
    XCTAssertEqual(status, .success)
    XCTAssertNotNil(code)
    let again = try await shop.order("gems_300")
    XCTAssertEqual(again.1, code, "one key, one order")
    let left = try await shop.spend("GEM", 100, key: "tap-1")
    XCTAssertEqual(left, [200])
    let owned = try await shop.buy("extra_life")
    XCTAssertEqual(owned, 1)
  }

  func testPreviewsHaveValues() throws {
    let offering = try XCTUnwrap(Offerings.preview.current)
    XCTAssertEqual(offering.availablePackages.map(\.localizedPriceString), ["$2.99", "$9.99"])
    XCTAssertEqual(offering["large"]?.storeProduct.price, Decimal(string: "9.99"))
    XCTAssertEqual(Offerings.preview.products.map(\.productIdentifier), ["gems_300", "gems_1200"])
    let two = Offerings(
      [offering, Offerings.Offering(try OfferingID("empty"), packages: [])], current: try OfferingID("empty"))
    XCTAssertEqual(two.current?.identifier, "empty")
    XCTAssertEqual(two.all.count, 2)
  }

  func testDescriptionsReadWell() throws {
    XCTAssertEqual("\(Offerings.preview)", "1 offering, gems is current")
    XCTAssertEqual(
      "\(Offerings.Offering.preview)", "gems [small: gems_300 for $2.99, large: gems_1200 for $9.99]")
    XCTAssertEqual("\(CustomerInfo.preview())", "entitlements premium; 0 purchases")
    XCTAssertEqual("\(VirtualCurrencies.preview)", "GEM 1200")
    XCTAssertEqual("\(PurchaseResult.success(nil))", "credited")
    let booking = Booking(
      .spend, customer: try CustomerID("alice"), createdAt: Timestamp(milliseconds: 0),
      entries: [PostedEntry(.spend, try CurrencyCode("GEM"), amount: -50, balance: 1150)],
      items: [PostedItem(try ItemID("extra_life"), quantity: 1, owned: 1)], isReplayed: true)
    XCTAssertEqual("\(booking)", "spend: GEM -50 to 1150, extra_life +1 (replayed)")
  }

  /// Each call, its way and its outcome; ids of customers, keys and receipts stay out.
  func testTheLogTellsEachCallAndNothingSecret() async throws {
    let sandbox = try SnippetWorld.open()
    let lines = Collector<String>()
    Purchases.logLevel = .debug
    Purchases.logHandler = { _, message in lines.add(message) }
    Purchases.configure(withAPIKey: "appl_secret_of_mine", appUserID: "player-4f1c9a7e")
    let offerings = try await Purchases.shared.offerings()
    let package = try XCTUnwrap(offerings["gems"]?.availablePackages.first)
    let result: PurchaseResult = try await Purchases.shared.purchase(package: package)
    XCTAssertFalse(result.userCancelled)
    _ = try await Purchases.shared.virtualCurrencies()
    _ = try await Purchases.shared.virtualCurrencies()
    try await Purchases.shared.spend(["GEM": 50], key: "tap-of-mine")
    do {
      try await Purchases.shared.spend(["GEM": 5000], key: "tap-of-mine-2")
      XCTFail("a spend beyond the balance")
    } catch { XCTAssertEqual(error.code, .insufficientBalance) }
    for wanted in [
      "Backend, offerings: answered.", "Store, products of 4: 4.", "offerings: 2 offerings, club is current.",
      "Store, purchase of gems_300: paid.", "Backend, post: answered.", "Store, finish: done.", "purchase: credited.",
      "virtualCurrencies: COIN 0, GEM 300.", "The balances in the cache are fresh.",
      "spend: spend: GEM -50 to 250.", "Backend, spend: insufficient_balance.",
    ] {
      XCTAssertTrue(lines.all.contains(wanted), "\(wanted) is not in \(lines.all)")
    }
    let transactions = sandbox.store.allTransactions().map(\.id.text)
    for secret in ["appl_secret", "player-4f1c9a7e", "tap-of-mine"] + transactions {
      XCTAssertFalse(lines.all.contains { $0.contains(secret) }, "\(secret) is in \(lines.all)")
    }
    let before = lines.all.count
    Purchases.logLevel = .info
    _ = try await Purchases.shared.virtualCurrencies()
    XCTAssertEqual(lines.all.count, before)
  }

  func testRevenueCatsTripleOfAProduct() async throws {
    _ = try SnippetWorld.open()
    Purchases.configure(withAPIKey: "appl_key")
    let found = await Purchases.shared.products(["gems_300"])
    let product = try XCTUnwrap(found.first)
    let (transaction, customerInfo, userCancelled) = try await Purchases.shared.purchase(product: product)
    XCTAssertEqual(transaction?.productIdentifier, "gems_300")
    XCTAssertEqual(customerInfo.nonSubscriptions.count, 1)
    XCTAssertFalse(userCancelled)
  }
}
