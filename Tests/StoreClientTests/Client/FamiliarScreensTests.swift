import GemLedger
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The screens that people know from other SDKs' documentation, as they are written against this one.
final class FamiliarScreensTests: XCTestCase {
  // A store model, as RevenueCat's codelab builds it.
  @MainActor
  final class GemStoreModel {
    var packages: [Package] = []
    var gemBalance = 0
    var errorMessage: String?

    func loadStore() async {
      do {
        let offerings = try await Purchases.shared.offerings()
        // Named "gems" offering, or fall back to the current one.
        let offering = offerings.all["gems"] ?? offerings.current
        packages = offering?.availablePackages ?? []
      } catch {
        errorMessage = "Could not load the store: \(error.localizedDescription)"
      }
    }

    func buy(_ package: Package) async {
      do {
        let result = try await Purchases.shared.purchase(package: package)
        guard !result.userCancelled else { return }
        // The credit is durable when the purchase returns, so nothing has to be polled.
        await refreshBalance()
      } catch {
        errorMessage = "Purchase failed: \(error.localizedDescription)"
      }
    }

    func refreshBalance() async {
      do {
        Purchases.shared.invalidateVirtualCurrenciesCache()
        let currencies = try await Purchases.shared.virtualCurrencies()
        gemBalance = currencies.all["GEM"]?.balance ?? 0
      } catch {
        errorMessage = "Could not load your balance: \(error.localizedDescription)"
      }
    }

    // One key for one tap, sent again with every retry of it.
    func spend(_ cost: Int64, idempotencyKey: IdempotencyKey) async {
      do {
        try await Purchases.shared.spend([Adjustment(try CurrencyCode("GEM"), cost)], key: idempotencyKey)
        await refreshBalance()
      } catch  where error.code == .insufficientBalance {
        errorMessage = "You need more gems for that."
      } catch {
        errorMessage = "Could not complete that purchase."
      }
    }
  }

  // A button with its guard, as AppActor's documentation shows it.
  @MainActor
  final class BuyButton {
    private(set) var shown: [String] = []
    private var isPurchasing = false
    private let client: StoreClient

    init(_ client: StoreClient) { self.client = client }

    func tap(_ package: Package) async {
      guard !isPurchasing else { return }
      isPurchasing = true
      defer { isPurchasing = false }
      do {
        switch try await client.purchase(package: package) {
        case .success(let customerInfo):
          shown.append(customerInfo?.hasActiveEntitlement("premium") == true ? "premium" : "thanks")
        case .pendingServerValidation:
          shown.append("syncing")
        case .failedServerValidation(let errorCode, _, let requestID):
          shown.append("failed \(errorCode) \(requestID ?? "-")")
        case .cancelled: break
        case .pending: shown.append("pending")
        }
      } catch  where error.code == .purchaseAlreadyInProgress {
        shown.append("busy")
      } catch {
        shown.append("error: \(error.localizedDescription)")
      }
    }
  }

