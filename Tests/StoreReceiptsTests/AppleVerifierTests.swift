#if Receipts
import GemLedger
import GemTestSupport
import StoreBackend
import SystemCrypto
import XCTest

@testable import StoreReceipts

#if canImport(COpenSSL)
import COpenSSL
#endif

/// Every check of a signed transaction, by a receipt that fails it alone.
final class AppleVerifierTests: XCTestCase {
  private static let authority = LocalAuthority()
  private var authority: LocalAuthority { Self.authority }

  func testASignedTransactionIsReadWhole() throws {
    let token = authority.token(Samples.payload([("newClaim", ["a": [1, .number("2.5")]]), ("offerType", 9)]))
    let found = try Samples.verifier(authority).transaction(token)
    XCTAssertEqual(found.transaction, Samples.transaction())
    XCTAssertEqual(found.claims.json("newClaim"), "{\"a\":[1,2.5]}")
    XCTAssertEqual(found.offerType, 9)
    XCTAssertEqual(found.claims.integer("price"), 19_980)
  }

  func testBothKindsOfAuthoritySign() throws {
    let authority = LocalAuthority(curve: .p384)
    XCTAssertNoThrow(try Samples.verifier(authority).transaction(authority.token()))
  }

  /// Apple's server libraries ask for it.
  func testTheChainHoldsUnderStrictRules() throws {
    #if canImport(COpenSSL)
    for authority in [authority, LocalAuthority(curve: .p384)] {
      XCTAssertTrue(Self.isStrict(authority.chain))
    }
    // A control: without its issuer the leaf does not hold.
    XCTAssertFalse(Self.isStrict([authority.chain[0], LocalAuthority().chain[1], authority.chain[2]]))
    #endif
  }

  func testAnAuthorityIsTheSameAfterItWasKept() throws {
    let kept = try LocalAuthority(pem: Array(authority.pem.utf8))
    XCTAssertNoThrow(try Samples.verifier(authority).transaction(kept.token()))
    assertRefused(.storageDamaged) { try LocalAuthority(pem: Array(LocalAuthority().pem.utf8.dropFirst(300))) }
    assertRefused(.storageDamaged) { try LocalAuthority(pem: []) }
  }

  func testMillisecondsMayHaveAFraction() throws {
    let token = authority.token(Samples.payload([("purchaseDate", .number("1790000000123.987"))]))
    XCTAssertEqual(try Samples.verifier(authority).transaction(token).transaction.purchasedAt, Samples.signedAt)
    let exponent = authority.token(Samples.payload([("purchaseDate", .number("1.790000000123e12"))]))
    XCTAssertEqual(try Samples.verifier(authority).transaction(exponent).transaction.purchasedAt, Samples.signedAt)
    for text in ["1e400", "-0.5", "1e16"] {
      let far = authority.token(Samples.payload([("purchaseDate", .number(text))]))
      assertFails(.payload) { try Samples.verifier(authority).transaction(far) }
    }
  }

  // MARK: Structure, header, algorithm

  func testStructure() throws {
    let verifier = try Samples.verifier(authority)
    let token = authority.token()
    let parts = token.split(separator: ".").map(String.init)
    let broken = [
      "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", token + ".", token + ".AAAA", " " + token,
      token + "\n",
      "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0])..\(parts[2])", "\(parts[0]).\(parts[1]).",
      String(repeating: "a", count: 10_000_000), String(repeating: ".", count: 10_000_000),
    ]
    for text in broken { assertFails(.structure) { try verifier.transaction(text) } }
    // Header and payload swapped: the payload is then JSON without a date.
    assertFails(.payload) { try verifier.transaction("\(parts[1]).\(parts[0]).\(parts[2])") }
  }

  func testEveryTruncationIsRefused() throws {
    let verifier = try Samples.verifier(authority)
    let token = authority.token()
    for count in stride(from: 0, to: token.utf8.count, by: 1) {
      XCTAssertThrowsError(try verifier.transaction(String(token.prefix(count))), "first \(count) bytes")
    }
  }

