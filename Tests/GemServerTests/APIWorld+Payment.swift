#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

extension APIWorld {
  /// The receipt of a purchase of 1,200 gems, unless another product is named.
  func receipt(
    _ id: String, _ product: String = "gems_1200", store: Store = .apple, bundleID: String = "com.example.gems",
    buyer: String? = nil, price: Money? = nil
  ) throws -> String {
    let price = price ?? Money(minorUnits: product == "gems_300" ? 75_000 : 249_000, currency: "VND")
    let transaction = StoreTransaction(
      store: store, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id), bundleID: bundleID,
      storeProductID: product, productType: .consumable, price: price,
      storefront: StorefrontCode(exactly: price.currency == "USD" ? "USA" : "VNM"),
      accountToken: try buyer.map { AccountToken(of: try CustomerID($0)) },
      purchasedAt: time.now, signedAt: time.now)
    return receipts.receipt(for: transaction).text
  }

  /// A session token of the customer, good for an hour.
  func session(_ customer: String) throws -> String {
    sessions.make(for: try CustomerID(customer), until: time.now.advanced(milliseconds: 3_600_000))
  }

  /// A public key of an app at another store than Apple's.
  func key(of store: AppStoreKind) -> String {
    let made = APIKey.make(.app(store), at: time.now)
    keys.add(made.key)
    return made.text
  }

  /// Announces a purchase as a player with a session token does; gives its code.
  func announce(_ customer: String = "alice", _ more: JSONObject = [:]) async throws -> Answer {
    var body: JSONObject = [
      "productId": "gems_1200", "bundleId": "com.example.gems", "paymentMethod": "APPLE", "rechargeType": "IN_GAME",
      "roleId": "char-12345", "serverGameId": "server-01", "gameId": "65a1f3b",
    ]
    for member in more.members { body[member.name] = member.value }
    return try await send(
      "POST", "/api/v1/client/purchase/init-payment", .object(body), key: session(customer))
  }

  func complete(_ code: String, _ receipt: String, by customer: String = "alice") async throws -> Answer {
    try await send(
      "POST", "/api/v1/client/purchase/complete-payment",
      ["purchaseCode": .string(code), "receiptData": .string(receipt), "externalTransactionId": "x"],
      key: session(customer))
  }

  func balance(of customer: String) throws -> Int64 {
    try ledger.balances(of: CustomerID(customer)).first { $0.currency.description == "GEM" }?.balance ?? 0
  }
}

extension APIWorld.Answer {
  /// The order's code, which the answer must have.
  func purchaseCode() throws -> String { try XCTUnwrap(body["purchaseCode"]?.text, "\(body)") }
}

extension JSONValue {
  /// The members that a test compares.
  func only(_ names: String...) -> JSONValue {
    .object(JSONObject(names.map { ($0, self[$0] ?? .string("missing")) }))
  }
}
#endif
