import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A gem store from the app to the server's books, as RevenueCat's codelab builds it, with a simulated store.
class FamiliarGemStoreTests: XCTestCase {
  /// The server's endpoint for spends: it knows the price, takes the customer from the session, and needs no refund
  /// where the item cannot be given, since price and item are one commit.
  struct SpendEndpoint {
    let ledger: Ledger

    func post(item: String, idempotencyKey: String, session customer: CustomerID) async -> Int {
      do {
        let (item, key) = (try ItemID(item), try IdempotencyKey(idempotencyKey))
        try await ledger.book(.buyItem(item, customer: customer, key: key))
        return 200
      } catch {
        switch error.code {
        case .insufficientBalance: return 402
        case .itemNotFound, .invalidIdentifier: return 400
        default: return 502
        }
      }
    }
  }

  @MainActor
  final class GemStoreModel {
    var packages: [Package] = []
    var gemBalance = 0
    var errorMessage: String?
    private let server: SpendEndpoint

    init(_ server: SpendEndpoint) { self.server = server }

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
        guard !result.userCancelled else { return }  // user closed the sheet
        // The credit is durable when the purchase returns, so once is enough.
        await refreshBalance()
      } catch {
        errorMessage = "Purchase failed: \(error.localizedDescription)"
      }
    }

    /// Invalidate first so we never show a stale value after a purchase or spend.
    func refreshBalance() async {
      do {
        Purchases.shared.invalidateVirtualCurrenciesCache()
        let currencies = try await Purchases.shared.virtualCurrencies()
        gemBalance = currencies.all["GEM"]?.balance ?? 0
      } catch {
        errorMessage = "Could not load your balance: \(error.localizedDescription)"
      }
    }

    // Create `idempotencyKey` once when the user taps buy, and reuse it on every retry of this spend.
    func spend(on item: String, idempotencyKey: String) async {
      let status = await server.post(
        item: item, idempotencyKey: idempotencyKey, session: Purchases.shared.customerID)
      switch status {
      case 402: errorMessage = "You need more gems for that."
      case 200..<300: await refreshBalance()
      default: errorMessage = "Could not complete that purchase."
      }
    }
  }

  /// Buy and see the balance grow; spend and hit the insufficient path.
  @MainActor
  func testAGemStoreFromTheTapToTheBooks() async throws {
    let world = try World(catalog: Self.gems())
    try configure(world)
    defer { Purchases.removeShared() }
    let (_, created) = try await Purchases.shared.logIn("your-stable-user-id")
    XCTAssertTrue(created)
    let model = GemStoreModel(SpendEndpoint(ledger: world.ledger))
    await model.loadStore()
    await model.refreshBalance()
    XCTAssertEqual(model.gemBalance, 0)
    XCTAssertEqual(model.packages.map(\.storeProduct.localizedTitle), ["300 Gems", "1,200 Gems", "6,500 Gems"])
    XCTAssertEqual(model.packages.map(\.storeProduct.localizedPriceString), ["$2.99", "$9.99", "$49.99"])

    let medium = try XCTUnwrap(model.packages.first { $0.storeProduct.productIdentifier == "gems_1200" })
    try world.store.inject(StoreFault(.cancel, on: .purchase))
    await model.buy(medium)
    XCTAssertEqual(model.gemBalance, 0)
    await model.buy(medium)
    XCTAssertEqual(model.gemBalance, 1200)
    XCTAssertEqual(Purchases.shared.cachedVirtualCurrencies?.all["GEM"]?.balance, 1200)

    let tap = IdempotencyKey.timeOrdered().text
    for _ in 0..<2 { await model.spend(on: "extra_life", idempotencyKey: tap) }
    XCTAssertEqual(model.gemBalance, 1150)
    XCTAssertNil(model.errorMessage)
    await model.spend(on: "legendary_skin", idempotencyKey: IdempotencyKey.timeOrdered().text)
    XCTAssertEqual(model.errorMessage, "You need more gems for that.")
    await model.refreshBalance()
    XCTAssertEqual(model.gemBalance, 1150)
    await model.spend(on: "no_such_item", idempotencyKey: IdempotencyKey.timeOrdered().text)
    XCTAssertEqual(model.errorMessage, "Could not complete that purchase.")
    try assertBooksAddUp(world.ledger)
  }

  /// A completed purchase can report that the user cancelled; the refresh on foreground shows it.
  @MainActor
  func testAForegroundHealsAPurchaseThatReportedCancelled() async throws {
    let world = try World(catalog: Self.gems())
    try configure(world)
    defer { Purchases.removeShared() }
    let model = GemStoreModel(SpendEndpoint(ledger: world.ledger))
    await model.loadStore()
    try world.store.inject(StoreFault(.reportsCancelled, on: .purchase))
    await model.buy(try XCTUnwrap(model.packages.first))
    XCTAssertEqual(model.gemBalance, 0)
    let currencies = try await Purchases.shared.appDidBecomeActive()
    XCTAssertEqual(currencies.all["GEM"]?.balance, 300)
    XCTAssertNil(model.errorMessage)
  }

  /// The server's half of a StoreKit 2 purchase: credit by the transaction's id, idempotent, finish only then.
  func testCreditingOnTheServerIsIdempotent() async throws {
    let world = try World(catalog: Self.gems())
    let result = try await world.phone.purchase(StorePaymentRequest(productID: "gems_300"))
    guard case .success(let verification) = result, verification.unverified == nil else {
      return XCTFail("\(result)")
    }
    let customer = try CustomerID("player-4f1c9a7e")
    func creditOnServer(_ receipt: StoreReceipt) async throws -> Bool {
      let post = ReceiptPost(receipt: receipt, customer: customer, source: .purchase)
      return try await world.access.post(post).booking.isReplayed
    }
    // The app dies between the credit and finish(), and the store delivers it again at the next launch.
    let isReplayed = try await creditOnServer(verification.receipt)
    XCTAssertFalse(isReplayed)
    for again in try await world.phone.unfinished(after: nil, limit: 10) {
      let isReplayed = try await creditOnServer(again.receipt)
      XCTAssertTrue(isReplayed)
      try await world.phone.finish(again.transaction.id)
    }
    XCTAssertEqual(try world.balance("player-4f1c9a7e"), 300)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
  }

  /// Order before payment, delivery to the game server, completion and delegate once each, and the history.
  @MainActor
  func testATwoStepPurchaseWithAGameServerThatIsAway() async throws {
    final class Delegate: StoreClientDelegate {
      var heard: [String] = []
      func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID) {
        heard.append(purchase.product.text)
      }
    }
    let game = GameServerStub()
    let world = try World(catalog: Self.gems(), delivery: game)
    let client = try world.client("player-4f1c9a7e", on: world.phone)
    let delegate = Delegate()
    client.delegate = delegate
    let done = Collector<PurchaseOutcome>()
    client.purchasePackage(
      withProductID: "gems_1200", price: Money(minorUnits: 999, currency: "USD"),
      context: OrderContext(roleID: "char-12345", serverID: "server-01")
    ) { _, outcome, _ in if let outcome { done.add(outcome) } }
    try await until { !done.all.isEmpty }
    // Paid for and credited; "items will arrive shortly".
    let outcome = try XCTUnwrap(done.all.first)
    XCTAssertNotNil(outcome.result.customerInfo)
    XCTAssertTrue(outcome.isDeliveryPending)
    try await until { !delegate.heard.isEmpty }
    XCTAssertEqual(delegate.heard, ["gems_1200"])
    XCTAssertEqual(try world.balance("player-4f1c9a7e"), 1200)

    game.confirms.add(true)
    world.clock.advance(by: .seconds(120))
    try await world.backend.retryDeliveries(now: world.clock.now)
    XCTAssertEqual(game.heard.all.map(\.purchaseCode), Array(repeating: try XCTUnwrap(outcome.order?.code), count: 2))
    XCTAssertEqual(game.heard.all.last?.context.roleID, "char-12345")
    let orders = try world.backend.orders(of: CustomerID("player-4f1c9a7e"))
    XCTAssertEqual(orders.map(\.status), [.success])
    let history = try await client.listSuccessfulTransactions(atPage: 1, size: 20)
    XCTAssertEqual(history.map(\.product.text), ["gems_1200"])
    XCTAssertEqual(history.first?.announcement?.code, outcome.order?.code)
    XCTAssertEqual(history.first?.announcement?.status, .success)
    XCTAssertEqual(history.first?.announcement?.context.roleID, "char-12345")
    XCTAssertEqual(done.all.count, 1)
    XCTAssertEqual(delegate.heard.count, 1)
  }

  // MARK: Helpers

  private func configure(_ world: World) throws {
    var configuration = StoreClient.Configuration(
      apiKey: "appl_YOUR_PUBLIC_SDK_KEY", mode: .payment(world.access), storefront: world.phone)
    configuration.clock = world.clock.storeClock
    configuration.isAutomatic = false
    configuration.logHandler = { _, _ in }
    try Purchases.configure(with: configuration)
  }

  private static func gems() throws -> Catalog {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/gems.json")
    return try Catalog.load(Array(Data(contentsOf: file)))
  }
}

/// A game server that confirms nothing until it is told to.
private final class GameServerStub: DeliveryTarget {
  let heard = Collector<Delivery>()
  let confirms = Collector<Bool>()

  func deliver(_ delivery: Delivery) async -> Bool {
    heard.add(delivery)
    return confirms.all.last ?? false
  }
}
