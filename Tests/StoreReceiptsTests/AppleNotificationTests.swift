#if Receipts
import GemLedger
import GemTestSupport
import StoreBackend
import SystemCrypto
import XCTest

@testable import StoreReceipts

/// Notifications, renewal infos and app transactions: each part is verified on its own.
final class AppleNotificationTests: XCTestCase {
  private static let authority = LocalAuthority()
  private var authority: LocalAuthority { Self.authority }

  private func data(_ changes: [(String, JSONValue?)] = []) -> JSONValue {
    var data = JSONObject([
      ("bundleId", "com.example.app"), ("environment", "Sandbox"), ("appAppleId", 4_711),
      ("signedTransactionInfo", .string(authority.token())),
    ])
    for (name, value) in changes { data[name] = value }
    return .object(data)
  }

  private func notification(_ name: String = "data", _ subject: JSONValue) -> String {
    authority.token([
      "notificationType": "REFUND", "notificationUUID": "n-1", "version": "2.0", name: subject,
      "signedDate": .integer(Samples.signedAt.milliseconds),
    ])
  }

  func testANotificationIsReadWhole() throws {
    let info = authority.token([
      "originalTransactionId": "1", "autoRenewStatus": 1, "environment": "Sandbox", "renewalPrice": 4_990,
      "currency": "USD", "signedDate": .integer(Samples.signedAt.milliseconds),
    ])
    let found = try Samples.verifier(authority).notification(
      notification("data", data([("signedRenewalInfo", .string(info)), ("consumptionRequestReason", "OTHER")])))
    XCTAssertEqual(found.type, "REFUND")
    XCTAssertEqual(found.id, "n-1")
    XCTAssertEqual(found.transaction?.transaction, Samples.transaction())
    XCTAssertEqual(found.renewalInfo?.willRenew, true)
    XCTAssertEqual(found.renewalInfo?.renewalPrice, Money(minorUnits: 499, currency: "USD"))
    XCTAssertEqual(found.consumptionRequestReason, "OTHER")
    XCTAssertNil(found.subtype)
  }

  func testItsPartsAreVerifiedOnTheirOwn() throws {
    let verifier = try Samples.verifier(authority)
    let foreign = LocalAuthority().token()
    assertFails(.chain) {
      try verifier.notification(notification("data", data([("signedTransactionInfo", .string(foreign))])))
    }
    let unsigned = Samples.token("{\"alg\":\"none\"}", by: Crypto.makeKey(.p256))
    assertFails(.algorithm) {
      try verifier.notification(notification("data", data([("signedRenewalInfo", .string(unsigned))])))
    }
    let other = authority.token(Samples.payload([("bundleId", "com.other")]))
    assertFails(.bundle) {
      try verifier.notification(notification("data", data([("signedTransactionInfo", .string(other))])))
    }
  }

  func testTheSubjectNamesTheApp() throws {
    let verifier = try Samples.verifier(authority, [.sandbox, .production])
    assertFails(.bundle) { try verifier.notification(notification("data", data([("bundleId", "com.other")]))) }
    assertFails(.bundle) { try verifier.notification(notification("summary", data([("bundleId", nil)]))) }
    assertFails(.payload) { try verifier.notification(notification("other", data())) }
    assertFails(.payload) { try verifier.notification(notification("data", "text")) }
    let live = [("environment", JSONValue.string("Production")), ("signedTransactionInfo", nil)]
    XCTAssertNoThrow(try verifier.notification(notification("appData", data(live))))
    for id in [1, nil] as [JSONValue?] {
      assertFails(.appID) { try verifier.notification(notification("data", data(live + [("appAppleId", id)]))) }
    }
    // The bundle is compared first, the environment last.
    assertFails(.bundle) {
      try verifier.notification(notification("data", data(live + [("appAppleId", 1), ("bundleId", "com.other")])))
    }
    // In the sandbox the number is not compared.
    XCTAssertNoThrow(try verifier.notification(notification("data", data([("appAppleId", 1)]))))
    let token: JSONValue = ["externalPurchaseId": "SANDBOX_1", "bundleId": "com.example.app"]
    let sandbox = try Samples.verifier(authority)
    XCTAssertNoThrow(try sandbox.notification(notification("externalPurchaseToken", token)))
    let live2: JSONValue = ["externalPurchaseId": "1", "bundleId": "com.example.app", "appAppleId": 4_711]
    assertFails(.environment) { try sandbox.notification(notification("externalPurchaseToken", live2)) }
  }

  func testTheTransactionIsOfTheSameEnvironment() throws {
    let verifier = try Samples.verifier(authority, [.sandbox, .production])
    let live = authority.token(Samples.payload(of: .production))
    assertFails(.environment) {
      try verifier.notification(notification("data", data([("signedTransactionInfo", .string(live))])))
    }
    assertFails(.payload) { try verifier.notification(notification("data", data([("signedTransactionInfo", 5)]))) }
  }

  func testAppTransactions() throws {
    let verifier = try Samples.verifier(authority, [.sandbox, .production])
    func token(_ changes: [(String, JSONValue)] = []) -> String {
      var object = JSONObject([
        ("bundleId", "com.example.app"), ("receiptType", "Production"), ("appAppleId", 4_711),
        ("applicationVersion", "7"), ("receiptCreationDate", .integer(Samples.signedAt.milliseconds)),
      ])
      for (name, value) in changes { object[name] = value }
      return authority.token(.object(object))
    }
    let found = try verifier.appTransaction(token())
    XCTAssertEqual(found.version, "7")
    XCTAssertEqual(found.signedAt, Samples.signedAt)
    assertFails(.appID) { try verifier.appTransaction(token([("appAppleId", 1)])) }
    assertFails(.bundle) { try verifier.appTransaction(token([("bundleId", "x")])) }
    assertFails(.environment) { try verifier.appTransaction(token([("receiptType", "Xcode")])) }
    assertFails(.payload) { try verifier.appTransaction(authority.token()) }
  }
}
#endif