  func testEveryFlippedByteIsRefused() throws {
    let verifier = try Samples.verifier(authority)
    let token = Array(authority.token().utf8)
    XCTAssertNoThrow(try verifier.transaction(String(decoding: token, as: UTF8.self)))
    for index in Tier.current.items(token.count / 5, of: token.indices) {
      var damaged = token
      damaged[index] ^= 1 << UInt8(index % 8)
      do {
        _ = try verifier.transaction(String(decoding: damaged, as: UTF8.self))
        XCTFail("accepted with bit \(index % 8) of byte \(index) flipped")
      } catch {
        XCTAssertNotNil(error.text("check"), "byte \(index): \(error)")
      }
    }
  }

  func testAlgorithms() throws {
    let verifier = try Samples.verifier(authority)
    let certificates = authority.chain.map(Crypto.der)
    for algorithm in ["none", "HS256", "es256", "ES384", "RS256", ""] {
      let signer = TokenSigner(key: authority.key, certificates: certificates, algorithm: algorithm)
      assertFails(.algorithm) { try verifier.transaction(signer.token(Array(Samples.payload().text().utf8))) }
    }
  }

  func testHeaders() throws {
    let verifier = try Samples.verifier(authority)
    let chain = authority.chain.map { Base64.text(Crypto.der(of: $0)) }
    let list = chain.map { "\"\($0)\"" }.joined(separator: ",")
    func token(_ header: String) -> String { Samples.token(header, by: authority.key) }
    XCTAssertNoThrow(try verifier.transaction(token("{\"alg\":\"ES256\",\"kid\":\"x\",\"x5c\":[\(list)]}")))
    assertFails(.header) { try verifier.transaction(token("{\"alg\":\"ES256\",\"alg\":\"ES256\",\"x5c\":[\(list)]}")) }
    assertFails(.header) { try verifier.transaction(token("{\"alg\":\"ES256\",\"crit\":[\"b64\"],\"x5c\":[\(list)]}")) }
    assertFails(.header) { try verifier.transaction(token("[\(list)]")) }
    assertFails(.header) { try verifier.transaction(token("{\"alg\":\"ES256\",\"x5c\":[\(list)],}")) }
    assertFails(.algorithm) { try verifier.transaction(token("{\"x5c\":[\(list)]}")) }
    assertFails(.certificates) { try verifier.transaction(token("{\"alg\":\"ES256\"}")) }
    assertFails(.certificates) { try verifier.transaction(token("{\"alg\":\"ES256\",\"x5c\":\"\(chain[0])\"}")) }
  }

  // MARK: Certificates

  func testCertificates() throws {
    let verifier = try Samples.verifier(authority)
    let chain = authority.chain.map(Crypto.der)
    func check(_ certificates: [[UInt8]]) throws -> AppleTransaction {
      let signer = TokenSigner(key: authority.key, certificates: certificates)
      return try verifier.transaction(signer.token(Array(Samples.payload().text().utf8)))
    }
    XCTAssertNoThrow(try check(chain))
    for wrong in [[], Array(chain.prefix(2)), chain + [chain[2]], [chain[0]]] {
      assertFails(.certificates) { try check(wrong) }
    }
    for index in chain.indices {
      var long = chain
      long[index].append(0)
      assertFails(.certificates) { try check(long) }
      long[index] = []
      assertFails(.certificates) { try check(long) }
    }
    assertFails(.chain) { try check([chain[0], chain[2], chain[2]]) }
    assertFails(.chain) { try check([chain[1], chain[1], chain[2]]) }
    assertFails(.chain) { try check([chain[2], chain[1], chain[0]]) }
    assertFails(.chain) { try check([chain[0], chain[1], Crypto.der(of: LocalAuthority().chain[2])]) }
  }

  func testTheChainIsInBase64WithPaddingOnly() throws {
    let verifier = try Samples.verifier(authority)
    // A certificate whose base64 has padding and both of the characters that url-safe base64 writes in another way.
    let chain = authority.chain.map { Base64.text(Crypto.der(of: $0)) }
    func token(_ certificates: [String]) -> String {
      let list = certificates.map { "\"\($0)\"" }.joined(separator: ",")
      return Samples.token("{\"alg\":\"ES256\",\"x5c\":[\(list)]}", by: authority.key)
    }
    for index in chain.indices {
      let text = chain[index]
      let others = [
        text.replacing("+", with: "-").replacing("/", with: "_"), text.replacing("=", with: ""), text + "\\n",
        text + "=",
        " " + text,
      ]
      for other in others where other != text {
        var changed = chain
        changed[index] = other
        assertFails(.certificates) { try verifier.transaction(token(changed)) }
      }
    }
  }

