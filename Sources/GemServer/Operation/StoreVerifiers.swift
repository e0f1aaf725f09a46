#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Verifies receipts of both stores and of tests, which it distinguishes by their form.
package struct StoreVerifiers: ReceiptVerifier {
  private let apple: (any ReceiptVerifier)?
  private let google: (any ReceiptVerifier)?
  private let tests: (any ReceiptVerifier)?

  /// - Parameters:
  ///   - apple: Verifies receipts of the App Store; nil to refuse them.
  ///   - google: Verifies purchases of Google Play; nil to refuse them.
  ///   - tests: Reads receipts of tests in Xcode; nil if the App Store's verifier refuses them.
  package init(
    apple: (any ReceiptVerifier)?, google: (any ReceiptVerifier)?, tests: (any ReceiptVerifier)? = nil
  ) {
    self.apple = apple
    self.google = google
    self.tests = tests
  }

  /// Whether the receipts of both stores prove prices.
  package var provesPrices: Bool { (apple?.provesPrices ?? true) && (google?.provesPrices ?? true) }

  package func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    if let tests, XcodeReceipt.isClaimed(by: receipt.text) { return try tests.verify(receipt) }
    // Receipts of Google Play are JSON objects, those of the App Store tokens.
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
        + "\(store == "App Store" ? "--root" : "--play-key"); receipts posted before are credited then.",
      details: [.text("check", "root")])
  }
}
#endif
