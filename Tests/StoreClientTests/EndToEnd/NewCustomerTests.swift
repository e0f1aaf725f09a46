import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

/// Customers that the backend does not know yet, and answers that the backend cannot give just now.
class NewCustomerTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"

  // MARK: The first call

  func testTheFirstCallOfANewCustomerIsAnsweredAsForAnyOther() async throws {
    func client() throws -> StoreClient {
      let world = try World(catalog: Self.catalog())
      return try world.client(alice, on: world.phone)
    }
    let gem = Adjustment(try CurrencyCode("GEM"), 1)
    await assertRefused(.insufficientBalance) { try await client().spend([gem]) }
    let isConsumed = try await client().consumeProduct("gems", amount: 1)
    XCTAssertFalse(isConsumed)
    let history = try await client().purchaseHistory(page: 1)
    XCTAssertEqual(history, [])
    let listed = try await client().listSuccessfulTransactions(atPage: 1, size: 20)
    XCTAssertEqual(listed, [])
    await assertRefused(.limitExceeded) { try await client().purchaseHistory(page: 0) }
    let balance = try await client().consumableBalance(for: "gems")
    XCTAssertEqual(balance, 0)
  }

  /// The first call can spend the initial balance of a currency.
  func testTheFirstSpendTakesOfTheInitialBalance() async throws {
    let world = try World(catalog: Self.catalog(initialBalance: 50))
    let client = try world.client(alice, on: world.phone)
    let isConsumed = await client.consumeProduct("gems", amount: 20)
    XCTAssertTrue(isConsumed)
    XCTAssertEqual(try world.balance(alice), 30)
    try assertBooksAddUp(world.ledger)
  }

  // MARK: Success

  func testASuccessHoldsTheEntitlementJustBoughtWhoeverCanBeAsked() async throws {
    for product in ["premium", "club", "badge"] {
      for (isKnown, isDown) in [(false, true), (true, true), (true, false), (false, false)] {
        let world = try World(catalog: Self.catalog())
        let network = FaultyBackend(world.access)
        let client = try world.client(alice, on: world.phone, backend: network)
        _ = try await client.offerings()
        if isKnown { _ = try await client.customerInfo() }
        if isDown { network.fail(.customer, with: .networkLostBeforeEffect, .always) }
        let info = try await client.purchase(try ProductCode(product)).customerInfo
        let line = "\(product), known \(isKnown), down \(isDown)"
        XCTAssertEqual(info?.entitlements.active.map(\.key), [product], line)
        XCTAssertEqual(info?.isStale, isDown, line)
        network.heal()
        let later = try await client.customerInfo()
        XCTAssertEqual(later.entitlements.active.map(\.key), [product], line)
        XCTAssertFalse(later.isStale, line)
        XCTAssertEqual(info?.entitlements.active, later.entitlements.active, line)
      }
    }
  }

  func testALongerEntitlementIsNotShortened() async throws {
    let world = try World(catalog: Self.catalog())
    let network = FaultyBackend(world.access)
    let client = try world.client(alice, on: world.phone, backend: network)
    try await client.purchase(try ProductCode("premium"))
    network.fail(.customer, with: .networkLostBeforeEffect, .always)
    let info = try await client.purchase(try ProductCode("premium_month")).customerInfo
    XCTAssertEqual(info?.entitlements["premium"]?.product.text, "premium")
    XCTAssertNil(info?.entitlements["premium"]?.expiresAt)
  }

  // MARK: Switching

  func testASwitchThatIsDoneDoesNotFailForWhatComesAfterIt() async throws {
    typealias Call = @Sendable (StoreClient) async throws -> (CustomerInfo, Bool?)
    let rows: [(line: UInt, start: String?, becomes: String?, created: Bool?, call: Call)] = [
      (
        #line, nil, "bobby-77d0e2b1", true,
        {
          let answer = try await $0.logIn("bobby-77d0e2b1")
          return (answer.customerInfo, answer.created)
        }
      ),
      (#line, alice, "bobby-77d0e2b1", nil, { (try await $0.identify("bobby-77d0e2b1"), nil) }),
      (#line, alice, "bobby-77d0e2b1", nil, { (try await $0.createAlias("bobby-77d0e2b1"), nil) }),
      (#line, alice, nil, nil, { (try await $0.logOut(), nil) }),
      (#line, alice, nil, nil, { (try await $0.reset(), nil) }),
    ]
    for row in rows {
      let world = try World(catalog: Self.catalog())
      let network = FaultyBackend(world.access)
      let client = try world.client(row.start, on: world.phone, backend: network)
      network.fail(.customer, with: .networkLostBeforeEffect, .always)
      let (info, created) = try await row.call(client)
      XCTAssertEqual(created, row.created, line: row.line)
      XCTAssertTrue(info.isStale, line: row.line)
      XCTAssertEqual(info.record.customer, client.customerID, line: row.line)
      if let becomes = row.becomes {
        XCTAssertEqual(client.customerID.text, becomes, line: row.line)
      } else {
        XCTAssertTrue(client.isAnonymous, line: row.line)
      }
    }
  }

  /// The device's disk is full when the backend has made the customer; the retry still says so.
  func testASignInThatCouldNotBeKeptSaysCreatedWhenItIs() async throws {
    let world = try World(catalog: Self.catalog())
    let eventLog = FailingEventLog()
    let client = try world.client(nil, on: world.phone, eventLog: eventLog)
    eventLog.isFull.withLock { $0 = true }
    await assertRefused(.inputOutput) { try await client.logIn(self.alice) }
    XCTAssertTrue(client.isAnonymous)
    eventLog.isFull.withLock { $0 = false }
    let (_, created) = try await client.logIn(alice)
    XCTAssertTrue(created)
    try await client.logOut()
    let (_, again) = try await client.logIn(alice)
    XCTAssertFalse(again)
  }

  private static func catalog(initialBalance: Int64? = nil) throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    func product(
      _ code: String, _ type: ProductType, grants: [Grant] = [], entitlement: String? = nil, period: String? = nil
    ) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: ["apple": code], type: type,
        localizations: [Localization(locale: "en_US", title: code)],
        prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)], grants: grants,
        entitlement: entitlement, period: period)
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems", initialBalance: initialBalance)],
      products: [
        product("gems", .consumable, grants: [Grant(currency: gem, amount: 1200)]),
        product("badge", .consumable, entitlement: "badge"),
        product("premium", .nonConsumable, entitlement: "premium"),
        product("premium_month", .autoRenewableSubscription, entitlement: "premium", period: "P1M"),
        product("club", .autoRenewableSubscription, entitlement: "club", period: "P1M"),
      ], settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}