  func testChainsOfOthers() throws {
    let other = LocalAuthority()
    assertFails(.chain) { try Samples.verifier(authority).transaction(other.token()) }
    // The other's leaf with this authority's root, and this authority's chain with the other's key.
    let mixed = other.chain.prefix(2) + authority.chain.suffix(1)
    let signer = TokenSigner(key: other.key, certificates: mixed.map(Crypto.der))
    assertFails(.chain) {
      try Samples.verifier(authority).transaction(signer.token(Array(Samples.payload().text().utf8)))
    }
    let forger = TokenSigner(key: other.key, certificates: authority.chain.map(Crypto.der))
    assertFails(.signature) {
      try Samples.verifier(authority).transaction(forger.token(Array(Samples.payload().text().utf8)))
    }
    let nobody = try AppleVerifier(app: AppleApp(environments: [.sandbox]), roots: [])
    assertFails(.chain) { try nobody.transaction(authority.token()) }
  }

  func testMarkers() throws {
    for path in [\AuthorityPlan.leafMarker, \.intermediateMarker] {
      var plan = AuthorityPlan()
      plan[keyPath: path] = nil
      let unmarked = LocalAuthority(plan)
      assertFails(.markers) { try Samples.verifier(unmarked).transaction(unmarked.token()) }
    }
    var swapped = AuthorityPlan()
    (swapped.leafMarker, swapped.intermediateMarker) = (swapped.intermediateMarker, swapped.leafMarker)
    let authority = LocalAuthority(swapped)
    assertFails(.markers) { try Samples.verifier(authority).transaction(authority.token()) }
  }

  func testALeafWithAKeyOfAnotherKind() throws {
    for kind in [KeyKind.p384, .rsa] {
      var plan = AuthorityPlan()
      plan.leafKind = kind
      let authority = LocalAuthority(plan)
      let signer = TokenSigner(key: Crypto.makeKey(.p256), certificates: authority.chain.map(Crypto.der))
      assertFails(.chain) {
        try Samples.verifier(authority).transaction(signer.token(Array(Samples.payload().text().utf8)))
      }
    }
  }

  func testAChainOfRSAKeysMaySignALeafForES256() throws {
    let authority = LocalAuthority(AuthorityPlan(signerKind: .rsa))
    XCTAssertNoThrow(try Samples.verifier(authority).transaction(authority.token()))
    assertFails(.chain) { try Samples.verifier(LocalAuthority()).transaction(authority.token()) }
  }

  func testTheKeyOfACertificateThatWasReadIsTheOneThatWasIssued() throws {
    for kind in [KeyKind.p256, .p384, .rsa] {
      var plan = AuthorityPlan(signerKind: kind)
      plan.leafKind = kind
      let authority = LocalAuthority(plan)
      let leaf = try XCTUnwrap(Crypto.certificate(der: Crypto.der(of: authority.chain[0])))
      XCTAssertFalse(Crypto.publicKeyDER(of: leaf).isEmpty)
      XCTAssertEqual(Crypto.publicKeyDER(of: leaf), Crypto.der(ofPublic: authority.key))
    }
  }

  func testTheCertificatesWereValidWhenItWasSigned() throws {
    let second = Samples.signedAt.milliseconds / 1000
    func authority(from: Int64, until: Int64) -> LocalAuthority {
      var plan = AuthorityPlan()
      plan.leafValidity = Validity(from: from, until: until)
      return LocalAuthority(plan)
    }
    for (from, until) in [(second, second + 1), (second - 100, second + 100)] {
      let valid = authority(from: from, until: until)
      XCTAssertNoThrow(try Samples.verifier(valid).transaction(valid.token()), "\(from - second), \(until - second)")
    }
    for (from, until) in [(second + 1, second + 9), (second - 9, second), (second - 9, second - 1)] {
      let invalid = authority(from: from, until: until)
      assertFails(.validity) { try Samples.verifier(invalid).transaction(invalid.token()) }
    }
  }

