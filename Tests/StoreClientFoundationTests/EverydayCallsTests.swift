import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

/// What RevenueCat's users write every day, with one import for the client.
@MainActor
final class EverydayCallsTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  // The page "Coming from RevenueCat, in ten minutes" shows the code between these marks; a test compares them.
  // ten-minutes: launch
  func launch() {
    Purchases.logLevel = .warn
    Purchases.configure(withAPIKey: "appl_YOUR_PUBLIC_SDK_KEY")
  }
  // ten-minutes: end

  // ten-minutes: view model
  @MainActor
  final class ShopModel {
    private(set) var packages: [Package] = []
    private(set) var gems = 0
    private(set) var isPremium = false
    private(set) var message: String?

    func load() async {
      do {
        let offerings = try await Purchases.shared.offerings()
        packages = (offerings["gems"] ?? offerings.current)?.availablePackages ?? []
        gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
        isPremium = try await Purchases.shared.customerInfo().entitlements.all["premium"]?.isActive == true
      } catch {
        message = error.localizedDescription
      }
    }

    func buy(_ package: Package) async {
      do {
        let result = try await Purchases.shared.purchase(package: package)
        guard !result.userCancelled else { return }
        isPremium = result.customerInfo.entitlements["premium"]?.isActive == true
        // The credit is durable when the purchase returns.
        gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
      } catch ErrorCode.networkError {
        message = "You are offline."
      } catch {
        message = error.localizedDescription
      }
    }

    /// The key is made once for a tap, and sent again with every retry of it.
    func buyExtraLife(tap: IdempotencyKey = .timeOrdered()) async {
      do {
        try await Purchases.shared.buyItem("extra_life", key: tap)
        gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
      } catch  where error.code == .insufficientBalance {
        message = "You need more gems for that."
      } catch {
        message = error.localizedDescription
      }
    }
  }
  // ten-minutes: end

  // ten-minutes: test
  func testTheShop() async throws {
    let sandbox = try StoreSandbox.asDefault(try SnippetWorld.catalog())
    launch()
    let model = ShopModel()
    await model.load()
    try sandbox.store.inject(StoreFault(.cancel, on: .purchase))
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gems, 0)
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gems, 300)
    await model.buyExtraLife()
    XCTAssertEqual(model.gems, 250)
    XCTAssertNil(model.message)
  }
  // ten-minutes: end

  func testThePageShowsTheCodeOfThisFile() throws {
    let file = URL(filePath: #filePath)
    let top = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: top.appending(
        path: "Sources/StoreClientFoundation/StoreClientFoundation.docc/ComingFromRevenueCat.md"), encoding: .utf8)
    let shown = Self.blocks(page.components(separatedBy: "\n"), from: { $0 == "```swift" }, to: { $0 == "```" })
    let tested = Self.blocks(
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n"),
      from: { $0.hasPrefix("  // ten-minutes: ") && !$0.hasSuffix("end") }, to: { $0 == "  // ten-minutes: end" })
    XCTAssertEqual(shown.count, 3)
    for block in shown { XCTAssertTrue(tested.contains(block), "no test holds:\n\(block)") }
  }

  /// The lines between marks without their common indentation.
  private static func blocks(
    _ lines: [String], from isStart: (String) -> Bool, to isEnd: (String) -> Bool
  ) -> [String] {
    var (blocks, block): ([String], [String]?) = ([], nil)
    for line in lines {
      if let open = block {
        guard isEnd(line) else {
          block = open + [line]
          continue
        }
        let indent = open.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        blocks.append(open.map { String($0.dropFirst(indent)) }.joined(separator: "\n"))
        block = nil
      } else if isStart(line) {
        block = []
      }
    }
    return blocks
  }

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
    let wrong: [(line: UInt, amounts: SpendAmounts, key: String?, code: LedgerError.Code)] = [
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
  }
}
