import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

/// What RevenueCat's users write every day, with one import for the client.
@MainActor
final class EverydayCallsTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  // MARK: RevenueCat's names

  func testTheTripleOfAPurchase() async throws {
    let sandbox = try SnippetWorld.open()
    launch()
    let offerings = try await Purchases.shared.offerings()
    let package = try XCTUnwrap(offerings.current?.monthly)
    let (transaction, customerInfo, userCancelled) = try await Purchases.shared.purchase(package: package)
    XCTAssertEqual(transaction?.productIdentifier, "com.myapp.club")
    XCTAssertEqual(customerInfo.entitlements.active.keys.sorted(), ["premium"])
    XCTAssertEqual(customerInfo.activeSubscriptions, ["club"])
    XCTAssertEqual(customerInfo.allPurchasedProductIdentifiers, ["club"])
    XCTAssertFalse(userCancelled)
    let end = try XCTUnwrap(customerInfo.expirationDate(forEntitlement: "premium"))
    XCTAssertGreaterThan(end, customerInfo.requestDate)
    XCTAssertEqual(customerInfo.entitlements["premium"]?.latestPurchaseDate, transaction?.purchaseDate)

    let pack = try XCTUnwrap(offerings["gems"]?["small"])
    try sandbox.store.inject(StoreFault(.cancel, on: .purchase))
    let cancelled: PurchaseResultData = try await Purchases.shared.purchase(package: pack)
    XCTAssertTrue(cancelled.userCancelled)
    XCTAssertNil(cancelled.transaction)
    XCTAssertEqual(cancelled.customerInfo.hasActiveEntitlement("premium"), true, "what is known stays known")
    sandbox.store.askToBuyEnabled = true
    do {
      let (_, _, _) = try await Purchases.shared.purchase(package: pack)
      XCTFail("a purchase that waits for an approval is an error of this form")
    } catch ErrorCode.paymentPendingError {}
  }

  func testProductsMetadataAndPrices() async throws {
    _ = try SnippetWorld.open()
    launch()
    let products = await Purchases.shared.products(["gems_1200", "nothing", "com.myapp.coins"])
    XCTAssertEqual(products.map(\.price), [Decimal(string: "9.99"), Decimal(string: "0.99")])
    let offerings = try await Purchases.shared.offerings()
    let gems = try XCTUnwrap(offerings.all["gems"])
    XCTAssertEqual(gems.metadata["theme"] as? String, "night")
    XCTAssertEqual(gems.getMetadataValue(for: "columns", default: 1), 2)
    XCTAssertEqual(gems.getMetadataValue(for: "rows", default: 1), 1)
    let theme: String? = gems.getMetadataValue(for: "theme")
    XCTAssertEqual(theme, "night")
    let wrong: Int? = gems.getMetadataValue(for: "theme")
    XCTAssertNil(wrong)
  }

  func testBalancesAreWrittenComparedAndShown() throws {
    let balances = VirtualCurrencies.preview
    let again = try JSONDecoder().decode(VirtualCurrencies.self, from: JSONEncoder().encode(balances))
    XCTAssertEqual(again, balances)
    let later = VirtualCurrencies(
      Array(balances.all.values), customer: balances.customer, asOf: Timestamp(milliseconds: 5), isStale: true)
    XCTAssertEqual(later, balances, "equal, whenever they were asked for")
    XCTAssertEqual("\(balances)", "GEM 1200")
    XCTAssertEqual("\(later)", "GEM 1200 (stale)")
    XCTAssertTrue(CustomerInfo.preview().hasActiveEntitlement("premium"))
    XCTAssertFalse(CustomerInfo.preview(isPremium: false).hasActiveEntitlement("premium"))
  }

  func testLiteralsAreCheckedInTheCall() async throws {
    _ = try SnippetWorld.open()
    launch()
    let offerings = try await Purchases.shared.offerings()
    let package = try XCTUnwrap(offerings["gems"]?["small"])
    try await Purchases.shared.purchase(package: package)
    for _ in 0..<2 { try await Purchases.shared.spend(["GEM": 50], key: "tap-1") }
    let left = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance
    XCTAssertEqual(left, 250)
    let wrong: [(line: UInt, amounts: AmountsByCode, key: String?, code: LedgerError.Code)] = [
      (#line, ["G E M": 50], "tap-2", .invalidIdentifier), (#line, ["GEM": 50], "", .invalidIdentifier),
      (#line, ["GEM": 1, "GEM": 2], "tap-3", .invalidRequest), (#line, [:], "tap-4", .invalidRequest),
      (#line, ["RUBY": 1], nil, .unknownCurrency), (#line, ["GEM": 251], nil, .insufficientBalance),
    ]
    for row in wrong {
      do {
        try await Purchases.shared.spend(row.amounts, key: row.key)
        XCTFail("spent", line: row.line)
      } catch { XCTAssertEqual(error.code, row.code, line: row.line) }
    }
    let life = try await Purchases.shared.buyItem("extra_life", key: "tap-5")
    let again = try await Purchases.shared.buyItem("extra_life", key: "tap-5")
    XCTAssertEqual([life.isReplayed, again.isReplayed], [false, true])
    for (id, key, code) in [
      ("", "tap-6", LedgerError.Code.invalidIdentifier), ("extra_life", "", .invalidIdentifier),
      ("no_such_item", "tap-6", .itemNotFound), ("extra_life", "tap-1", .keyConflict),
    ] {
      do {
        try await Purchases.shared.buyItem(id, key: key)
        XCTFail("bought \(id)")
      } catch { XCTAssertEqual(error.code, code, id) }
    }
    XCTAssertThrowsError(try PurchaseOrder(productID: "gems_300", key: "")) { error in
      XCTAssertEqual((error as? LedgerError)?.code, .invalidIdentifier)
    }
    let order = try PurchaseOrder(productID: "gems_300", key: "order-1")
    let codes = [try await Purchases.shared.purchase(order: order), try await Purchases.shared.purchase(order: order)]
    XCTAssertEqual(codes[0].order?.code, codes[1].order?.code)
    XCTAssertNotNil(codes[0].order?.code)
  }
}
