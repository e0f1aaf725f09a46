package import GemLedger

/// A purchase of Google Play with its signature, as Google's billing client gives both to an app.
///
/// As a text it is a JSON object with the two members that Google names `INAPP_PURCHASE_DATA` and
/// `INAPP_DATA_SIGNATURE`.
public struct PlayReceipt: Hashable, Sendable {
  /// The purchase as JSON, byte by byte as it was signed (`Purchase.getOriginalJson`).
  public let data: String
  /// The signature in base64 (`Purchase.getSignature`).
  public let signature: String

  /// A purchase with its signature.
  public init(data: String, signature: String) {
    self.data = data
    self.signature = signature
  }

  /// The text to post to a backend.
  public var text: String {
    JSONValue.object([Self.dataName: .string(data), Self.signatureName: .string(signature)]).text()
  }

  /// What the signed purchase names, for a question to Google's server.
  package struct Names: Sendable {
    package let token: StoreTransactionID
    package let productIDs: [String]
    package let packageName: String
    /// Whether the purchase was acknowledged when the app got it.
    package let isAcknowledged: Bool
    package let isSubscription: Bool
  }

  /// The names in a text, whatever its signature is; nil for a text that is no signed purchase.
  package static func names(in text: String) -> Names? {
    guard let data = (try? JSONValue.parse(text))?[dataName]?.text, let purchase = try? JSONValue.parse(data),
      let token = try? StoreTransactionID(purchase["purchaseToken"]?.text ?? "")
    else { return nil }
    let list = purchase["productIds"]?.array ?? [purchase["productId"] ?? .null]
    return Names(
      token: token, productIDs: list.compactMap(\.text), packageName: purchase["packageName"]?.text ?? "",
      isAcknowledged: purchase["acknowledged"]?.bool ?? true, isSubscription: purchase["autoRenewing"] != nil)
  }

  static let dataName = "INAPP_PURCHASE_DATA"
  static let signatureName = "INAPP_DATA_SIGNATURE"
}
