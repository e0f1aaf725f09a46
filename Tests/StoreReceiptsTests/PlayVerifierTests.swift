#if Receipts
import GemLedger
import GemTestSupport
import StoreBackend
import SystemCrypto
import XCTest

@testable import StoreReceipts

final class PlayVerifierTests: XCTestCase {
  private static let key = PlayKey()
  private var key: PlayKey { Self.key }

  private func transaction(_ environment: StoreEnvironment) -> StoreTransaction {
    var transaction = Samples.transaction(environment)
    transaction.store = .google
    transaction.orderID = "GPA.1"
    return transaction
  }

  private func receipt(_ data: String) -> StoreReceipt {
    let signature = Base64.text(Crypto.playSignature(of: Array(data.utf8), by: key.key))
    return StoreReceipt(PlayReceipt(data: data, signature: signature).text)
  }

  func testASimulatedPurchaseIsReadWhole() throws {
    let session = try StoreEnvironment.localTesting(session: "s")
    let receipts = LocalPlayReceipts(key: key, environment: session)
    var bought = transaction(session)
    bought.revocation = .init(revokedAt: Samples.signedAt, extent: .totalQuantity(1))
    XCTAssertEqual(try receipts.verify(receipts.receipt(for: bought)), bought)
    let elsewhere = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    assertFails(.environment) { try elsewhere.verify(receipts.receipt(for: bought)) }
    let again = LocalPlayReceipts(key: try PlayKey(pem: Array(key.pem.utf8)), environment: session)
    XCTAssertNoThrow(try again.verify(receipts.receipt(for: bought)))
    assertFails(.signature) {
      try LocalPlayReceipts(key: PlayKey(), environment: session).verify(receipts.receipt(for: bought))
    }
  }

  func testThePurchaseDataOfTheBillingClient() throws {
    let verifier = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    let found = try verifier.verify(
      receipt(
        """
        {"orderId":"GPA.3345-6789","packageName":"com.example.app","productId":"gems_1200",\
        "purchaseTime":1790000000123,"purchaseState":0,"purchaseToken":"abc.AO-J1",\
        "obfuscatedAccountId":"some text","quantity":3,"acknowledged":false}
        """))
    XCTAssertEqual(found.id.text, "abc.AO-J1")
    XCTAssertEqual(found.quantity, 3)
    XCTAssertEqual(found.purchasedAt, Samples.signedAt)
    XCTAssertNil(found.accountToken)
    XCTAssertEqual(found.productType, .consumable)
  }

  /// Newer billing clients list products; of several the signed form states no quantities.
  func testThePurchaseDataListsProducts() throws {
    let verifier = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    func read(_ products: String) throws -> StoreTransaction {
      try verifier.verify(
        receipt(
          """
          {"packageName":"com.example.app",\(products),"purchaseTime":1790000000123,"purchaseState":0,\
          "purchaseToken":"abc"}
          """))
    }
    XCTAssertEqual(try read(#""productIds":["gems_1200"]"#).storeProductID, "gems_1200")
    XCTAssertThrowsError(try read(#""productIds":["gems_1200","skin"]"#)) { error in
      XCTAssertEqual((error as? LedgerError)?.code, .receiptUnverified)
      XCTAssertEqual((error as? LedgerError)?.text("check"), "line_items")
    }
    let named = PlayReceipt.names(in: receipt(#"{"productIds":["a","b"],"purchaseToken":"abc"}"#).text)
    XCTAssertEqual(named?.token.text, "abc")
    XCTAssertEqual(named?.productIDs, ["a", "b"])
  }

  func testEveryFlippedByteIsRefused() throws {
    let session = try StoreEnvironment.localTesting(session: "s")
    let receipts = LocalPlayReceipts(key: key, environment: session)
    let bytes = Array(receipts.receipt(for: transaction(session)).text.utf8)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1 << UInt8(index % 8)
      XCTAssertThrowsError(try receipts.verify(StoreReceipt(String(decoding: damaged, as: UTF8.self))), "\(index)")
      let start = String(decoding: bytes.prefix(index), as: UTF8.self)
      XCTAssertThrowsError(try receipts.verify(StoreReceipt(start)))
    }
  }

  func testThePackageNameIsCompared() throws {
    let session = try StoreEnvironment.localTesting(session: "s")
    let text = LocalPlayReceipts(key: key, environment: session).receipt(for: transaction(session))
    var verifier = try PlayVerifier(publicKey: key.publicKey, environment: session)
    verifier.packageName = "com.example.app"
    XCTAssertNoThrow(try verifier.verify(text))
    verifier.packageName = "com.other"
    assertFails(.bundle) { try verifier.verify(text) }
  }

  func testACancelledPurchaseGivesNothing() throws {
    let verifier = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    func read(_ rest: String) throws -> StoreTransaction {
      try verifier.verify(
        receipt(
          """
          {"packageName":"com.example.app","productId":"gems_1200","purchaseTime":1790000000123,\
          "purchaseToken":"abc",\(rest)}
          """))
    }
    XCTAssertEqual(try read("\"purchaseState\":1").revocation?.extent, .full)
    for state in [2, 4] { assertFails(.payload) { try read("\"purchaseState\":\(state)") } }
    XCTAssertNil(try read("\"orderId\":\"\",\"obfuscatedAccountId\":\"\"").revocation)
    XCTAssertEqual(try read("\"voidedTimeMillis\":\"1790000000124\",\"voidedReason\":9").revocation?.extent, .full)
  }

  func testBadInput() throws {
    let verifier = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    for text in ["", "{}", "[]", "{\"INAPP_PURCHASE_DATA\":1,\"INAPP_DATA_SIGNATURE\":\"\"}", "a.b.c"] {
      assertFails(.structure) { try verifier.verify(StoreReceipt(text)) }
    }
    assertFails(.structure) { try verifier.verify(StoreReceipt(String(repeating: "{", count: 10_000_000))) }
    assertFails(.payload) { try verifier.verify(receipt("{\"a\":1,\"a\":1}")) }
    assertFails(.payload) { try verifier.verify(receipt("{}")) }
    for text in ["", "AAAA", Base64.text(Crypto.der(ofPublic: Crypto.makeKey(.p256)))] {
      assertRefused(.configuration) { try PlayVerifier(publicKey: text, environment: .production) }
    }
  }
}
#endif
