import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

final class UnsignedReceiptsTests: XCTestCase {
  private let now = Timestamp(milliseconds: 1_767_225_600_123)

  private func receipts(_ session: String = "s1") throws -> UnsignedReceipts { try UnsignedReceipts(session: session) }

  /// Every field that a transaction may have, at both kinds of stores.
  private func transactions() throws -> [StoreTransaction] {
    let environment = try StoreEnvironment.localTesting(session: "s1")
    var found: [StoreTransaction] = []
    for store in Store.all {
      let extents: [StoreTransaction.Revocation.Extent?] = [
        nil, .full, .milliPercent(33_333), .quantity(2), .totalQuantity(2),
      ]
      for extent in extents {
        found.append(
          StoreTransaction(
            store: store, environment: environment, id: try StoreTransactionID("2000000123 \"é\""),
            originalID: try StoreTransactionID("1999"), orderID: "GPA.1", bundleID: "com.example.gems",
            storeProductID: "gems", productType: .autoRenewableSubscription, subscriptionGroupID: "21",
            quantity: 3, price: Money(minorUnits: 2997, currency: "USD"), storefront: .unitedStates,
            accountToken: AccountToken(of: try CustomerID("alice")), purchasedAt: now,
            originalPurchasedAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: now.milliseconds + 5),
            revocation: extent.map { .init(revokedAt: now, extent: $0, isAppIssue: true) }, reason: .renewal,
            signedAt: now))
      }
      found.append(
        StoreTransaction(
          store: store, environment: environment, id: try StoreTransactionID("1"), bundleID: "b", storeProductID: "p",
          productType: .consumable, price: Money(minorUnits: 1500, currency: "JPY"), purchasedAt: now, signedAt: now))
    }
    return found
  }

  func testAReceiptSaysWhatTheTransactionWas() throws {
    let receipts = try receipts()
    for transaction in try transactions() {
      XCTAssertEqual(try receipts.verify(receipts.receipt(for: transaction)), transaction, "\(transaction.store)")
    }
  }

  func testTheFormIsThatOfTheStores() throws {
    let receipts = try receipts()
    for transaction in try transactions() {
      let segments = receipts.receipt(for: transaction).text.split(separator: ".", omittingEmptySubsequences: false)
      XCTAssertEqual(segments.count, 3)
      XCTAssertEqual(segments[2], "")
      let payload = try JSONValue.parse(XCTUnwrap(Base64URL.decode(Array(segments[1].utf8))))
      if transaction.store == .google {
        XCTAssertEqual(payload["purchaseToken"]?.text, transaction.id.text)
        XCTAssertEqual(payload["purchaseTimeMillis"]?.text, "1767225600123")
        XCTAssertEqual(payload["priceAmountMicros"]?.integer, transaction.quantity == 3 ? 29_970_000 : 1_500_000_000)
      } else {
        XCTAssertEqual(payload["transactionId"]?.text, transaction.id.text)
        XCTAssertEqual(payload["purchaseDate"]?.integer, 1_767_225_600_123)
        XCTAssertEqual(payload["price"]?.integer, transaction.quantity == 3 ? 29_970 : 1_500_000)
        XCTAssertEqual(payload["environment"]?.text, "LocalTesting")
      }
    }
  }

  func testOnlyTestEnvironmentsHaveUnsignedReceipts() throws {
    assertRefused(.configuration) { try UnsignedReceipts(environment: .production) }
    assertRefused(.configuration) { try UnsignedReceipts(environment: .sandbox) }
    XCTAssertEqual(
      try UnsignedReceipts(environment: .xcode(session: "x")).environment, try StoreEnvironment.xcode(session: "x"))
  }

  func testReceiptsOfOthersAreNotTrusted() throws {
    let transaction = try transactions()[0]
    let own = try receipts()
    for other in [try receipts("s2"), try UnsignedReceipts(environment: .xcode(session: "s1"))] {
      let refusal = assertRefused(.receiptUnverified) { try own.verify(other.receipt(for: transaction)) }
      XCTAssertEqual(refusal?.text("check"), "environment")
    }
    let receipt = own.receipt(for: transaction).text
    let signed = assertRefused(.receiptUnverified) { try own.verify(StoreReceipt(receipt + "abcd")) }
    XCTAssertEqual(signed?.text("check"), "signature")
    let payload = receipt.split(separator: ".")[1]
    let header = Self.segment(#"{"alg":"ES256","x5c":[]}"#)
    let other = assertRefused(.receiptUnverified) { try own.verify(StoreReceipt("\(header).\(payload).")) }
    XCTAssertEqual(other?.text("check"), "algorithm")
  }

  func testWhatIsNoReceiptIsMalformed() throws {
    let receipts = try receipts()
    let good = receipts.receipt(for: try transactions()[0]).text
    let header = String(good.split(separator: ".")[0])
    func with(_ payload: String) -> String { "\(header).\(Self.segment(payload))." }
    let rows: [(line: UInt, text: String)] = [
      (#line, ""), (#line, "."), (#line, ".."), (#line, "a.b.c.d"), (#line, good + "."), (#line, "é.é."),
      (#line, "\(header).!!!!."), (#line, "\(header).A."), (#line, "\(header).AB."), (#line, with("")),
      (#line, with("[]")), (#line, with("{}")), (#line, with("{\"environment\":1}")),
      (#line, with(#"{"environment":"LocalTesting","environment":"LocalTesting"}"#)),
      (#line, with(#"{"environment":"LocalTesting","transactionId":""}"#)),
      (#line, with(#"{"environment":"LocalTesting","purchaseDate":1e3,"transactionId":"1"}"#)),
      (#line, with(#"{"environment":"LocalTesting","purchaseDate":-1,"transactionId":"1"}"#)),
      (#line, String(repeating: "a", count: UnsignedReceipts.byteCountMax + 1)),
    ]
    for row in rows {
      assertRefused(.receiptMalformed, line: row.line) { try receipts.verify(StoreReceipt(row.text)) }
    }
  }

  /// No byte of a receipt can be changed so that reading it traps.
  func testDamagedReceiptsAreRefusedOrRead() throws {
    var generator = SeededRandom()
    let receipts = try receipts()
    for transaction in try transactions() {
      let good = Array(receipts.receipt(for: transaction).text.utf8)
      for _ in 0..<200 {
        var bytes = good
        for _ in 0...generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.below(128)) }
        if generator.percent(20) { bytes.removeLast(generator.below(bytes.count)) }
        do throws(LedgerError) {
          _ = try receipts.verify(StoreReceipt(String(decoding: bytes, as: UTF8.self)))
        } catch {
          XCTAssertTrue([.receiptMalformed, .receiptUnverified].contains(error.code), "\(error)")
        }
      }
    }
  }

  func testBase64URLIsExact() throws {
    var generator = SeededRandom()
    for count in 0..<70 {
      let bytes = (0..<count).map { _ in UInt8(generator.below(256)) }
      var text: [UInt8] = []
      Base64URL.append(bytes, to: &text)
      XCTAssertEqual(Base64URL.decode(text), bytes)
      XCTAssertEqual(text.count, (count * 4 + 2) / 3)
    }
    for (text, bytes) in [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo")] {
      XCTAssertEqual(Base64URL.decode(Array(text.utf8)), Array(bytes.utf8))
    }
    XCTAssertEqual(Base64URL.decode(Array("-_8".utf8)), [0xFB, 0xFF])
    for text in ["Zh", "Zm9", "Zg==", "Zm9v\n", "+/8", "A"] { XCTAssertNil(Base64URL.decode(Array(text.utf8)), text) }
    let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for byte in UInt8.min...UInt8.max where !digits.contains(byte) {
      for position in 0..<10 {
        var text = Array("AAAAAAAAAA".utf8)
        text[position] = byte
        XCTAssertNil(Base64URL.decode(text), "\(byte) at \(position)")
      }
    }
  }

  private static func segment(_ text: String) -> String {
    var bytes: [UInt8] = []
    Base64URL.append(Array(text.utf8), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