  func testAChainInTheCacheIsHeldToItsDates() throws {
    let second = Samples.signedAt.milliseconds / 1000
    var plan = AuthorityPlan()
    plan.leafValidity = Validity(from: second - 5, until: second + 5)
    let authority = LocalAuthority(plan)
    let verifier = try Samples.verifier(authority)
    XCTAssertNoThrow(try verifier.transaction(authority.token()))
    for offset in [-6, 5, 3_600] {
      let other = Samples.payload([("signedDate", .integer((second + Int64(offset)) * 1000))])
      assertFails(.validity) { try verifier.transaction(authority.token(other)) }
    }
    XCTAssertNoThrow(try verifier.transaction(authority.token()))
  }

  func testAChainInTheCacheStillNeedsASignature() throws {
    let verifier = try Samples.verifier(authority)
    let parts = authority.token().split(separator: ".").map(String.init)
    XCTAssertNoThrow(try verifier.transaction(parts.joined(separator: ".")))
    let other = authority.token(Samples.payload([("quantity", 9)])).split(separator: ".").map(String.init)
    assertFails(.signature) { try verifier.transaction("\(parts[0]).\(other[1]).\(parts[2])") }
    for length in [0, 1, 63, 65, 71] {
      let signature = Base64URL.text([UInt8](repeating: 1, count: length))
      XCTAssertThrowsError(try verifier.transaction("\(parts[0]).\(parts[1]).\(signature)"))
    }
    let zeros = Base64URL.text([UInt8](repeating: 0, count: 64))
    assertFails(.signature) { try verifier.transaction("\(parts[0]).\(parts[1]).\(zeros)") }
  }

  // MARK: Roots

  func testARootByItsFingerprint() throws {
    let app = AppleApp(environments: [.sandbox])
    let digits = authority.root.fingerprint
    let colons = stride(from: 0, to: 64, by: 2).map { digits.dropFirst($0).prefix(2).uppercased() }
    for text in [digits, colons.joined(separator: ":")] {
      let verifier = try AppleVerifier(app: app, roots: [TrustedRoot(fingerprint: text)])
      XCTAssertNoThrow(try verifier.transaction(authority.token()))
      assertFails(.chain) { try verifier.transaction(LocalAuthority().token()) }
    }
    for text in ["", "63", String(repeating: "g", count: 64), digits + "00"] {
      assertRefused(.configuration) { try TrustedRoot(fingerprint: text) }
    }
  }

  func testARootByItsFile() throws {
    let app = AppleApp(environments: [.sandbox])
    let pem = Array(Crypto.pem(of: authority.chain[2]).utf8)
    for file in [authority.rootCertificate, pem] {
      let verifier = try AppleVerifier(app: app, roots: [TrustedRoot(certificate: file)])
      XCTAssertNoThrow(try verifier.transaction(authority.token()))
    }
    for file in [[], [0x30], Array("text".utf8), pem + pem] as [[UInt8]] {
      assertRefused(.configuration) { try TrustedRoot(certificate: file) }
    }
  }

  // MARK: Payload, app, environment

  func testPayloads() throws {
    let verifier = try Samples.verifier(authority)
    let changes: [(String, JSONValue?)] = [
      ("transactionId", nil), ("transactionId", 12), ("signedDate", nil), ("signedDate", "1"), ("signedDate", -1),
      ("signedDate", .integer(.max)), ("quantity", "2"), ("quantity", -1), ("productId", ""),
      ("bundleId", .string("a\u{0}b")), ("environment", nil),
      ("appAccountToken", "me"),
    ]
    for (name, value) in changes {
      let token = authority.token(Samples.payload([(name, value)]))
      assertFails(.payload) { try verifier.transaction(token) }
    }
    for json in ["", "[]", "{", "{\"a\":1,\"a\":1}", "null", "{\"signedDate\":1}"] {
      let token = TokenSigner(authority).token(Array(json.utf8))
      XCTAssertThrowsError(try verifier.transaction(token), json)
    }
  }

