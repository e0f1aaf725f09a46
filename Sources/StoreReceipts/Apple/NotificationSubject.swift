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
      guard let value = notification.object[name], !value.isNull else { continue }
      guard let object = value.object else { throw ReceiptFields.malformed("\(name) is \(value.kind)") }
      let fields = ReceiptFields(object)
      bundleID = try fields.optionalText("bundleId")
      appAppleID = try fields.optionalInteger("appAppleId", in: 0...Int64.max)
      if name == "externalPurchaseToken" {
        // Its environment follows only from the prefix of its id.
        let isSandbox = try fields.optionalText("externalPurchaseId")?.hasPrefix("SANDBOX") ?? false
        environment = (isSandbox ? StoreEnvironment.sandbox : .production).payloadName
      } else {
        environment = try fields.text("environment")
      }
      transaction = try Self.token("signedTransactionInfo", in: object)
      renewalInfo = try Self.token("signedRenewalInfo", in: object)
      return
    }
    throw ReceiptFields.malformed("the notification has no part that names its app")
  }

  private static func token(_ name: String, in object: JSONObject) throws(LedgerError) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let text = value.text else { throw ReceiptFields.malformed("\(name) is \(value.kind)") }
    return text
  }
}
#endif
