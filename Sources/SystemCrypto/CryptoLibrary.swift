#if Receipts
/// The required functions of the system's crypto library: OpenSSL's libcrypto, or CryptoKit and Security on Apple's
/// platforms.
///
/// No cryptography is implemented here. ``Crypto`` is the library of this platform.
package protocol CryptoLibrary {
  associatedtype Certificate: AnyObject, Sendable
  associatedtype VerifyingKey: Sendable
  associatedtype SigningKey: Sendable
  associatedtype Hasher: SHA256Hasher

  // MARK: Certificates

  /// Reads a certificate; nil unless the bytes are exactly one certificate.
  static func certificate(der: [UInt8]) -> Certificate?
  /// Returns the certificates of a PEM file, in order; other blocks are omitted.
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
  /// Reads a public key in X.509 form; nil unless the bytes are exactly one RSA key.
  static func playKey(der: [UInt8]) -> VerifyingKey?
  /// The public key of a certificate, as X.509 writes it.
  static func publicKeyDER(of certificate: Certificate) -> [UInt8]
  /// The public half of a key, as X.509 writes it.
  static func der(ofPublic key: SigningKey) -> [UInt8]
  /// The public half of a key with P-256; nil for a key of another kind.
  static func p256Key(ofPublic key: SigningKey) -> VerifyingKey?
  /// Returns the first private key of a PEM file; nil if there is none.
  static func privateKey(pem: [UInt8]) -> SigningKey?
  static func pem(of key: SigningKey) -> String
  static func pem(of certificate: Certificate) -> String
  static func der(of certificate: Certificate) -> [UInt8]
  /// Makes a certificate; without an issuer, a root.
  static func issue(
    _ request: CertificateRequest<SigningKey>, by issuer: (certificate: Certificate, key: SigningKey)?
  ) -> Certificate

  // MARK: Shared secrets

  /// HMAC with SHA-256.
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8]
  /// Compares in constant time for equal lengths.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool
}

/// The kinds of generated keys.
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
  /// The chain is valid, and the leaf has a P-256 key.
  case valid(Key, Validity)
  /// The signatures verify, but the time is outside the validity.
  case notValidThen
  /// No trusted root signed it, or a certificate may not sign others.
  case untrusted
  /// The leaf's key is of another kind.
  case wrongKey
}

/// The period in which all certificates of a chain are valid, in seconds since 1970.
package struct Validity: Hashable, Sendable {
  package let from: Int64
  /// The first second after the period.
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
