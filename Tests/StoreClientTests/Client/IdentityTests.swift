import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import XCTest

@testable import StoreClient

final class IdentityTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let bobby = "bobby-77d0e2b1"

  /// Each row has the signed-in customer, the call, the request to the backend, the next customer and the sharing.
  func testTheTableOfCalls() async throws {
    typealias Call = @Sendable (StoreClient) async throws -> Void
    let bobby = bobby
    let rows: [(line: UInt, start: String?, call: Call, asks: String?, becomes: String?, shares: Bool)] = [
      (#line, nil, { try await $0.logIn(bobby) }, "logIn \(bobby) from $RC", bobby, true),
      (#line, alice, { try await $0.logIn(bobby) }, "logIn \(bobby) from \(alice)", bobby, false),
      (#line, bobby, { try await $0.logIn(" \(bobby)\n") }, nil, bobby, false),
      (#line, nil, { try await $0.identify(bobby) }, "register \(bobby)", bobby, true),
      (#line, alice, { try await $0.identify(bobby) }, "register \(bobby)", bobby, false),
      (#line, nil, { try await $0.createAlias(bobby) }, "createAlias \(bobby) of $RC", bobby, true),
      (#line, alice, { try await $0.createAlias(bobby) }, "createAlias \(bobby) of \(alice)", bobby, false),
      (#line, alice, { try await $0.logOut() }, nil, nil, true),
      (#line, alice, { try await $0.reset() }, nil, nil, true),
      (#line, nil, { try await $0.reset() }, nil, nil, true),
      (#line, alice, { try await $0.setAllowSharingAppStoreAccount(true) }, nil, alice, true),
      (#line, nil, { try await $0.setAllowSharingAppStoreAccount(false) }, nil, nil, false),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      let client = try fixture.client(row.start)
      let before = client.customerID
      try await row.call(client)
      let asked = fixture.backend.calls.filter { !$0.hasPrefix("customer ") }
      XCTAssertEqual(asked.count, row.asks == nil ? 0 : 1, "\(asked)", line: row.line)
      if let asks = row.asks { XCTAssertTrue(asked.first?.hasPrefix(asks) == true, "\(asked)", line: row.line) }
      if let becomes = row.becomes {
        XCTAssertEqual(client.customerID.text, becomes, line: row.line)
      } else {
        XCTAssertTrue(client.isAnonymous, line: row.line)
        if row.start != nil { XCTAssertNotEqual(client.customerID, before, line: row.line) }
      }
      XCTAssertEqual(client.allowSharingAppStoreAccount, row.shares, line: row.line)
      // A restart finds the same.
      let again = try fixture.client(nil)
      XCTAssertEqual(again.customerID, client.customerID, line: row.line)
      XCTAssertEqual(again.allowSharingAppStoreAccount, row.shares, line: row.line)
    }
  }

  func testAnonymousIdsHaveTheirForm() throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    XCTAssertNotNil(client.customerID.text.wholeMatch(of: /\$RCAnonymousID:[0-9a-f]{32}/))
    XCTAssertTrue(client.isAnonymous)
    XCTAssertNotEqual(try fixture.client(nil, eventLog: MemoryEventLog()).customerID, client.customerID)
  }

  func testLogInSaysWhetherTheIdIsNew() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    let first = try await client.logIn(alice)
    XCTAssertTrue(first.created)
    XCTAssertEqual(first.customerInfo.originalAppUserID, alice)
    try await client.logOut()
    let second = try await client.logIn(alice)
    XCTAssertFalse(second.created)
  }

  func testIdsThatProgramsWriteWhereTheyHaveNoneAreRefused() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    let blocked = [
      "", "  \n", "no_user", "null", "none", "nil", "(null)", "NaN", "\u{0}", "unidentified", "undefined", "unknown",
      "anonymous", "guest", "-1", "0", "[]", "{}", "[object Object]", "a/b", " guest ",
      String(repeating: "x", count: 1501),
    ]
    for id in blocked {
      let error = await refusal(.invalidUserID) { try await client.logIn(id) }
      XCTAssertEqual(error?.revenueCatCode, 14)
      assertRefused(.invalidUserID) { try fixture.client(id, eventLog: MemoryEventLog()) }
    }
    XCTAssertTrue(client.isAnonymous)
  }

  func testIdsOfTheLedgersOwnKindsAreRefused() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    for id in ["$erased:0000000000000001", " $erased:x", "$stock:sword"] {
      let error = await refusal(.invalidIdentifier) { try await client.logIn(id) }
      XCTAssertEqual(error?.revenueCatCode, 14)
      _ = await refusal(.invalidIdentifier) { try await client.identify(id) }
      _ = await refusal(.invalidIdentifier) { try await client.createAlias(id) }
      assertRefused(.invalidIdentifier) { try fixture.client(id, eventLog: MemoryEventLog()) }
    }
    XCTAssertTrue(client.isAnonymous)
  }

  func testLogOutOfNobodyIsAnError() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    let error = await refusal(.configuration) { try await client.logOut() }
    XCTAssertEqual(error?.revenueCatCode, 22)
  }

  func testAFailedLogInSignsNobodyIn() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(nil)
    let before = client.customerID
    fixture.backend.setDown(true)
    let error = await refusal(.backendUnreachable) { try await client.logIn(self.alice) }
    XCTAssertEqual(error?.revenueCatCode, 10)
    XCTAssertEqual(client.customerID, before)
  }

  func testWarnsAboutIdsThatCanBeGuessedOrNameAPerson() throws {
    let rows: [(line: UInt, id: String, word: String?)] = [
      (#line, "alice@example.com", "e-mail"), (#line, "12345678901", "guess"), (#line, "alice", "guess"),
      (#line, "4f1c9a7e-91d2-4c41", nil), (#line, "user@home-9f8e7d6c", nil),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      let messages = Collector<String>()
      _ = try fixture.client(row.id) { $0.logHandler = { level, text in if level == .warn { messages.add(text) } } }
      if let word = row.word {
        XCTAssertTrue(messages.all.contains { $0.contains(word) }, "\(messages.all)", line: row.line)
        XCTAssertFalse(
          messages.all.contains { $0.contains(row.id) }, "the id itself is nobody's business", line: row.line)
      } else {
        XCTAssertEqual(messages.all, [], line: row.line)
      }
    }
  }

  func testRestoreSharesByTheRule() async throws {
    typealias Row = (
      line: UInt, start: String?, allows: Bool?, isLegacy: Bool, behavior: EntitlementSharing, sharing: String
    )
    let rows: [Row] = [
      (#line, nil, nil, false, .keepWithOwner, "transfer"), (#line, nil, false, false, .keepWithOwner, "keepWithOwner"),
      (#line, alice, nil, false, .keepWithOwner, "keepWithOwner"), (#line, alice, nil, false, .transfer, "transfer"),
      (#line, alice, true, false, .keepWithOwner, "transfer"), (#line, alice, nil, true, .transfer, "alias"),
      (#line, alice, true, false, .alias, "alias"),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      let client = try fixture.client(row.start) { $0.restoreBehavior = row.behavior }
      if let allows = row.allows { try await client.setAllowSharingAppStoreAccount(allows) }
      fixture.shop.sell("com.example.gems_300", token: AccountToken(of: try CustomerID(alice)))
      _ = row.isLegacy ? try await client.restoreTransactions() : try await client.restorePurchases()
      XCTAssertEqual(fixture.backend.calls.last, "restore 1 \(row.sharing)", line: row.line)
      XCTAssertEqual(fixture.shop.unfinished, [], "what was not credited yet is", line: row.line)
    }
  }

  /// The restore of one customer is answered when another one has signed in.
  func testAnAnswerForAnEarlierCustomerIsNotKeptForTheNext() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(alice)
    await client.context.register(client.customerID)
    fixture.backend.hold()
    async let restored = client.restorePurchases()
    try await until { fixture.backend.heldCount == 1 }
    fixture.backend.stopHolding()
    try await client.identify(bobby)
    fixture.backend.release()
    let info = try await restored
    XCTAssertEqual(info.record.customer.text, alice)
    XCTAssertEqual(client.cachedCustomerInfo?.record.customer.text, bobby)
  }

  func testSecretAndUnfittingKeysAreRefused() throws {
    let fixture = try ClientFixture()
    let rows: [(line: UInt, key: String, word: String?)] = [
      (#line, "sk_live", "secret"), (#line, "", "empty"), (#line, "goog_key", "google"), (#line, "amzn_key", "amazon"),
      (#line, "appl_key", nil), (#line, "test_key", nil), (#line, "my_api_key", nil),
    ]
    for row in rows {
      guard let word = row.word else {
        XCTAssertNoThrow(try fixture.client { $0.apiKey = row.key }, line: row.line)
        continue
      }
      let error = assertRefused(.configuration, line: row.line) { try fixture.client { $0.apiKey = row.key } }
      XCTAssertTrue(error?.message.contains(word) == true, "\(error?.message ?? "")", line: row.line)
      XCTAssertEqual(error?.revenueCatCode, 23, line: row.line)
    }
  }

  func testTheSharedClientAndFreeOnes() throws {
    let fixture = try ClientFixture()
    let shared = try Purchases.configure(
      withAPIKey: "appl_key", appUserID: alice, mode: .payment(fixture.backend), storefront: fixture.shop)
    XCTAssertTrue(Purchases.shared === shared)
    let free = try fixture.client(bobby)
    XCTAssertEqual(Purchases.shared.customerID.text, alice)
    XCTAssertEqual(free.customerID.text, bobby)
    Purchases.removeShared()
    XCTAssertFalse(Purchases.isConfigured)
  }

  func testTheLogHasALevel() throws {
    let fixture = try ClientFixture()
    let messages = Collector<LogLevel>()
    let (level, handler) = (Purchases.logLevel, Purchases.logHandler)
    defer { (Purchases.logLevel, Purchases.logHandler) = (level, handler) }
    Purchases.logHandler = { level, _ in messages.add(level) }
    for least in [LogLevel.error, .warn] {
      Purchases.logLevel = least
      _ = try fixture.client("alice") { $0.logHandler = nil }
    }
    XCTAssertEqual(messages.all, [.warn])
  }
}
