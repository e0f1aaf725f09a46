#if Receipts
public import GemLedger
internal import SystemCrypto

/// A root certificate that the user trusts.
public struct TrustedRoot: Sendable {
  enum Name: Sendable {
    case certificate(Crypto.Certificate, der: [UInt8])
    /// SHA-256 of the certificate, which the receipt contains.
    case fingerprint([UInt8])
  }

  let name: Name

  init(_ certificate: Crypto.Certificate) { name = .certificate(certificate, der: Crypto.der(of: certificate)) }

  /// Trusts a certificate, in the form in which Apple publishes its roots (`AppleRootCA-G3.cer`).
  ///
  /// - Parameter file: The bytes of the file, DER or PEM.
  /// - Throws: `LedgerError` with `configuration` if it contains no certificate, or several.
  public init(certificate file: [UInt8]) throws(LedgerError) {
    let certificates = Crypto.certificate(der: file).map { [$0] } ?? Crypto.certificates(pem: file)
    guard certificates.count == 1 else {
      throw LedgerError(
        .configuration, "The file of a trusted root contains \(certificates.count) certificates, but must contain one.")
    }
    self.init(certificates[0])
  }

  /// Trusts the certificate with a fingerprint: receipts contain their root.
  ///
  /// - Parameter fingerprint: SHA-256 of the certificate's DER: 64 hex digits, with or without colons between the
  ///   bytes.
  /// - Throws: `LedgerError` with `configuration` for an invalid fingerprint.
  public init(fingerprint: String) throws(LedgerError) {
    let digits = fingerprint.utf8.filter { $0 != UInt8(ascii: ":") }
    guard let bytes = Hex.bytes(digits), bytes.count == 32 else {
      throw LedgerError(
        .configuration, "\"\(fingerprint.prefix(100))\" is not a fingerprint: SHA-256 has 64 hex digits.")
    }
    name = .fingerprint(bytes)
  }

  /// The fingerprint: SHA-256 of the certificate, in lower-case hex digits.
  public var fingerprint: String {
    switch name {
    case .certificate(let certificate, _): Hex.text(Crypto.fingerprint(of: certificate))
    case .fingerprint(let bytes): Hex.text(bytes)
    }
  }
}

extension TrustedRoot {
  /// Returns the certificate, if these are its bytes.
  func certificate(der: [UInt8]) -> Crypto.Certificate? {
    guard case .certificate(let certificate, let own) = name, own == der else { return nil }
    return certificate
  }

  /// Returns the certificate to check a chain with; nil if the receipt has another root.
  func certificate(for root: Crypto.Certificate) -> Crypto.Certificate? {
    switch name {
    // Apple reissued its root with another serial number and the same key.
    case .certificate(let trusted, _): trusted === root || Crypto.haveSameOwner(trusted, root) ? trusted : nil
    case .fingerprint(let trusted): Crypto.areEqual(Crypto.fingerprint(of: root), trusted) ? root : nil
    }
  }
}
#endif