  /// What a store may write into a receipt that is paid for is no reason to refuse it.
  func testPaidPurchasesOfManyForms() throws {
    let verifier = try Samples.verifier(authority)
    let changes: [(String, JSONValue?)] = [
      ("appAccountToken", "7E3FB20B-4CDB-47CC-936D-99D65F608138"), ("appAccountToken", ""), ("type", "Voucher"),
      ("type", nil), ("originalTransactionId", nil), ("price", 10_995), ("price", .number("10990.0")),
      ("price", -1), ("currency", "CLF"), ("currency", nil), ("currency", "usd"), ("storefront", ""),
      ("webOrderLineItemId", ""), ("subscriptionGroupIdentifier", ""), ("transactionReason", "GIFT"),
      ("storefront", "ZZZ"), ("inAppOwnershipType", "LENT"),
    ]
    for (name, value) in changes {
      let token = authority.token(Samples.payload([(name, value)]))
      XCTAssertNoThrow(try verifier.transaction(token), "\(name)")
    }
    let upper = authority.token(Samples.payload([changes[0]]))
    XCTAssertEqual(
      try verifier.transaction(upper).transaction.accountToken?.description, "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    let odd = authority.token(Samples.payload([("price", 10_995)]))
    XCTAssertNil(try verifier.transaction(odd).transaction.price)
    let nothing = authority.token(
      Samples.payload([
        ("revocationDate", .integer(Samples.signedAt.milliseconds)), ("revocationType", "REFUND_PRORATED"),
        ("revocationPercentage", 0),
      ]))
    XCTAssertNil(try verifier.transaction(nothing).transaction.revocation)
  }

  func testTheOrderOfAppAndEnvironment() throws {
    let sandbox = try Samples.verifier(authority)
    assertFails(.bundle) {
      try sandbox.transaction(authority.token(Samples.payload([("bundleId", "com.other")], of: .production)))
    }
    assertFails(.environment) { try sandbox.transaction(authority.token(Samples.payload(of: .production))) }
    assertFails(.environment) {
      try sandbox.transaction(authority.token(Samples.payload([("environment", "sandbox")])))
    }
    let both = try Samples.verifier(authority, [.production, .sandbox])
    XCTAssertEqual(
      try both.transaction(authority.token(Samples.payload(of: .production))).transaction.environment, .production)
  }

  func testOnlyNamedTestSessionsGoUnverified() throws {
    let session = try StoreEnvironment.xcode(session: "mac")
    let plain = { (header: String) in Samples.token(header, Samples.payload(of: session), by: Crypto.makeKey(.p256)) }
    let unsigned = plain("{\"alg\":\"none\"}")
    let lenient = try Samples.verifier(authority, unverified: [session])
    XCTAssertEqual(try lenient.transaction(unsigned).transaction.environment, session)
    assertFails(.algorithm) { try Samples.verifier(authority).transaction(unsigned) }
    assertFails(.algorithm) { try Samples.verifier(authority, [session]).transaction(unsigned) }
    // Naming one is no way round the signature of another.
    let sandbox = Samples.token("{\"alg\":\"none\"}", by: Crypto.makeKey(.p256))
    assertFails(.algorithm) { try lenient.transaction(sandbox) }
  }

  func testConfigurations() throws {
    let roots = [authority.root]
    assertRefused(.configuration) { try AppleVerifier(app: AppleApp(environments: [.production]), roots: roots) }
    assertRefused(.configuration) {
      try AppleVerifier(app: AppleApp(environments: [], unverifiedEnvironments: [.sandbox]), roots: roots)
    }
    assertRefused(.configuration) {
      let sessions: Set<StoreEnvironment> = [try .xcode(session: "a"), try .xcode(session: "b")]
      return try AppleVerifier(app: AppleApp(environments: sessions), roots: roots)
    }
  }
}

#if canImport(COpenSSL)
extension AppleVerifierTests {
  private static func isStrict(_ chain: [Crypto.Certificate]) -> Bool {
    let (store, context, others) = (X509_STORE_new(), X509_STORE_CTX_new(), OPENSSL_sk_new_null())
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      OPENSSL_sk_free(others)
    }
    X509_STORE_add_cert(store, chain[2].x509)
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_X509_STRICT))
    OPENSSL_sk_push(others, UnsafeRawPointer(chain[1].x509))
    X509_STORE_CTX_init(context, store, chain[0].x509, others)
    return X509_verify_cert(context) == 1
  }
}
#endif

extension Samples {
  /// A token with any header.
  static func token(_ header: String, _ payload: JSONValue = payload(), by key: Crypto.SigningKey) -> String {
    let text = "\(Base64URL.text(header.utf8)).\(Base64URL.text(payload.text().utf8))"
    let signature = Array(text.utf8).withUnsafeBytes { Crypto.signature(of: $0, by: key) }
    return "\(text).\(Base64URL.text(signature))"
  }
}
#endif
