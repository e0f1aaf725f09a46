#if Receipts
internal import GemLedger

/// The checks of a signed receipt, in the order in which they are made.
///
/// A refused receipt names the first one that failed as the detail `check` of its error.
public enum ReceiptCheck: String, Hashable, Sendable, CaseIterable {
  /// The form: three segments of base64url, within the greatest size. `receipt_malformed`.
  case structure
  /// The payload: strict JSON, every field of its type; the date first, the others behind the signature.
  /// `receipt_malformed`.
  case payload
  /// The header: strict JSON, without extensions that must be understood. `receipt_malformed`.
  case header
  /// The header asks for ES256.
  case algorithm
  /// The header has exactly three certificates, each of base64 with padding and of DER without a rest.
  case certificates
  /// One of the trusted roots signed the intermediate certificate, and that signed the leaf.
  case chain
  /// All three certificates were valid when the payload was signed.
  case validity
  /// Leaf and intermediate have the extensions by which Apple marks certificates for receipts.
  case markers
  /// The leaf's key signed header and payload.
  case signature
  /// It is for the app of this verifier. `bundle_mismatch`.
  case bundle
  /// It is for the app with this number at the App Store; compared in production alone.
  case appID = "app_id"
  /// It comes from an environment of this verifier.
  case environment
}

extension ReceiptCheck {
  /// The error of a receipt that failed the check.
  ///
  /// - Parameter what: Follows "The receipt is not to be trusted: ".
  func failure(_ what: String, _ others: LedgerError.Detail...) -> LedgerError {
    let details = [.text("check", rawValue)] + others
    return switch self {
    case .structure, .header, .payload:
      LedgerError(
        .receiptMalformed, "The receipt cannot be read: \(what). Send what the store gave, unchanged.",
        details: details)
    case .bundle: LedgerError(.bundleMismatch, "The receipt is \(what).", details: details)
    case .algorithm, .certificates, .chain, .validity, .markers, .signature, .appID, .environment:
      LedgerError(.receiptUnverified, "The receipt is not to be trusted: \(what).", details: details)
    }
  }
}
#endif
