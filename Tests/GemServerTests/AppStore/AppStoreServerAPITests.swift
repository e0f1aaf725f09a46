#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemCrypto
import XCTest

@testable import GemServer

/// What the App Store Server API is asked, in which environment, and how its errors are read.
final class AppStoreServerAPITests: XCTestCase {
  private let id = StoreTransactionID(unchecked: "2000000000000001")

  private func refusal(_ world: AppStoreWorld, in environment: StoreEnvironment? = nil) async throws -> LedgerError? {
    let api = try world.store.api()
    do throws(LedgerError) {
      _ = try await api.transaction(id, of: "com.example.gems", in: environment)
      return nil
    } catch {
      return error
    }
  }

  func testATokenSaysWhoAsksAndEndsInFiveMinutes() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let time = ManualClock()
    _ = try? await world.store.api(clock: time.clock).transaction(id, of: "com.example.gems", in: .sandbox)
    let field = try XCTUnwrap(world.store.requests.first?.field("Authorization"))
    let parts = field.dropFirst("Bearer ".count).split(separator: ".").map(String.init)
    XCTAssertEqual(parts.count, 3)
    let (header, claims) = try (
      JSONValue.parse(XCTUnwrap(Base64URL.decode(Array(parts[0].utf8)))),
      JSONValue.parse(XCTUnwrap(Base64URL.decode(Array(parts[1].utf8))))
    )
    XCTAssertEqual(header, ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
    let seconds = time.now.milliseconds / 1000
    XCTAssertEqual(claims["iss"]?.text, FakeAppStore.issuerID)
    XCTAssertEqual(claims["aud"], "appstoreconnect-v1")
    XCTAssertEqual(claims["bid"], "com.example.gems")
    XCTAssertEqual(claims["iat"], .integer(seconds))
    XCTAssertEqual(claims["exp"], .integer(seconds + 300))
    let signature = try XCTUnwrap(Base64URL.decode(Array(parts[2].utf8)))
    let key = try XCTUnwrap(Crypto.p256Key(ofPublic: FakeAppStore.key))
    XCTAssertTrue(
      Array("\(parts[0]).\(parts[1])".utf8).withUnsafeBytes { Crypto.isSignature(signature, of: $0, by: key) })
  }