  @MainActor
  func testAGemStoreModel() async throws {
    let fixture = try ClientFixture()
    let level = Purchases.logLevel
    defer { Purchases.logLevel = level }
    Purchases.logLevel = .error
    var configuration = StoreClient.Configuration(
      apiKey: "appl_YOUR_PUBLIC_SDK_KEY", mode: .payment(fixture.backend), storefront: fixture.shop)
    configuration.isAutomatic = false
    try Purchases.configure(with: configuration)
    defer { Purchases.removeShared() }
    let (_, created) = try await Purchases.shared.logIn("your-stable-user-id")
    XCTAssertTrue(created)
    XCTAssertNil(Purchases.shared.cachedVirtualCurrencies?.all["GEM"]?.balance)

    let model = GemStoreModel()
    await model.loadStore()
    await model.refreshBalance()
    XCTAssertEqual(model.packages.map(\.storeProduct.localizedPriceString), ["$9.99", "$9.99"])
    XCTAssertEqual(model.gemBalance, 0)
    fixture.shop.script(.cancelled)
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gemBalance, 0)
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gemBalance, 1200)
    let key = IdempotencyKey.timeOrdered()
    await model.spend(50, idempotencyKey: key)
    await model.spend(50, idempotencyKey: key)
    XCTAssertEqual(model.gemBalance, 1150)
    XCTAssertNil(model.errorMessage)
    await model.spend(5000, idempotencyKey: .timeOrdered())
    XCTAssertEqual(model.errorMessage, "You need more gems for that.")
    XCTAssertEqual(Purchases.shared.cachedVirtualCurrencies?.all["GEM"]?.balance, 1150)
  }

  @MainActor
  func testABuyButton() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let offerings = try await client.offerings()
    let package = try XCTUnwrap(offerings.current?.availablePackages.first)
    let (button, other) = (BuyButton(client), BuyButton(client))
    await button.tap(package)
    fixture.shop.script(.cancelled, .pending, .unverified)
    for _ in 0..<3 { await button.tap(package) }
    XCTAssertEqual(button.shown, ["thanks", "pending", "failed receipt_unverified -"])
    fixture.shop.hold()
    let first = Task { await button.tap(package) }
    try await until { fixture.shop.isHeld }
    await button.tap(package)
    await other.tap(package)
    XCTAssertEqual(other.shown, ["busy"])
    fixture.shop.release()
    await first.value
  }

  @MainActor
  func testTheReceiptPipelineInSight() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let heard = Collector<String>()
    client.onReceiptPipelineEvent = { event in heard.add("pipeline event: \(event)") }
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    try await client.purchase(try ProductCode("gems_300"))
    let (pending, deadLettered) = (await client.pendingReceiptCount, await client.deadLetteredReceiptCount)
    XCTAssertEqual(pending, 1)
    XCTAssertEqual(deadLettered, 0)
    for item in await client.receiptQueueSnapshot() {
      XCTAssertEqual(
        "\(item.id) status=\(item.status) attempts=\(item.attemptCount)",
        "apple:sandbox:2000000001 status=waiting attempts=1")
    }
    fixture.backend.setDown(false)
    await client.syncPurchases()
    let left = await client.pendingReceiptCount
    XCTAssertEqual(left, 0)
    XCTAssertFalse(heard.all.isEmpty)
  }

  // A purchase in two steps, as game SDKs show it.
  @MainActor
  func testATwoStepPurchase() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let lines = Collector<String>()
    client.getProductCatalog { status, packages, error in
      guard status, let list = packages else { return lines.add("Catalog error: \(error?.localizedDescription ?? "")") }
      for product in list {
        lines.add("\(product.productIdentifier) \(product.localizedPriceString)")
      }
    }
    try await until { lines.all.count == 3 }
    let done = Collector<String>()
    client.purchasePackage(
      withProductID: "com.example.gems_300", price: Money(minorUnits: 999, currency: "USD"),
      context: OrderContext(roleID: "char-12345", serverID: "server-01")
    ) { status, outcome, error in
      if status {
        done.add("\(outcome?.order?.status.rawValue ?? "-") \(outcome?.isDeliveryPending == true)")
      } else {
        done.add("Purchase failed: \(error?.localizedDescription ?? "unknown")")
      }
    }
    try await until { !done.all.isEmpty }
    XCTAssertEqual(done.all, ["success false"])
    client.listSuccessfulTransactions(atPage: 1, size: 20) { status, items, error in
      guard status, let list = items else { return lines.add("\(error?.localizedDescription ?? "")") }
      lines.add(list.first?.product.text ?? "nothing")
    }
    try await until { lines.all.count == 4 }
    XCTAssertEqual(lines.all.last, "gems_300")
  }

  // Names of before there were logIn and logOut.
  func testTheLegacyNames() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    let heard = Collector<String>()
    client.createAlias("my_app_user_id") { info, _ in heard.add(info?.originalAppUserID ?? "-") }
    try await until { heard.all.count == 1 }
    client.identify("another_user_id") { info, _ in heard.add(info?.originalAppUserID ?? "-") }
    try await until { heard.all.count == 2 }
    client.restoreTransactions { info, _ in heard.add(info?.originalAppUserID ?? "-") }
    try await until { heard.all.count == 3 }
    XCTAssertEqual(heard.all, ["my_app_user_id", "another_user_id", "another_user_id"])
    try await client.reset()
    XCTAssertTrue(client.isAnonymous)
  }
}
