#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Verifies the receipts of both stores, and those of tests: each text has the form of one of them.
package struct StoreVerifiers: ReceiptVerifier {
  private let apple: (any ReceiptVerifier)?
  private let google: (any ReceiptVerifier)?
  private let tests: (any ReceiptVerifier)?

  /// - Parameters:
  ///   - apple: Nil where receipts of the App Store are refused.
  ///   - google: Nil where purchases of Google Play are refused.
  ///   - tests: Reads what says that it comes from a test in Xcode; nil where the App Store's verifier refuses it.
  package init(
    apple: (any ReceiptVerifier)?, google: (any ReceiptVerifier)?, tests: (any ReceiptVerifier)? = nil
  ) {
    self.apple = apple
    self.google = google
    self.tests = tests
  }

  /// Whether both stores' receipts do.
  package var provesPrices: Bool { (apple?.provesPrices ?? true) && (google?.provesPrices ?? true) }

  package func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    if let tests, XcodeReceipt.isClaimed(by: receipt.text) { return try tests.verify(receipt) }
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
