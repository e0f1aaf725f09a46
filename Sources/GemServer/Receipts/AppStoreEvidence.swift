#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts

/// Evidence of the App Store and of tests other than signed transactions.
enum AppStoreEvidence {
  case storeKit1(StoreKit1Receipt)
  case xcode(XcodeReceipt)
  case testToken(TestStoreToken)

  /// - Returns: Nil for all other evidence.
  init?(_ text: String) {
    if let token = TestStoreToken(text) {
      self = .testToken(token)
    } else if let receipt = StoreKit1Receipt(text) {
      self = .storeKit1(receipt)
    } else if let receipt = XcodeReceipt(text) {
      self = .xcode(receipt)
    } else {
      return nil
    }
  }
}
#endif