  /// Evidence names its environment; without it production is asked first.
  func testTheSandboxIsAskedWhereProductionDoesNotKnowOrRefusesTheKey() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let text = try world.signed(id.text)
    world.store.state.withLock { $0.transactions[.sandbox] = [id.text: text] }
    let path = "/inApps/v1/transactions/\(id.text) HTTP/1.1"
    for (status, code) in [(404, 4_040_010), (404, nil), (401, nil)] as [(Int, Int64?)] {
      world.store.fail(.production, status, code: code)
      let found = try await world.store.api().transaction(id, of: "com.example.gems", in: nil)
      XCTAssertEqual(found, text)
      XCTAssertEqual(world.store.lines.suffix(2), ["GET /production\(path)", "GET /sandbox\(path)"])
    }
    let count = world.store.lines.count
    _ = try await world.store.api().transaction(id, of: "com.example.gems", in: .sandbox)
    XCTAssertEqual(world.store.lines.dropFirst(count), ["GET /sandbox\(path)"])
    let inProduction = try await refusal(world, in: .production)
    XCTAssertEqual(inProduction?.code, .backendUnreachable)
    XCTAssertEqual(world.store.lines.count, count + 2)
  }

  func testErrorsAreFinalOrRetryableByTheirNumber() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let rows: [(status: Int, code: Int64?, found: LedgerError.Code, asksSandbox: Bool)] = [
      (404, 4_040_010, .purchaseNotFound, true), (404, nil, .purchaseNotFound, true),
      (404, 4_040_001, .purchaseNotFound, true), (404, 4_040_003, .purchaseNotFound, true),
      (404, 4_040_002, .backendUnreachable, false), (404, 4_040_004, .backendUnreachable, false),
      (404, 4_040_006, .backendUnreachable, false), (400, 4_000_006, .purchaseNotFound, false),
      (400, 4_000_048, .purchaseNotFound, false), (401, nil, .backendUnreachable, true),
      (429, 4_290_000, .backendUnreachable, false), (500, 5_000_001, .backendUnreachable, false),
      (500, 5_000_000, .backendUnreachable, false), (503, nil, .backendUnreachable, false),
      (302, nil, .backendUnreachable, false),
    ]
    for row in rows {
      for place in FakeAppStore.Place.allCases { world.store.fail(place, row.status, code: row.code) }
      let count = world.store.lines.count
      let error = try await refusal(world)
      XCTAssertEqual(error?.code, row.found, "\(row)")
      XCTAssertEqual(world.store.lines.count - count, row.asksSandbox ? 2 : 1, "\(row)")
    }
    // A sandbox that does not know the purchase says more than a production that refuses the key.
    world.store.fail(.production, 401)
    world.store.fail(.sandbox, 404, code: 4_040_010)
    let unknown = try await refusal(world)
    XCTAssertEqual(unknown?.code, .purchaseNotFound)
  }

  func testAnAnswerThatIsNoneIsAskedForAgain() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    for body in ["", "{}", "[1]", "<html>", "{\"signedTransactionInfo\":1}"] {
      world.store.state.withLock { $0.failures[.production] = (200, body) }
      let error = try await refusal(world)
      XCTAssertEqual(error?.code, .backendUnreachable, body)
    }
  }

  /// The signature of a promotional offer is over Apple's list of fields, and StoreKit takes it as DER.
  func testPromotionalOffersAreSigned() async throws {
    let store = try AppStoreWorld()
    defer { store.store.stop() }
    let user = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    let answer = try await store.world.send(
      "POST", "/v1/offers",
      [
        "app_user_id": .string(user), "fetch_token": "x",
        "generate_offers": [["offer_id": "half", "product_id": "club", "subscription_group": "1"]],
      ])
    let offer = try XCTUnwrap(answer.body["offers"]?.array?.first)
    XCTAssertEqual(offer["key_id"], "2X9R4HXF34")
    let data = try XCTUnwrap(offer["signature_data"])
    let (nonce, time) = (try XCTUnwrap(data["nonce"]?.text), try XCTUnwrap(data["timestamp"]?.integer))
    XCTAssertNotNil(nonce.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/))
    let message = ["com.example.gems", "2X9R4HXF34", "club", "half", user.lowercased(), nonce, String(time)]
    let der = Array(try XCTUnwrap(Data(base64Encoded: data["signature"]?.text ?? "")))
    // Two numbers behind a head each; written with 32 bytes they are the signature of a token.
    let first = Int(der[3])
    let numbers = [der[4..<(4 + first)], der[(6 + first)...]]
    let raw = numbers.flatMap { number -> [UInt8] in
      let digits = number.drop { $0 == 0 }
      return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
    let key = try XCTUnwrap(Crypto.p256Key(ofPublic: FakeAppStore.key))
    let text = Array(message.joined(separator: "\u{2063}").utf8)
    XCTAssertTrue(text.withUnsafeBytes { Crypto.isSignature(raw, of: $0, by: key) })
    XCTAssertEqual(Crypto.der(ofSignature: raw), der)
    let small = [UInt8](repeating: 0, count: 31) + [1] + [0x80] + [UInt8](repeating: 0, count: 31)
    XCTAssertEqual(
      Crypto.der(ofSignature: small), [0x30, 38, 2, 1, 1, 2, 33, 0, 0x80] + [UInt8](repeating: 0, count: 31))
  }

  func testAKeyThatCannotBeUsedSaysWhy() throws {
    let pem = Array(Crypto.pem(of: FakeAppStore.key).utf8)
    let issuer = FakeAppStore.issuerID
    let wrong: [(pem: [UInt8], id: String, issuer: String, part: String)] = [
      ([], "A1", issuer, "its file holds no private key"), (Array("x".utf8), "A1", issuer, "its file"),
      (Array(Crypto.pem(of: Crypto.makeKey(.p384)).utf8), "A1", issuer, "its file"),
      (Array(Crypto.pem(of: FakeGoogle.key).utf8), "A1", issuer, "its file"), (pem, "", issuer, "its id"),
      (pem, "A 1", issuer, "its id"), (pem, "A1", "me", "its issuer id"),
    ]
    for row in wrong {
      do throws(LedgerError) {
        _ = try AppStoreServerKey(pem: row.pem, keyID: row.id, issuerID: row.issuer)
        XCTFail(row.part)
      } catch {
        XCTAssertEqual(error.code, .configuration)
        XCTAssertTrue(error.message.contains(row.part), error.message)
      }
    }
  }
}
#endif
