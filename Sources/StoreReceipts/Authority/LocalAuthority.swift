#if Receipts
public import GemLedger
internal import StoreBackend
internal import SystemCrypto

/// A certificate authority of this machine that signs the receipts of a simulated App Store.
///
/// It has a root, an intermediate and a leaf certificate with Apple's markers, so that its receipts pass all of Apple's
/// checks except the name of the root. Only a backend that names ``root`` trusts it. The keys of root and intermediate
/// are deleted after its creation: no other leaf can be made.
public struct LocalAuthority: Sendable {
  /// The kind of the keys that sign certificates.
  public enum Curve: Hashable, Sendable {
    /// As fast as receipts.
    case p256
    /// Apple's curve, which takes ten times as long to check.
    case p384
  }

  let chain: [Crypto.Certificate]
  let key: Crypto.SigningKey

  private init(chain: [Crypto.Certificate], key: Crypto.SigningKey) {
    self.chain = chain
    self.key = key
  }

  /// Makes an authority with new keys.
  ///
  /// - Parameter curve: The curve of root and intermediate; receipts are always signed with P-256.
  public init(curve: Curve = .p256) { self.init(AuthorityPlan(signerKind: curve == .p384 ? .p384 : .p256)) }

  init(_ plan: AuthorityPlan) {
    let kind = plan.signerKind
    let (rootKey, middleKey, leafKey) = (Crypto.makeKey(kind), Crypto.makeKey(kind), Crypto.makeKey(plan.leafKind))
    let root = Crypto.issue(
      CertificateRequest(
        name: "Simulated Root CA", key: rootKey, isAuthority: true, marker: nil, validity: plan.validity),
      by: nil)
    let middle = Crypto.issue(
      CertificateRequest(
        name: "Simulated Intermediate CA", key: middleKey, isAuthority: true, marker: plan.intermediateMarker,
        validity: plan.validity),
      by: (root, rootKey))
    let leaf = Crypto.issue(
      CertificateRequest(
        name: "Simulated App Store", key: leafKey, isAuthority: false, marker: plan.leafMarker,
        validity: plan.leafValidity),
      by: (middle, middleKey))
    self.init(chain: [leaf, middle, root], key: leafKey)
  }

  // MARK: Kept in a file

  /// Opens an authority from the text of its file.
  ///
  /// - Parameter pem: The value of ``pem``.
  /// - Throws: `LedgerError` with `storage_damaged` for an invalid text.
  public init(pem: [UInt8]) throws(LedgerError) {
    let chain = Crypto.certificates(pem: pem)
    guard let key = Crypto.privateKey(pem: pem), chain.count == TokenHeader.certificateCount,
      Crypto.der(ofPublic: key) == Crypto.publicKeyDER(of: chain[0]),
      // The dates are not checked, only the signatures.
      case .valid = Crypto.validate(leaf: chain[0], intermediate: chain[1], roots: [chain[2]], at: 1)
    else {
      throw LedgerError(
        .storageDamaged, "The authority's file must contain a private key and its three certificates.")
    }
    self.init(chain: chain, key: key)
  }

  /// The text of the authority's file, with the private key; only the file's owner may read it.
  public var pem: String { Crypto.pem(of: key) + chain.map(Crypto.pem).joined() }

  /// The root certificate in DER, for verifiers of other software.
  public var rootCertificate: [UInt8] { Crypto.der(of: chain[2]) }

  /// The root certificate as PEM.
  public var rootPEM: String { Crypto.pem(of: chain[2]) }

  /// The root to trust.
  public var root: TrustedRoot { TrustedRoot(chain[2]) }
}

/// The contents of a new authority's certificates; tests create certificates that must not be trusted.
struct AuthorityPlan: Sendable {
  /// The key kind of root and intermediate.
  var signerKind = KeyKind.p256
  var leafKind = KeyKind.p256
  /// From 1970 to the end of 9999: a simulated store has a separate clock.
  var validity = Validity(from: 0, until: 253_402_300_799)
  var leafValidity = Validity(from: 0, until: 253_402_300_799)
  var leafMarker: String? = ChainTrust.leafMarker
  var intermediateMarker: String? = ChainTrust.intermediateMarker
}
#endif
