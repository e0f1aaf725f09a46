#if Receipts
internal import GemLedger
internal import StoreBackend

/// The part of a notification that names its app: the first of four that is present.
struct NotificationSubject {
  let environment: String
  let bundleID: String?
  let appAppleID: Int64?
  /// The signed transaction in it.
  var transaction: String?
  /// The signed renewal info in it.
  var renewalInfo: String?

  /// - Throws: `LedgerError` with `receipt_malformed`, check `payload`.
  init(_ notification: ReceiptFields) throws(LedgerError) {
    for name in ["data", "summary", "externalPurchaseToken", "appData"] {
      guard let fields = try notification[name].optional?.object() else { continue }
      bundleID = try fields["bundleId"].optional?.shortText()
      appAppleID = try fields["appAppleId"].optional?.integer(in: 0...Int64.max)
      if name == "externalPurchaseToken" {
        // Its environment follows only from the prefix of its id.
        let isSandbox = try fields["externalPurchaseId"].optional?.shortText().hasPrefix("SANDBOX") ?? false
        environment = (isSandbox ? StoreEnvironment.sandbox : .production).payloadName
      } else {
        environment = try fields["environment"].shortText()
      }
      transaction = try fields["signedTransactionInfo"].optional?.text()
      renewalInfo = try fields["signedRenewalInfo"].optional?.text()
      return
    }
    throw ReceiptFields.malformed("the notification has no part that names its app")
  }
}
#endif
