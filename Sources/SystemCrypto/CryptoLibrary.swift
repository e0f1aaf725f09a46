#if Receipts
/// What is asked of the system's crypto library: OpenSSL's libcrypto, or CryptoKit and Security on Apple's platforms.
///
/// Nothing that it does is written again here. ``Crypto`` names the one of this platform.
package protocol CryptoLibrary {
  associatedtype Certificate: AnyObject, Sendable
  associatedtype VerifyingKey: Sendable
  associatedtype SigningKey: Sendable
  associatedtype Hasher: SHA256Hasher

  // MARK: Certificates

  /// Reads a certificate; nil unless the bytes are one, and nothing else.
  static func certificate(der: [UInt8]) -> Certificate?
  /// The certificates of a PEM file, in their order; what is no certificate is left out.
  static func certificates(pem: [UInt8]) -> [Certificate]
  /// The SHA-256 of the certificate's bytes.
  static func fingerprint(of certificate: Certificate) -> [UInt8]
  /// Whether both have the same subject and the same key, as two issues of one root have.
  static func haveSameOwner(_ left: Certificate, _ right: Certificate) -> Bool
  /// Whether the certificate has the extension.
  ///
  /// - Parameter identifier: In dotted form.
  static func hasExtension(_ identifier: String, _ certificate: Certificate) -> Bool
  /// Checks that one of the roots signed the intermediate, and that signed the leaf, all valid at the time.
  ///
  /// - Parameter seconds: Since 1970.
  static func validate(
    leaf: Certificate, intermediate: Certificate, roots: [Certificate], at seconds: Int64
  ) -> ChainVerdict<VerifyingKey>

  // MARK: Signatures

  /// Checks an ECDSA signature with P-256 and SHA-256.
  ///
  /// - Parameter signature: r and s, 32 bytes each.
  static func isSignature(_ signature: [UInt8], of message: UnsafeRawBufferPointer, by key: VerifyingKey) -> Bool
  /// Makes an ECDSA signature with P-256 and SHA-256: r and s, 32 bytes each.
  static func signature(of message: UnsafeRawBufferPointer, by key: SigningKey) -> [UInt8]

  /// Checks an RSA signature with SHA-1, as Google Play makes them (PKCS #1, version 1.5).
  static func isPlaySignature(_ signature: [UInt8], of message: [UInt8], by key: VerifyingKey) -> Bool
  /// Makes an RSA signature with SHA-1.
  static func playSignature(of message: [UInt8], by key: SigningKey) -> [UInt8]

  /// Makes an RSA signature with SHA-256 (PKCS #1, version 1.5), which tokens name `RS256`.
  static func serviceSignature(of message: [UInt8], by key: SigningKey) -> [UInt8]

  // MARK: Keys

  static func makeKey(_ kind: KeyKind) -> SigningKey
  /// Reads a public key as X.509 writes it; nil unless the bytes are an RSA key, and nothing else.
  static func playKey(der: [UInt8]) -> VerifyingKey?
  /// The public key of a certificate, as X.509 writes it.
  static func publicKeyDER(of certificate: Certificate) -> [UInt8]
  /// The public half of a key, as X.509 writes it.
  static func der(ofPublic key: SigningKey) -> [UInt8]
  /// The public half of a key with P-256; nil for a key of another kind.
  static func p256Key(ofPublic key: SigningKey) -> VerifyingKey?
  /// The first private key of a PEM file; nil where there is none.
  static func privateKey(pem: [UInt8]) -> SigningKey?
  static func pem(of key: SigningKey) -> String
  static func pem(of certificate: Certificate) -> String
  static func der(of certificate: Certificate) -> [UInt8]
  /// Makes a certificate; a root where there is no issuer.
  static func issue(
    _ request: CertificateRequest<SigningKey>, by issuer: (certificate: Certificate, key: SigningKey)?
  ) -> Certificate

  // MARK: Shared secrets

  /// HMAC with SHA-256.
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8]
  /// Compares in a time that depends on the lengths alone.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool
}

/// The kinds of keys that are made here.
package enum KeyKind: Hashable, Sendable {
  case p256
  case p384
  /// RSA with 2048 bits.
  case rsa
}

/// A certificate to make.
package struct CertificateRequest<Key: Sendable>: Sendable {
  /// The common name.
  package var name: String
  package var key: Key
  /// Whether it may sign other certificates.
  package var isAuthority: Bool
  /// An extension without content, in dotted form.
  package var marker: String?
  package var validity: Validity

  package init(name: String, key: Key, isAuthority: Bool, marker: String?, validity: Validity) {
    self.name = name
    self.key = key
    self.isAuthority = isAuthority
    self.marker = marker
    self.validity = validity
  }
}

/// Whether a chain of certificates leads to a trusted root.
package enum ChainVerdict<Key: Sendable>: Sendable {
  /// It does, and the leaf holds a key for signatures with P-256.
  case valid(Key, Validity)
  /// Signatures fit, the time does not.
  case notValidThen
  /// No trusted root stands behind it, or a certificate may not sign another.
  case untrusted
  /// The leaf's key is of another kind.
  case wrongKey
}

/// When all certificates of a chain are valid, in seconds since 1970.
package struct Validity: Hashable, Sendable {
  package let from: Int64
  /// The first second behind it.
  package let until: Int64

  package init(from: Int64, until: Int64) {
    (self.from, self.until) = (from, until)
  }

  package func contains(_ seconds: Int64) -> Bool { from <= seconds && seconds < until }
}

extension CryptoLibrary {
  /// Encodes a signature in DER (RFC 3279, 2.2.3).
  ///
  /// - Parameter signature: r and s, 32 bytes each.
  package static func der(ofSignature signature: [UInt8]) -> [UInt8] {
    DER.sequence(DER.integer(signature.prefix(32)), DER.integer(signature.dropFirst(32)))
  }
}
#endif
