#if Receipts
import GemLedger
import GemTestSupport
import XCTest

@testable import StoreReceipts

final class WebhookSignatureTests: XCTestCase {
  private let body = Array("{\"test\": 2432232314}".utf8)
  private let sent = Timestamp(milliseconds: 1_614_265_330_000)

  private func secret() throws -> WebhookSecret { try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") }

  private func assertRefused(
    _ check: String, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
  ) {
    let error = GemTestSupport.assertRefused(.unauthenticated, file: file, line: line, body)
    XCTAssertEqual(error?.text("check"), check, file: file, line: line)
  }

  func testTheVectorOfTheStandard() throws {
    let signature = try WebhookSignature(
      body, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: sent, secrets: [secret()])
    XCTAssertEqual(signature.signatures, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    XCTAssertEqual(signature.timestamp, "1614265330")
    XCTAssertNoThrow(try signature.check(body, secrets: [secret()], now: sent))
  }

  func testSecrets() throws {
    XCTAssertNoThrow(try WebhookSecret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    for text in ["", "whsec_", "whsec_AAAA", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa", "whsec_-_-_"] {
      GemTestSupport.assertRefused(.configuration) { try WebhookSecret(text) }
    }
    let long = Base64.text([UInt8](repeating: 1, count: 65))
    GemTestSupport.assertRefused(.configuration) { try WebhookSecret(long) }
    let made = WebhookSecret()
    XCTAssertEqual(try WebhookSecret(made.text).bytes, made.bytes)
    XCTAssertFalse("\(made)".contains(made.text.dropFirst(6)))
  }

  func testSecretsAreExchanged() throws {
    let (old, new) = (WebhookSecret(), WebhookSecret())
    let both = try WebhookSignature(body, id: "m", at: sent, secrets: [old, new])
    for secret in [old, new] {
      XCTAssertNoThrow(try both.check(body, secrets: [secret], now: sent))
      let one = try WebhookSignature(body, id: "m", at: sent, secrets: [secret])
      XCTAssertNoThrow(try one.check(body, secrets: [old, new], now: sent))
    }
    assertRefused("signature") { try both.check(body, secrets: [WebhookSecret()], now: sent) }
    assertRefused("signature") { try both.check(body, secrets: [], now: sent) }
  }

  func testTheTimeMayLieFiveMinutesOff() throws {
    let signature = try WebhookSignature(body, id: "m", at: sent, secrets: [secret()])
    for seconds in [-300, 0, 300] {
      XCTAssertNoThrow(try signature.check(body, secrets: [secret()], now: sent.advanced(by: .seconds(seconds))))
    }
    for seconds in [-301, 301, 100_000] {
      assertRefused("timestamp") {
        try signature.check(body, secrets: [secret()], now: sent.advanced(by: .seconds(seconds)))
      }
    }
  }

  func testBadHeaders() throws {
    let good = try WebhookSignature(body, id: "m", at: sent, secrets: [secret()])
    func check(
      id: String? = nil, _ timestamp: String? = nil, _ signatures: String? = nil, body: [UInt8]? = nil
    ) throws {
      let changed = WebhookSignature(
        id: id ?? good.id, timestamp: timestamp ?? good.timestamp, signatures: signatures ?? good.signatures)
      try changed.check(body ?? self.body, secrets: [secret()], now: sent)
    }
    XCTAssertNoThrow(try check())
    for call in [{ try check(id: "") }, { try check("") }, { try check(nil, "") }] { assertRefused("headers", call) }
    assertRefused("headers") { try check(nil, String(repeating: "v1,a ", count: 10_000)) }
    for timestamp in ["soon", "1614265330.0", "+1614265330", "9223372036854775807", "-9223372036854775808", " 1"] {
      assertRefused("timestamp") { try check(timestamp) }
    }
    assertRefused("timestamp") { try check("0\(good.timestamp)") }
    assertRefused("signature") { try check("1614265331") }
    assertRefused("signature") { try check(id: "n") }
    assertRefused("signature") { try check(body: []) }
    for signatures in ["v1,", "v1", " ", "v2" + good.signatures.dropFirst(2), "v1a" + good.signatures.dropFirst(2)] {
      assertRefused("signature") { try check(nil, signatures) }
    }
    assertRefused("signature") { try check(nil, String(good.signatures.dropLast(4))) }
    XCTAssertNoThrow(try check(nil, "v1,AAAA v1a,x \(good.signatures) v9"))
    let empty = try WebhookSignature([], id: "m", at: sent, secrets: [secret()])
    XCTAssertNoThrow(try empty.check([], secrets: [secret()], now: sent))
    for id in ["", "a.b", "a\nb"] {
      GemTestSupport.assertRefused(.invalidRequest) {
        try WebhookSignature(body, id: id, at: sent, secrets: [secret()])
      }
    }
  }
}
#endif
