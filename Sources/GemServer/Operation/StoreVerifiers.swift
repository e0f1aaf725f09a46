#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Verifies the receipts of both stores: each text has the form of one of them.
package struct StoreVerifiers: ReceiptVerifier {
  private let apple: (any ReceiptVerifier)?
  private let google: (any ReceiptVerifier)?

  /// - Parameters:
  ///   - apple: Nil where receipts of the App Store are refused.
  ///   - google: Nil where purchases of Google Play are refused.
  package init(apple: (any ReceiptVerifier)?, google: (any ReceiptVerifier)?) {
    self.apple = apple
    self.google = google
  }

  package func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    // Google Play's is a JSON object, the App Store's a token.
    let isGoogle = receipt.text.hasPrefix("{")
    guard let verifier = isGoogle ? google : apple else { throw Self.untrusted(isGoogle ? "Google Play" : "App Store") }
    return try verifier.verify(receipt)
  }

  package func digest(of text: String) -> [UInt8]? { TextDigest.sha256(of: text) }

  package func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    guard let apple else { throw Self.untrusted("App Store") }
    return try apple.transaction(inNotice: text)
  }

  private static func untrusted(_ store: String) -> LedgerError {
    LedgerError(
      .receiptUnverified,
      "This server cannot verify receipts of the \(store) yet: it was started without its key. Start it with "
        + "\(store == "App Store" ? "--root" : "--play-key"); what was posted until then is credited then.",
      details: [.text("check", "root")])
  }
}
#endif
