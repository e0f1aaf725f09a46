#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import XCTest

@testable import GemServer

final class PaymentTests: XCTestCase {
  private static let base = "/api/v1/client/purchase"

  // MARK: Catalog

  func testTheCatalogIsThatOfTheKeysStore() async throws {
    let world = try APIWorld()
    let answer = try await world.send("GET", "\(Self.base)/products?clientId=game", key: world.appKey)
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body["statusCode"], 0)
    let first = try XCTUnwrap(answer.body["data"]?.array?.first)
    XCTAssertEqual(
      first,
      [
        "storeProductId": "gems_300", "productId": "gems_300", "code": "gems_300", "name": "300 Gems",
        "productName": "300 Gems", "title": "300 Gems", "description": "A handful of gems", "price": 75000,
        "currency": "VND", "discountPrice": nil,
        "items": [["itemId": "GEM", "itemName": "Gems", "quantity": 300]], "isActive": true, "sortOrder": 1,
      ])
    let american = try await world.send(
      "GET", "\(Self.base)/products?storefront=USA&locale=de_AT", key: world.key(of: .google))
    let package = try XCTUnwrap(american.body["data"]?.array?.first)
    XCTAssertEqual(package["price"], .number("2.99"))
    XCTAssertEqual(package["title"], "300 Edelsteine")
    let amazon = try await world.send("GET", "\(Self.base)/products", key: world.key(of: .amazon))
    XCTAssertEqual(amazon.body["data"], [])
  }

  func testASecretKeySaysTheStoreAndAnAppsKeyMayNotContradictIt() async throws {
    let world = try APIWorld()
    let missing = try await world.send("GET", "\(Self.base)/products")
    XCTAssertEqual(missing.status, 400)
    XCTAssertEqual(missing.body["statusCode"], 400)
    let given = try await world.send("GET", "\(Self.base)/products?type=GOOGLE")
    XCTAssertEqual(given.body["data"]?.array?.count, 3)
    let wrong = try await world.send("GET", "\(Self.base)/products?type=GOOGLE", key: world.appKey)
    XCTAssertEqual(wrong.status, 400)
  }

  // MARK: Both steps

  func testAnnouncedAndPaid() async throws {
    let world = try APIWorld()
    let opened = try await world.announce("alice", ["amount": 249_000])
    XCTAssertEqual(opened.status, 200)
    XCTAssertEqual(opened.body.only("statusCode", "paymentStatus"), ["statusCode": 0, "paymentStatus": "pending"])
    let code = try XCTUnwrap(opened.body["purchaseCode"]?.text)
    XCTAssertTrue(code.hasPrefix("AP"))
    let receipt = try world.receipt("t1")
    let done = try await world.complete(code, receipt)
    XCTAssertEqual(done.status, 200)
    XCTAssertEqual(
      done.body,
      [
        "statusCode": 0, "message": "SUCCESS", "purchaseCode": .string(code), "paymentStatus": "success",
        "deliveryPending": false, "productId": "gems_1200", "transactionId": "t1", "originalTransactionId": "t1",
      ])
    let again = try await world.complete(code, receipt)
    XCTAssertEqual(again.body.only("statusCode", "paymentStatus"), ["statusCode": 1050, "paymentStatus": "success"])
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
  }

  func testTheSameAnnouncementUnderOneKeyIsOneOrder() async throws {
    let world = try APIWorld()
    let body: JSONValue = ["productId": "gems_1200", "bundleId": "com.example.gems", "sdkUserId": "alice"]
    var codes: Set<String?> = []
    for expected in [0, 1034] as [Int64] {
      let answer = try await world.send(
        "POST", "\(Self.base)/init-payment", body, key: world.appKey, headers: [("Idempotency-Key", "k1")])
      XCTAssertEqual(answer.body["statusCode"], .integer(expected))
      codes.insert(answer.body["purchaseCode"]?.text)
    }
    XCTAssertEqual(codes.count, 1)
    let other = try await world.send(
      "POST", "\(Self.base)/init-payment",
      ["productId": "gems_300", "bundleId": "com.example.gems", "sdkUserId": "alice"], key: world.appKey,
      headers: [("Idempotency-Key", "k1")])
    XCTAssertEqual(other.status, 409)
    XCTAssertEqual(other.body["code"], "key_conflict")
  }

  func testAReplayAtLaunchFindsTheOrderOfItsTransaction() async throws {
    let world = try APIWorld()
    let code = try await world.announce().purchaseCode()
    let receipt = try world.receipt("t1")
    _ = try await world.complete(code, receipt)
    let late = try await world.announce(
      "alice", ["externalTransactionId": "t1", "environment": "LocalTesting", "testSession": "s1"])
    XCTAssertEqual(late.body["statusCode"], 1034)
    XCTAssertEqual(late.body["purchaseCode"], .string(code))
    // SDKs name the transaction and not its environment.
    let unnamed = try await world.announce("alice", ["externalTransactionId": "t1"])
    XCTAssertEqual(
      unnamed.body.only("statusCode", "message", "purchaseCode"),
      ["statusCode": 1034, "message": "PURCHASE_HAS_EXIST", "purchaseCode": .string(code)])
    // The id of another player's transaction proves nothing.
    let other = try await world.announce("bob", ["externalTransactionId": "t1"])
    XCTAssertEqual(other.body["statusCode"], 0)
    XCTAssertNotEqual(try other.purchaseCode(), code)
    // An app that says nothing of the transaction gets an order of its own, and the receipt still credits once.
    let plain = try await world.announce().purchaseCode()
    let answer = try await world.complete(plain, receipt)
    XCTAssertEqual(answer.body.only("statusCode", "purchaseCode"), ["statusCode": 1050, "purchaseCode": .string(code)])
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
    // The order of the replay waits for no payment; another payment for it is a purchase like any other.
    XCTAssertEqual(try world.backend.order(PurchaseCode(plain)).status, .failed)
    let second = try await world.complete(plain, world.receipt("t2"))
    XCTAssertEqual(second.body.only("statusCode", "purchaseCode"), ["statusCode": 0, "purchaseCode": .string(plain)])
    XCTAssertEqual(try world.balance(of: "alice"), 2400)
  }

  func testAnotherPlayerSendsTheReceiptAndTheAnnouncerIsCredited() async throws {
    let world = try APIWorld()
    let code = try await world.announce("alice").purchaseCode()
    let answer = try await world.complete(code, world.receipt("t1"), by: "bob")
    XCTAssertEqual(answer.body["statusCode"], 0)
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
    XCTAssertThrowsError(try world.balance(of: "bob"))
  }

  func testAReceiptForAnotherProductHasAnOrderOfItsOwnAndIsDelivered() async throws {
    let game = GameServer()
    let world = try APIWorld(delivery: game)
    let code = try await world.announce().purchaseCode()
    let receipt = try world.receipt("t1", "gems_300")
    let answer = try await world.complete(code, receipt)
    XCTAssertEqual(
      answer.body.only("statusCode", "paymentStatus", "productId", "transactionId"),
      ["statusCode": 0, "paymentStatus": "success", "productId": "gems_300", "transactionId": "t1"])
    let own = try answer.purchaseCode()
    XCTAssertNotEqual(own, code)
    XCTAssertEqual(game.codes, [own])
    let again = try await world.complete(code, receipt)
    XCTAssertEqual(again.body.only("statusCode", "purchaseCode"), ["statusCode": 1050, "purchaseCode": .string(own)])
    XCTAssertEqual(game.codes, [own])
    XCTAssertEqual(try world.balance(of: "alice"), 300)
    // The announced order waits for its payment as before.
    let paid = try await world.complete(code, world.receipt("t2"))
    XCTAssertEqual(paid.body.only("statusCode", "purchaseCode"), ["statusCode": 0, "purchaseCode": .string(code)])
    XCTAssertEqual(try world.balance(of: "alice"), 1500)
  }

  func testAnotherBuyersReceiptDoesNotPayForThePlayersOrder() async throws {
    let game = GameServer()
    let world = try APIWorld(delivery: game)
    try await world.backend.register("bob", "alice")
    let code = try await world.announce("alice").purchaseCode()
    let answer = try await world.complete(code, world.receipt("t1", buyer: "bob"))
    XCTAssertEqual(answer.body["statusCode"], 0)
    XCTAssertNotEqual(try answer.purchaseCode(), code)
    XCTAssertEqual(game.codes, [try answer.purchaseCode()])
    XCTAssertEqual(game.players, ["bob"])
    XCTAssertEqual(try world.balance(of: "bob"), 1200)
    XCTAssertEqual(try world.balance(of: "alice"), 0)
    XCTAssertEqual(try world.backend.order(PurchaseCode(code)).status, .pending)
    // Not even where the purchase is credited by now.
    let later = try await world.announce("alice").purchaseCode()
    _ = try await world.complete(later, world.receipt("t1", buyer: "bob"))
    XCTAssertEqual(try world.backend.order(PurchaseCode(later)).status, .pending)
  }

  func testOneReceiptAtOnceFromManyCallsIsCreditedOnce() async throws {
    let world = try APIWorld()
    let body: JSONValue = [
      "purchaseCode": .string(try await world.announce().purchaseCode()),
      "receiptData": .string(try world.receipt("t1")),
    ]
    let token = try world.session("alice")
    let codes = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await world.send("POST", "/api/v1/client/purchase/complete-payment", body, key: token).body["statusCode"]?
            .integer
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(codes.count { $0 == 0 }, 1)
    XCTAssertEqual(codes.count { $0 == 1050 }, 19)
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
  }

  func testAnAppsKeyHoldsNobodysCurrency() async throws {
    let product = try ProductCode("gems_1200")
    let costs = [product: [Adjustment(try CurrencyCode("GEM"), 60)]]
    let world = try APIWorld(policy: BackendPolicy(currencyPrices: costs))
    try world.grant(100, to: "alice")
    let body: JSONValue = [
      "productId": "gems_1200", "bundleId": "com.example.gems", "sdkUserId": "alice", "paymentMethod": "APPLE",
    ]
    let refused = try await world.send("POST", "\(Self.base)/init-payment", body, key: world.appKey)
    XCTAssertEqual(refused.status, 403)
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 100)
    let own = try await world.announce("alice")
    XCTAssertEqual(own.status, 200)
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 40)
  }

  // MARK: Refusals

  func testRefusalsHaveTheNumbersThatSDKsKnow() async throws {
    let world = try APIWorld()
    let unknown = try await world.announce("alice", ["productId": "gems_7"])
    XCTAssertEqual(unknown.status, 404)
    XCTAssertEqual(
      unknown.body.only("statusCode", "message", "reason"),
      [
        "statusCode": 1032, "message": "PACKAGE_GAME_NOT_FOUND",
        "reason": "There is no product \"gems_7\" at apple in the catalog.",
      ])
    let bundle = try await world.announce("alice", ["bundleId": "com.example.other"])
    XCTAssertEqual(bundle.status, 422)
    XCTAssertEqual(bundle.body["statusCode"], 1031)
    let code = try await world.announce().purchaseCode()
    let receipt = try await world.complete(code, world.receipt("t1", bundleID: "com.example.other"))
    XCTAssertEqual(receipt.body["statusCode"], 1030)
    let missing = try await world.complete("GG000000", world.receipt("t1"))
    XCTAssertEqual(missing.status, 404)
    XCTAssertEqual(missing.body["statusCode"], 1049)
    let forged = try await world.complete(code, "not a receipt")
    XCTAssertEqual(forged.status, 422)
    XCTAssertEqual(forged.body.only("statusCode", "code"), ["statusCode": 422, "code": "receipt_malformed"])
    XCTAssertEqual(forged.body["requestId"], "r1")
  }

  func testAmountsAreCheckedAgainstTheCatalog() async throws {
    let world = try APIWorld()
    let rows: [(line: UInt, amount: JSONValue, more: JSONObject, status: Int)] = [
      (#line, 249_000, [:], 200), (#line, .number("249000.0"), [:], 200), (#line, 498_000, ["quantity": 2], 200),
      (#line, .number("9.99"), ["currency": "USD"], 200), (#line, 1, [:], 422), (#line, 498_000, [:], 422),
      (#line, .number("249000.5"), [:], 400), (#line, .number("2.49e5"), [:], 400), (#line, -1, [:], 400),
      (#line, "249000", [:], 400), (#line, 249_000, ["currency": "dong"], 400), (#line, 5, ["currency": "GBP"], 422),
      (#line, .number("9.9900"), ["currency": "USD"], 400), (#line, 9_999_999_999_999, [:], 400),
      (#line, 249_000, ["quantity": 0], 400),
    ]
    for row in rows {
      var more = row.more
      more["amount"] = row.amount
      let answer = try await world.announce("alice", more)
      XCTAssertEqual(answer.status, row.status, "\(answer.body)", line: row.line)
    }
  }

  func testThePlayerIsTheTokensOrTheOneThatTheKeyNames() async throws {
    let world = try APIWorld()
    let nobody = try await world.send(
      "POST", "\(Self.base)/init-payment", ["productId": "gems_300", "bundleId": "com.example.gems"],
      key: world.appKey)
    XCTAssertEqual(nobody.status, 400)
    let other = try await world.announce("alice", ["sdkUserId": "bob"])
    XCTAssertEqual(other.status, 403)
    let same = try await world.announce("alice", ["sdkUserId": "alice"])
    XCTAssertEqual(same.status, 200)
    let stranger = try await world.send("GET", "\(Self.base)/?sdkUserId=bob", key: world.session("alice"))
    XCTAssertEqual(stranger.status, 403)
    let keyless = try await world.send("GET", "\(Self.base)/", key: "nothing")
    XCTAssertEqual(keyless.status, 401)
    XCTAssertEqual(keyless.body["statusCode"], 401)
  }

  func testAContextOverItsBoundIsRefused() async throws {
    let world = try APIWorld()
    let long = JSONValue.string(String(repeating: "x", count: 8192))
    let answer = try await world.announce("alice", ["extraData": long])
    XCTAssertEqual(answer.status, 400)
    XCTAssertEqual(answer.body["code"], "limit_exceeded")
  }

  // MARK: History

  func testTheHistoryHasAllFields() async throws {
    let world = try APIWorld()
    let code = try await world.announce("alice", ["amount": 249_000, "roleName": "PlayerOne"]).purchaseCode()
    _ = try await world.complete(code, world.receipt("t1"))
    world.time.advance(seconds: 1)
    _ = try await world.announce("alice", ["productId": "gems_300"])
    let answer = try await world.send("GET", "\(Self.base)/?page=2&limit=1", key: world.session("alice"))
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body.only("statusCode", "page", "limit"), ["statusCode": 0, "page": 2, "limit": 1])
    XCTAssertEqual(
      answer.body["data"]?.array?.first,
      [
        "_id": .string(code), "code": .string(code), "gameUserId": "alice", "productId": "gems_1200",
        "bundleId": "com.example.gems", "type": "APPLE", "rechargeType": "IN_GAME", "paymentStatus": "success",
        "amount": 249_000, "currency": "VND", "transactionId": "t1", "originalTransactionId": "t1",
        "roleId": "char-12345",
        "roleName": "PlayerOne", "serverGameId": "server-01", "gameId": "65a1f3b",
        "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z",
      ])
    let newest = try await world.send("GET", "\(Self.base)/?limit=1", key: world.session("alice"))
    let pending = try XCTUnwrap(newest.body["data"]?.array?.first)
    XCTAssertEqual(
      pending.only("paymentStatus", "amount", "currency", "transactionId"),
      ["paymentStatus": "pending", "amount": 75000, "currency": "VND", "transactionId": nil])
    let behind = try await world.send("GET", "\(Self.base)/?page=1000000", key: world.session("alice"))
    XCTAssertEqual(behind.body["data"], [])
  }

  func testAPaidOrderHasThePriceOfItsReceiptWithItsCurrency() async throws {
    let world = try APIWorld()
    let code = try await world.announce().purchaseCode()
    _ = try await world.complete(code, world.receipt("t1", price: Money(minorUnits: 999, currency: "USD")))
    let history = try await world.send("GET", "\(Self.base)/", key: world.session("alice"))
    let paid: JSONValue = ["amount": .number("9.99"), "currency": "USD"]
    XCTAssertEqual(history.body["data"]?.array?.first?.only("amount", "currency"), paid)
    let order = try await world.send("GET", "/v2/projects/default/orders/\(code)")
    XCTAssertEqual(order.body.only("amount", "currency"), paid)
    let own = try await world.send("GET", "/v1/subscribers/alice/orders", key: world.session("alice"))
    XCTAssertEqual(
      own.body["orders"]?.array?.first?["paid_price"], ["minor_units": 999, "currency": "USD"])
  }

  func testAPlayerWithoutOrdersHasAnEmptyHistory() async throws {
    let world = try APIWorld()
    let answer = try await world.send("GET", "\(Self.base)/?sdkUserId=nobody")
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body.only("statusCode", "data"), ["statusCode": 1049, "data": []])
    for query in ["page=0", "limit=0", "limit=101", "page=-1", "page=x", "size=3", "page=1&page=2"] {
      let refused = try await world.send("GET", "\(Self.base)/?\(query)", key: world.session("alice"))
      XCTAssertEqual(refused.status, 400, query)
    }
  }
}

/// A game server that confirms everything, and remembers it.
private final class GameServer: DeliveryTarget {
  private let state = Mutex<[Delivery]>([])

  var codes: [String] { state.withLock { $0.map(\.purchaseCode.text) } }
  var players: [String] { state.withLock { $0.map(\.customer.text) } }

  func deliver(_ delivery: Delivery) async -> Bool {
    state.withLock { $0.append(delivery) }
    return true
  }
}

extension LocalBackend {
  fileprivate func register(_ customers: String...) async throws {
    for customer in customers { _ = try await register(CustomerID(customer)) }
  }
}
#endif
