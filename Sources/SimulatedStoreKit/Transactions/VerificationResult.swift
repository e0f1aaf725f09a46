internal import StoreBackend
internal import StoreClient

/// A value that the App Store signed, and whether this device could verify the signature.
@frozen
public enum VerificationResult<SignedType> {
  /// The reason for a failed verification.
  @nonexhaustive
  public enum VerificationError: Error, Hashable {
    /// A certificate was revoked.
    case revokedCertificate
    /// The certificate chain is invalid.
    case invalidCertificateChain
    /// The value is for another device.
    case invalidDeviceVerification
    /// The value cannot be read.
    case invalidEncoding
    /// The signature does not match.
    case invalidSignature
    /// The value is incomplete.
    case missingRequiredProperties
  }

  /// The signature could not be verified.
  case unverified(SignedType, VerificationError)
  /// Signed by the App Store for this app.
  case verified(SignedType)

  /// The value, if it is verified.
  public var payloadValue: SignedType {
    get throws {
      switch self {
      case .verified(let value): return value
      case .unverified(_, let error): throw error
      }
    }
  }

  /// The value, verified or not.
  public var unsafePayloadValue: SignedType {
    switch self {
    case .verified(let value), .unverified(let value, _): value
    }
  }
}

extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult.VerificationError: LocalizedError {
  /// A sentence for people.
  public var errorDescription: String? { "The App Store's signature could not be verified: \(failure.rawValue)." }
}

extension VerificationResult.VerificationError {
  init(_ failure: VerificationFailure) {
    switch failure {
    case .revokedCertificate: self = .revokedCertificate
    case .invalidCertificateChain: self = .invalidCertificateChain
    case .invalidDeviceVerification: self = .invalidDeviceVerification
    case .invalidEncoding: self = .invalidEncoding
    case .invalidSignature: self = .invalidSignature
    case .missingRequiredProperties: self = .missingRequiredProperties
    }
  }

  var failure: VerificationFailure {
    switch self {
    case .revokedCertificate: .revokedCertificate
    case .invalidCertificateChain: .invalidCertificateChain
    case .invalidDeviceVerification: .invalidDeviceVerification
    case .invalidEncoding: .invalidEncoding
    case .invalidSignature: .invalidSignature
    case .missingRequiredProperties: .missingRequiredProperties
    }
  }

  /// Returns the error of this reason for a value of another type.
  func of<Other>(_: Other.Type) -> VerificationResult<Other>.VerificationError { .init(failure) }
}

extension VerificationResult where SignedType == Transaction {
  init(_ evidence: StoreEvidence) {
    let transaction = Transaction(evidence: evidence)
    if let failure = evidence.unverified {
      self = .unverified(transaction, VerificationError(failure))
    } else {
      self = .verified(transaction)
    }
  }

  /// The signed transaction as the store gave it, for a server: a JWS in compact form.
  public var jwsRepresentation: String { unsafePayloadValue.evidence.receipt.text }

  /// The first segment of the JWS, decoded.
  public var headerData: Data { JWS(jwsRepresentation).segment(0) }

  /// The second segment of the JWS, decoded: the transaction as JSON.
  public var payloadData: Data { JWS(jwsRepresentation).segment(1) }

  /// The third segment of the JWS, decoded; empty if the simulated store's signer makes none.
  public var signatureData: Data { JWS(jwsRepresentation).segment(2) }

  /// The signed part of the JWS: its first two segments and the dot between them.
  public var signedData: Data { JWS(jwsRepresentation).signedData }

  /// When the store signed it.
  public var signedDate: Date { unsafePayloadValue.signedDate }
}
