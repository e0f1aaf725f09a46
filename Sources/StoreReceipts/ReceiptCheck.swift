#if Receipts
internal import GemLedger

/// The checks of a signed receipt, in order.
///
/// The error of a refused receipt names the first failed check in its detail `check`.
public enum ReceiptCheck: String, Hashable, Sendable, CaseIterable {
  /// The form: three segments of base64url, within the greatest size. `receipt_malformed`.
  case structure
  /// The payload: strict JSON, every field of its type. The date is checked first, the other fields after the
  /// signature. `receipt_malformed`.
  case payload
  /// The header: strict JSON, without extensions that must be understood. `receipt_malformed`.
  case header
  /// The header asks for ES256.
  case algorithm
  /// The header has exactly three certificates, each in padded base64 and in DER without trailing bytes.
  case certificates
  /// A trusted root signed the intermediate certificate, which signed the leaf.
  case chain
  /// All three certificates were valid when the payload was signed.
  case validity
  /// Leaf and intermediate have the extensions by which Apple marks certificates for receipts.
  case markers
  /// The leaf's key signed header and payload.
  case signature
  /// The receipt is for the verifier's app. `bundle_mismatch`.
  case bundle
  /// The receipt is for the app with this number at the App Store; compared in production only.
  case appID = "app_id"
  /// The receipt is of an environment that the verifier accepts.
  case environment
}

extension ReceiptCheck {
  /// Returns the error for a receipt that failed the check.
  ///
  /// - Parameter what: Follows "The receipt cannot be trusted: ".
  func failure(_ what: String, _ others: LedgerError.Detail...) -> LedgerError {
    let details = [.text("check", rawValue)] + others
    return switch self {
    case .structure, .header, .payload:
      LedgerError(
        .receiptMalformed, "The receipt cannot be read: \(what). Send the store's receipt unchanged.",
        details: details)
    case .bundle: LedgerError(.bundleMismatch, "The receipt is \(what).", details: details)
    case .algorithm, .certificates, .chain, .validity, .markers, .signature, .appID, .environment:
      LedgerError(.receiptUnverified, "The receipt cannot be trusted: \(what).", details: details)
    }
  }
}
#endif
