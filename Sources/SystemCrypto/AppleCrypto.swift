#if Receipts && canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
internal import Security

package typealias Crypto = AppleCrypto

/// CryptoKit, and Security for certificates and RSA, which CryptoKit lacks.
package enum AppleCrypto: CryptoLibrary {
  /// A certificate, never changed once it is made: Security lets many threads use one.
  // Unchecked: both are constants, and Security only reads a certificate.
  package final class Certificate: @unchecked Sendable {
    let certificate: SecCertificate
    let fields: CertificateFields

    fileprivate init?(_ certificate: SecCertificate) {
      guard let fields = CertificateFields(der: [UInt8](SecCertificateCopyData(certificate) as Data)) else {
        return nil
      }
      self.certificate = certificate
      self.fields = fields
    }
  }

  /// A public key, never changed once it is made.
  // Unchecked: the key is a constant, and Security lets many threads use one.
  package final class VerifyingKey: @unchecked Sendable {
    enum Kind {
      case p256(P256.Signing.PublicKey)
      case rsa(SecKey)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }

  /// A private key, never changed once it is made.
  // Unchecked: the key is a constant, and Security lets many threads use one.
  package final class SigningKey: @unchecked Sendable {
    enum Kind {
      case p256(P256.Signing.PrivateKey)
      case p384(P384.Signing.PrivateKey)
      case rsa(SecKey)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }

  /// Stops the process, for calls that only fail without memory or random numbers.
  static func failed(_ what: StaticString) -> Never {
    // A caller could not recover: the next allocation would stop the process too.
    fatalError("The crypto library could not \(what).")
  }
}

// MARK: Certificates

extension AppleCrypto {
  package static func certificate(der: [UInt8]) -> Certificate? {
    guard let certificate = SecCertificateCreateWithData(nil, Data(der) as CFData),
      // Trailing bytes would be a second encoding of the certificate.
      [UInt8](SecCertificateCopyData(certificate) as Data) == der
    else { return nil }
    return Certificate(certificate)
  }

  package static func certificates(pem: [UInt8]) -> [Certificate] {
    PEM.blocks(pem).filter { $0.label == "CERTIFICATE" }
      .compactMap { Data(base64Encoded: $0.base64).flatMap { certificate(der: [UInt8]($0)) } }
  }

  package static func fingerprint(of certificate: Certificate) -> [UInt8] {
    Array(SHA256.hash(data: Data(der(of: certificate))))
  }

  package static func haveSameOwner(_ left: Certificate, _ right: Certificate) -> Bool {
    guard let leftName = SecCertificateCopyNormalizedSubjectSequence(left.certificate),
      let rightName = SecCertificateCopyNormalizedSubjectSequence(right.certificate)
    else { return false }
    return leftName as Data == rightName as Data && left.fields.publicKey == right.fields.publicKey
  }

  package static func hasExtension(_ identifier: String, _ certificate: Certificate) -> Bool {
    certificate.fields.has(identifier)
  }

  package static func validate(
    leaf: Certificate, intermediate: Certificate, roots: [Certificate], at seconds: Int64
  ) -> ChainVerdict<VerifyingKey> {
    let certificates = [leaf.certificate, intermediate.certificate] as CFArray
    var made: SecTrust?
    guard SecTrustCreateWithCertificates(certificates, SecPolicyCreateBasicX509(), &made) == errSecSuccess,
      let trust = made,
      SecTrustSetAnchorCertificates(trust, roots.map(\.certificate) as CFArray) == errSecSuccess,
      SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess,
      SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess,
      SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: TimeInterval(seconds)) as CFDate) == errSecSuccess
    else { failed("begin a chain") }
    var reason: CFError?
    guard SecTrustEvaluateWithError(trust, &reason) else {
      let code = reason.map { OSStatus(truncatingIfNeeded: CFErrorGetCode($0)) }
      return code == errSecCertificateExpired || code == errSecCertificateNotValidYet ? .notValidThen : .untrusted
    }
    // A root may have signed the leaf itself, or be sent in place of the intermediate.
    guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], chain.count == 3,
      SecCertificateCopyData(chain[1]) as Data == SecCertificateCopyData(intermediate.certificate) as Data
    else { return .untrusted }
    guard let bits = CertificateFields.bits(ofPublic: leaf.fields.publicKey),
      // A key of another kind has another form, which is no error of the chain.
      let key = try? P256.Signing.PublicKey(x963Representation: bits)
    else { return .wrongKey }
    return .valid(
      VerifyingKey(.p256(key)),
      Validity(
        from: chain.map { second(of: SecCertificateCopyNotValidBeforeDate($0)) ?? .max }.max() ?? .max,
        until: chain.map { second(of: SecCertificateCopyNotValidAfterDate($0)) ?? .min }.min() ?? .min))
  }

  private static func second(of date: CFDate?) -> Int64? {
    date.flatMap { Int64(exactly: ($0 as Date).timeIntervalSince1970.rounded(.down)) }
  }
}

// MARK: Signatures

extension AppleCrypto {
  package static func isSignature(
    _ signature: [UInt8], of message: UnsafeRawBufferPointer, by key: VerifyingKey
  ) -> Bool {
    guard case .p256(let key) = key.kind,
      // Malformed signatures verify nothing.
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: Data(message))
  }

  package static func signature(of message: UnsafeRawBufferPointer, by key: SigningKey) -> [UInt8] {
    // Fails only without random numbers.
    guard case .p256(let key) = key.kind, let signature = try? key.signature(for: Data(message)) else {
      failed("sign")
    }
    return [UInt8](signature.rawRepresentation)
  }

  package static func p256Key(ofPublic key: SigningKey) -> VerifyingKey? {
    guard case .p256(let key) = key.kind else { return nil }
    return VerifyingKey(.p256(key.publicKey))
  }

  package static func isPlaySignature(_ signature: [UInt8], of message: [UInt8], by key: VerifyingKey) -> Bool {
    guard case .rsa(let key) = key.kind else { return false }
    return SecKeyVerifySignature(key, playAlgorithm, Data(message) as CFData, Data(signature) as CFData, nil)
  }

  package static func playSignature(of message: [UInt8], by key: SigningKey) -> [UInt8] {
    rsaSignature(playAlgorithm, of: message, by: key)
  }

  package static func serviceSignature(of message: [UInt8], by key: SigningKey) -> [UInt8] {
    rsaSignature(.rsaSignatureMessagePKCS1v15SHA256, of: message, by: key)
  }

  private static func rsaSignature(
    _ algorithm: SecKeyAlgorithm, of message: [UInt8], by key: SigningKey
  ) -> [UInt8] {
    guard case .rsa(let key) = key.kind,
      let signature = SecKeyCreateSignature(key, algorithm, Data(message) as CFData, nil)
    else { failed("sign") }
    return [UInt8](signature as Data)
  }

  private static var playAlgorithm: SecKeyAlgorithm { .rsaSignatureMessagePKCS1v15SHA1 }
}

// MARK: Hashes and shared secrets

extension AppleCrypto {
  package final class Hasher: SHA256Hasher {
    private var hash = SHA256()

    package init() {}

    package func begin() { hash = SHA256() }
    package func add(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }
    package func end() -> SHA256Digest {
      let digest = hash.finalize()
      return SHA256Digest { bytes in digest.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    }
  }

  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(message), using: SymmetricKey(data: key)))
  }

  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && timingsafe_bcmp(left, right, left.count) == 0
  }
}
#endif
