import GemLedger
import GemTestSupport
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A parent and a child on one store account, and on one device: neither gets the wallet of the other.
class TwoPeopleTests: XCTestCase {
  private let dad = "dad-4f1c9a7e"
  private let kid = "kid-77d0e2b1"

  func testARestoreWithoutSigningInGivesEntitlementsAndNoWallet() async throws {
    for isLegacy in [false, true] {
      let world = try await World(dad: dad)
      let client = try world.client(nil, on: world.tablet, eventLog: MemoryEventLog())
      let info = isLegacy ? try await client.restoreTransactions() : try await client.restorePurchases()
      XCTAssertEqual(info.entitlements.active.map(\.key), ["premium"])
      let balances = try await client.virtualCurrencies()
      XCTAssertEqual(balances["GEM"]?.balance, 0)
      await assertRefused(.insufficientBalance) { try await client.spend([Adjustment(CurrencyCode("GEM"), 1)]) }
      XCTAssertEqual(try world.balance(dad), 1200)
    }
  }

  func testARestoreAndASignInLeaveTwoWallets() async throws {
    for isLegacy in [false, true] {
      let world = try await World(dad: dad)
      let client = try world.client(nil, on: world.tablet, eventLog: MemoryEventLog())
      _ = isLegacy ? try await client.restoreTransactions() : try await client.restorePurchases()
      let (info, created) = try await client.logIn(kid)
      XCTAssertTrue(created)
      XCTAssertEqual(info.record.ids.contains(try CustomerID(dad)), false)
      XCTAssertEqual(try world.balance(kid), 0)
      XCTAssertEqual(try world.balance(dad), 1200)
      // The kid's own purchases are the kid's.
      try await client.purchase(try ProductCode("gems"))
      XCTAssertEqual(try world.balance(kid), 1200)
      XCTAssertEqual(try world.balance(dad), 1200)
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The client began without an id, so the store account may be shared: its entitlements, and no wallet.
  func testARestoreOfASignedInCustomerTakesNoOtherOnesWallet() async throws {
    let world = try await World(dad: dad)
    let client = try world.client(nil, on: world.tablet, eventLog: MemoryEventLog())
    try await client.logIn(kid)
    XCTAssertTrue(client.allowSharingAppStoreAccount)
    let info = try await client.restorePurchases()
    XCTAssertEqual(info.entitlements.active.map(\.key), ["premium"])
    XCTAssertEqual(try world.balance(kid), 0)
    XCTAssertEqual(try world.balance(dad), 1200)
  }

  /// One device: the first signs in from an anonymous id, and the app goes back to that id.
  func testASecondSignInFromAnIDThatIsSomebodysOnlySwitches() async throws {
    let world = try await World(dad: dad)
    let anonymous = try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcdef")
    _ = try await world.backend.register(anonymous)
    _ = try await world.backend.logIn(CustomerID(dad), from: anonymous)
    let registration = try await world.backend.logIn(CustomerID(kid), from: anonymous)
    XCTAssertTrue(registration.isCreated)
    XCTAssertEqual(try world.balance(kid), 0)
    XCTAssertEqual(try world.balance(dad), 1200)
    XCTAssertEqual(try world.balance(anonymous.text), 1200)
  }

  /// Two devices with one anonymous id sign in at the same moment.
  func testSignInsAtTheSameMomentLeaveTwoWallets() async throws {
    for isKnown in [false, true] {
      for round in 0..<20 {
        let world = try World(catalog: World.familyCatalog())
        let anonymous = try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcdef")
        let backend = world.backend
        if isKnown { _ = try await backend.register(anonymous) }
        let names = try (0..<8).map { try CustomerID("person-\(round)-\($0)") }
        for name in names { try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 10)], customer: name) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for name in names { group.addTask { _ = try await backend.logIn(name, from: anonymous) } }
          try await group.waitForAll()
        }
        XCTAssertEqual(try names.map { try world.balance($0.text) }, names.map { _ in 10 })
        try assertBooksAddUp(world.ledger)
      }
    }
  }

  /// Without any sign-in, a new installation finds the purchases of the last one; over HTTP the entitlements alone.
  func testARestoreJoinsTwoInstallationsThatNobodySignedInOn() async throws {
    let world = try World(catalog: World.familyCatalog())
    let first = try world.client(nil, on: world.phone, eventLog: MemoryEventLog())
    for product in ["gems", "premium"] { try await first.purchase(try ProductCode(product)) }
    let next = try world.client(nil, on: world.phone, eventLog: MemoryEventLog())
    let info = try await next.restorePurchases()
    XCTAssertEqual(info.entitlements.active.map(\.key), ["premium"])
    let balances = try await next.virtualCurrencies()
    // A receipt can be a copy of another person's: a server merges no customers for an app.
    XCTAssertEqual(balances["GEM"]?.balance, world.access is LocalBackend ? 1200 : 0)
    try assertBooksAddUp(world.ledger)
  }
}

extension World {
  /// Makes a store account with a phone on which a customer has signed in and bought.
  fileprivate init(dad: String) async throws {
    try self.init(catalog: Self.familyCatalog())
    let client = try client(dad, on: phone, eventLog: MemoryEventLog())
    for product in ["gems", "premium"] { try await client.purchase(try ProductCode(product)) }
  }

  fileprivate static func familyCatalog() throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    func product(_ code: String, _ type: ProductType, _ grants: [Grant], _ entitlement: String?) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: ["apple": code], type: type,
        localizations: [Localization(locale: "en_US", title: code)],
        prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)], grants: grants,
        entitlement: entitlement)
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        product("gems", .consumable, [Grant(currency: gem, amount: 1200)], nil),
        product("premium", .nonConsumable, [], "premium"),
      ], settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}
