#if Receipts
internal import GemLedger
internal import SystemCrypto

/// The trusted signers: chains of three certificates with Apple's markers, up to a trusted root.
struct ChainTrust: Sendable {
  /// Marks a leaf for receipts (Apple's `SignedDataVerifier` looks for both).
  static let leafMarker = "1.2.840.113635.100.6.11.1"
  /// Marks an intermediate certificate of Apple's Worldwide Developer Relations.
  static let intermediateMarker = "1.2.840.113635.100.6.2.1"

  private let roots: [TrustedRoot]
  private let cache = ChainCache()

  init(_ roots: [TrustedRoot]) { self.roots = roots }

  /// Checks the certificates and the signature.
  ///
  /// - Parameter signedAt: The payload's signing date, at which the certificates must have been valid.
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`, check `header`;
  ///   `receipt_unverified`, checks `algorithm`, `certificates`, `chain`, `validity`, `markers`, `signature`.
  func check(_ token: SignedToken, signedAt: Timestamp) throws(LedgerError) {
    let seconds = signedAt.milliseconds / 1000
    let known = cache.entry(for: token.headerText)
    let entry: ChainCache.Entry
    if let known {
      entry = known
    } else {
      entry = try chain(of: TokenHeader(token.header, knowing: roots), at: seconds)
    }
    guard entry.validity.contains(seconds) else { throw Self.notValid(signedAt) }
    let isSigned = token.withSignedBytes { Crypto.isSignature(token.signature, of: $0, by: entry.key) }
    guard isSigned else { throw ReceiptCheck.signature.failure("its signature does not match its content") }
    if known == nil { cache.keep(entry, for: token.headerText) }
  }

  private func chain(of header: TokenHeader, at seconds: Int64) throws(LedgerError) -> ChainCache.Entry {
    let roots = roots.compactMap { $0.certificate(for: header.root) }
    guard !roots.isEmpty else {
      throw ReceiptCheck.chain.failure("its root certificate is not trusted")
    }
    let verdict = Crypto.validate(
      leaf: header.leaf, intermediate: header.intermediate, roots: roots, at: seconds)
    switch verdict {
    case .untrusted: throw ReceiptCheck.chain.failure("no trusted root signed its certificates")
    case .wrongKey: throw ReceiptCheck.chain.failure("its first certificate has no key for ES256")
    case .notValidThen: throw Self.notValid(Timestamp(milliseconds: seconds * 1000))
    case .valid(let key, let validity):
      guard Crypto.hasExtension(Self.leafMarker, header.leaf),
        Crypto.hasExtension(Self.intermediateMarker, header.intermediate)
      else { throw ReceiptCheck.markers.failure("its certificates are not marked for receipts") }
      return ChainCache.Entry(key: key, validity: validity)
    }
  }

  private static func notValid(_ instant: Timestamp) -> LedgerError {
    ReceiptCheck.validity.failure("its certificates were not valid at \(instant), its signing date")
  }
}
#endif
