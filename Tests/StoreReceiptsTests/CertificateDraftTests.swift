#if Receipts && canImport(COpenSSL)
import GemTestSupport
import XCTest

@testable import SystemCrypto

/// Certificates that are put together without a library hold up to one.
final class CertificateDraftTests: XCTestCase {
  private static let marker = "1.2.840.113635.100.6.11.1"

  private struct Signer {
    let key = Crypto.makeKey(.p256)
    let name: [UInt8]

    init(_ name: String) { self.name = CertificateDraft.name(name) }
    var publicKey: [UInt8] { Crypto.der(ofPublic: key) }
    /// Any twenty bytes: what matters is that both certificates name the same.
    var identifier: [UInt8] { Array(publicKey.suffix(20)) }
  }

  /// - Parameter until: Far away, so that both forms of a time occur.
  private func issue(
    _ subject: Signer, by issuer: Signer, isAuthority: Bool, marker: String? = nil, until: Int64 = 4_000_000_000
  ) throws -> [UInt8] {
    let draft = CertificateDraft(
      serial: Array(1...16), subject: subject.name, issuer: issuer.name,
      validity: Validity(from: 951_782_400, until: until),
      publicKey: subject.publicKey, isAuthority: isAuthority, marker: marker, keyIdentifier: subject.identifier,
      issuerKeyIdentifier: issuer.identifier, algorithm: .ecdsaWithSHA256)
    let scalars = draft.signedPart.withUnsafeBytes { Crypto.signature(of: $0, by: issuer.key) }
    return draft.certificate(
      signature: DER.sequence(DER.integer(scalars.prefix(32)), DER.integer(scalars.suffix(32))))
  }

  func testAChainOfDraftsIsValid() throws {
    let (root, middle, leaf) = (Signer("Root"), Signer("Intermediate"), Signer("Leaf, with an é"))
    let rootBytes = try issue(root, by: root, isAuthority: true)
    let middleBytes = try issue(middle, by: root, isAuthority: true)
    let leafBytes = try issue(leaf, by: middle, isAuthority: false, marker: Self.marker)
    let certificates = try [leafBytes, middleBytes, rootBytes].map { try XCTUnwrap(Crypto.certificate(der: $0)) }
    guard
      case .valid(_, let validity) = Crypto.validate(
        leaf: certificates[0], intermediate: certificates[1], roots: [certificates[2]], at: 1_700_000_000)
    else { return XCTFail("The chain does not hold.") }
    XCTAssertEqual(validity, Validity(from: 951_782_400, until: 4_000_000_000))
    XCTAssertTrue(Crypto.hasExtension(Self.marker, certificates[0]))
    XCTAssertFalse(Crypto.hasExtension(Self.marker, certificates[1]))
    // 2000-02-29, and long after 2049.
    if case .valid = Crypto.validate(
      leaf: certificates[0], intermediate: certificates[1], roots: [certificates[2]], at: 951_782_399)
    {
      XCTFail("It is not valid yet.")
    }
  }

  /// Leap days, both forms of a time, and the last second of four digits.
  func testTimesAreThoseOfTheLibrary() throws {
    let last: Int64 = 253_402_300_799
    let (root, middle, leaf) = (Signer("Root"), Signer("Intermediate"), Signer("Leaf"))
    let above = try [
      issue(middle, by: root, isAuthority: true, until: last), issue(root, by: root, isAuthority: true, until: last),
    ]
    .map { try XCTUnwrap(Crypto.certificate(der: $0)) }
    var generator = SeededRandom(seed: 20)
    let drawn = (0..<200).map { _ in Int64(generator.below(Int(last))) }
    for until in drawn + [951_868_799, 2_524_607_999, 2_524_608_000, 4_107_542_400, last] where until > 951_782_400 {
      let certificate = try XCTUnwrap(
        Crypto.certificate(der: issue(leaf, by: middle, isAuthority: false, until: until)))
      guard
        case .valid(_, let validity) = Crypto.validate(
          leaf: certificate, intermediate: above[0], roots: [above[1]], at: 951_782_400)
      else { return XCTFail("until \(until)") }
      XCTAssertEqual(validity.until, until)
    }
  }

  func testFieldsAreThoseThatTheLibraryReads() throws {
    let root = Crypto.makeKey(.p384)
    for kind in [KeyKind.p256, .p384] {
      let request = CertificateRequest(
        name: "It", key: Crypto.makeKey(kind), isAuthority: false, marker: Self.marker,
        validity: Validity(from: 0, until: 4_000_000_000))
      let issuer = Crypto.issue(
        CertificateRequest(name: "Root", key: root, isAuthority: true, marker: nil, validity: request.validity), by: nil
      )
      let certificate = Crypto.issue(request, by: (issuer, root))
      let fields = try XCTUnwrap(CertificateFields(der: Crypto.der(of: certificate)))
      XCTAssertEqual(fields.publicKey, Crypto.publicKeyDER(of: certificate))
      XCTAssertEqual(fields.subject, CertificateDraft.name("It"))
      XCTAssertTrue(fields.has(Self.marker))
      XCTAssertFalse(fields.has("1.2.3"))
      XCTAssertEqual(fields.extensions.count, 5)
      let blocks = PEM.blocks(Array(Crypto.pem(of: certificate).utf8))
      XCTAssertEqual(blocks.map(\.label), ["CERTIFICATE"])
      XCTAssertEqual(PEM.text("CERTIFICATE", blocks[0].base64), Crypto.pem(of: certificate))
    }
  }

  /// A damaged text is read to an end, whatever it says of its lengths.
  func testDamagedTextsAreReadToAnEnd() throws {
    let root = Signer("Root")
    let bytes = try issue(root, by: root, isAuthority: true)
    for index in bytes.indices {
      _ = CertificateFields(der: Array(bytes[..<index]))
      for value: UInt8 in [0, 0x7F, 0x80, 0x84, 0xFF] {
        var other = bytes
        other[index] = value
        _ = CertificateFields(der: other)
      }
    }
    XCTAssertNil(CertificateFields(der: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]))
  }
}
#endif
