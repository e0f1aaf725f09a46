#if Receipts
import GemLedger
import StoreBackend
import XCTest

@testable import StoreReceipts

/// Receipts to verify, to damage and to forge.
enum Samples {
  static let signedAt = Timestamp(milliseconds: 1_790_000_000_123)

  static func transaction(_ environment: StoreEnvironment = .sandbox) -> StoreTransaction {
    StoreTransaction(
      store: .apple, environment: environment, id: StoreTransactionID(unchecked: "2000000000000001"),
      bundleID: "com.example.app", storeProductID: "com.example.gems_1200", productType: .consumable, quantity: 2,
      price: Money(minorUnits: 1998, currency: "USD"), storefront: StorefrontCode(exactly: "USA"),
      purchasedAt: signedAt, signedAt: signedAt)
  }

  static func payload(_ changes: [(String, JSONValue?)] = [], of environment: StoreEnvironment = .sandbox) -> JSONValue
  {
    let text = String(decoding: ReceiptForm.payload(of: transaction(environment)), as: UTF8.self)
    var object = (try? JSONValue.parse(text).object) ?? JSONObject()
    for (name, value) in changes { object[name] = value }
    return .object(object)
  }

  static func verifier(
    _ authority: LocalAuthority, _ environments: Set<StoreEnvironment> = [.sandbox],
    bundleID: String? = "com.example.app",
    unverified: Set<StoreEnvironment> = []
  ) throws -> AppleVerifier {
    let app = AppleApp(
      bundleID: bundleID, appAppleID: 4_711, environments: environments, unverifiedEnvironments: unverified)
    return try AppleVerifier(app: app, roots: [authority.root])
  }
}

extension LocalAuthority {
  func token(_ payload: JSONValue = Samples.payload()) -> String {
    TokenSigner(self).token(Array(payload.text().utf8))
  }
}

extension XCTestCase {
  /// Fails unless the body throws an error with this check.
  func assertFails(
    _ check: ReceiptCheck, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> some Any
  ) {
    do {
      let answer = try body()
      XCTFail("accepted: \(answer)", file: file, line: line)
    } catch let error as LedgerError {
      XCTAssertEqual(error.text("check"), check.rawValue, error.description, file: file, line: line)
      let codes: [LedgerError.Code] = [.receiptMalformed, .receiptUnverified, .bundleMismatch]
      XCTAssert(codes.contains(error.code), error.description, file: file, line: line)
    } catch {
      XCTFail("\(error)", file: file, line: line)
    }
  }
}
#endif
