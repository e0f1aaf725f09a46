#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

/// A project with app traffic: receipts, session tokens, and requests with a public key.
struct SDKShop {
  let world: APIWorld
  let alice = "alice-4f1c9a7e"
  let bob = "bobby-77d0e2b1"
  let anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef"

  init(policy: BackendPolicy = BackendPolicy(), limits: [RateDomain: Int] = [:]) throws {
    world = try APIWorld(policy: policy, limits: limits)
  }

  /// The signed evidence of a purchase.
  func receipt(
    _ id: String, product: String = "gems_300", minorUnits: Int64 = 299, buyer: String? = nil
  ) throws -> String {
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id),
      bundleID: "com.example.gems", storeProductID: product, productType: .consumable, quantity: 1,
      price: Money(minorUnits: minorUnits, currency: "USD"),
      accountToken: try buyer.map { AccountToken(of: try CustomerID($0)) }, purchasedAt: world.time.now,
      signedAt: world.time.now)
    return world.receipts.receipt(for: transaction).text
  }

  func token(_ customer: String, seconds: Int64 = 3600) throws -> String {
    world.sessions.make(
      for: try CustomerID(customer), until: world.time.now.advanced(milliseconds: 1000 * seconds))
  }

  /// Sends a request with the public key, unless another one is given.
  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil, idempotencyKey: String? = nil
  ) async throws -> APIWorld.Answer {
    try await world.send(
      method, target, body, key: key ?? world.appKey,
      headers: idempotencyKey.map { [("Idempotency-Key", $0)] } ?? [])
  }

  func balance(_ customer: String) throws -> Int64 {
    try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance
  }

  /// Fails unless the answer is this refusal, in RevenueCat's form and in this project's.
  func assertRefused(
    _ answer: APIWorld.Answer, _ status: Int, _ code: LedgerError.Code, number: Int64, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    XCTAssertEqual(answer.status, status, file: file, line: line)
    XCTAssertEqual(answer.body["code"]?.integer, number, file: file, line: line)
    XCTAssertEqual(answer.body["error"]?["code"]?.text, code.description, file: file, line: line)
    XCTAssertEqual(answer.body["error"]?["request_id"]?.text, "r1", file: file, line: line)
    XCTAssertNotNil(answer.body["message"]?.text, file: file, line: line)
  }
}
#endif
