#if Receipts && canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
internal import Security

// MARK: Keys

extension AppleCrypto {
  package static func makeKey(_ kind: KeyKind) -> SigningKey {
    switch kind {
    case .p256: return SigningKey(.p256(P256.Signing.PrivateKey()))
    case .p384: return SigningKey(.p384(P384.Signing.PrivateKey()))
    case .rsa:
      let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048] as [CFString: Any]
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil) else { failed("make a key") }
      return SigningKey(.rsa(key))
    }
  }

  package static func playKey(der: [UInt8]) -> VerifyingKey? {
    guard let parts = DER.read(der)?.parts, parts.count == 2, Array(parts[0].bytes) == rsaAlgorithm,
      let bits = CertificateFields.bits(ofPublic: der), let key = rsaKey(bits, kSecAttrKeyClassPublic)
    else { return nil }
    return VerifyingKey(.rsa(key))
  }

  package static func publicKeyDER(of certificate: Certificate) -> [UInt8] { certificate.fields.publicKey }

  package static func der(ofPublic key: SigningKey) -> [UInt8] {
    switch key.kind {
    case .p256(let key): [UInt8](key.publicKey.derRepresentation)
    case .p384(let key): [UInt8](key.publicKey.derRepresentation)
    case .rsa(let key):
      DER.sequence(rsaAlgorithm, DER.bitString(SecKeyCopyPublicKey(key).map(bytes) ?? []))
    }
  }

  package static func privateKey(pem: [UInt8]) -> SigningKey? {
    for (label, base64) in PEM.blocks(pem) where label.hasSuffix("PRIVATE KEY") {
      let text = PEM.text(label, base64)
      // Each kind refuses the keys of the others.
      if let key = try? P256.Signing.PrivateKey(pemRepresentation: text) { return SigningKey(.p256(key)) }
      if let key = try? P384.Signing.PrivateKey(pemRepresentation: text) { return SigningKey(.p384(key)) }
      return Data(base64Encoded: base64).flatMap { rsaKey(label, [UInt8]($0)) }.map { SigningKey(.rsa($0)) }
    }
    return nil
  }

  /// A private key of RSA, alone (PKCS #1) or with its algorithm (PKCS #8).
  private static func rsaKey(_ label: String, _ der: [UInt8]) -> SecKey? {
    guard label == "PRIVATE KEY" else { return rsaKey(der, kSecAttrKeyClassPrivate) }
    guard let parts = DER.read(der)?.parts, parts.count >= 3, Array(parts[1].bytes) == rsaAlgorithm,
      parts[2].tag == DER.Tag.octetString
    else { return nil }
    return rsaKey(Array(parts[2].content), kSecAttrKeyClassPrivate)
  }

  private static func rsaKey(_ der: [UInt8], _ kind: CFString) -> SecKey? {
    let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kind] as [CFString: Any]
    return SecKeyCreateWithData(Data(der) as CFData, attributes as CFDictionary, nil)
  }

  package static func pem(of key: SigningKey) -> String {
    switch key.kind {
    case .p256(let key): return key.pemRepresentation + "\n"
    case .p384(let key): return key.pemRepresentation + "\n"
    case .rsa(let key):
      let der = DER.sequence(DER.integer([0]), rsaAlgorithm, DER.element(DER.Tag.octetString, bytes(key)))
      return PEM.text("PRIVATE KEY", Data(der).base64EncodedString())
    }
  }

  private static var rsaAlgorithm: [UInt8] {
    DER.sequence(DER.objectIdentifier("1.2.840.113549.1.1.1"), DER.element(DER.Tag.null, []))
  }

  /// Returns the key in the form of PKCS #1.
  private static func bytes(_ key: SecKey) -> [UInt8] {
    guard let data = SecKeyCopyExternalRepresentation(key, nil) else { failed("write a key") }
    return [UInt8](data as Data)
  }
}

// MARK: Certificates

extension AppleCrypto {
  package static func der(of certificate: Certificate) -> [UInt8] {
    [UInt8](SecCertificateCopyData(certificate.certificate) as Data)
  }

  package static func pem(of certificate: Certificate) -> String {
    PEM.text("CERTIFICATE", Data(der(of: certificate)).base64EncodedString())
  }

  package static func issue(
    _ request: CertificateRequest<SigningKey>, by issuer: (certificate: Certificate, key: SigningKey)?
  ) -> Certificate {
    let subject = CertificateDraft.name(request.name)
    let publicKey = der(ofPublic: request.key)
    let signer = issuer?.key ?? request.key
    let draft = CertificateDraft(
      serial: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }, subject: subject,
      issuer: issuer?.certificate.fields.subject ?? subject, validity: request.validity, publicKey: publicKey,
      isAuthority: request.isAuthority, marker: request.marker, keyIdentifier: keyIdentifier(publicKey),
      issuerKeyIdentifier: keyIdentifier(issuer?.certificate.fields.publicKey ?? publicKey),
      algorithm: algorithm(of: signer))
    let der = draft.certificate(signature: signature(of: draft.signedPart, by: signer))
    guard let certificate = certificate(der: der) else { failed("read its own certificate") }
    return certificate
  }

  private static func keyIdentifier(_ publicKey: [UInt8]) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: Data(CertificateFields.bits(ofPublic: publicKey) ?? publicKey)))
  }

  private static func algorithm(of key: SigningKey) -> CertificateDraft.Algorithm {
    if case .p384 = key.kind { .ecdsaWithSHA384 } else { .ecdsaWithSHA256 }
  }

  private static func signature(of bytes: [UInt8], by key: SigningKey) -> [UInt8] {
    let signature: Data? =
      switch key.kind {
      // Each fails only without random numbers.
      case .p256(let key): try? key.signature(for: Data(bytes)).derRepresentation
      case .p384(let key): try? key.signature(for: Data(bytes)).derRepresentation
      case .rsa: nil
      }
    guard let signature else { failed("sign a certificate") }
    return [UInt8](signature)
  }
}
#endif
