package import GemLedger

/// A signed purchase of Google Play, as Google's billing client returns it to an app.
///
/// As a text, it is a JSON object with two members, which Google names `INAPP_PURCHASE_DATA` and
/// `INAPP_DATA_SIGNATURE`.
public struct PlayReceipt: Hashable, Sendable {
  /// The purchase as JSON, in the exact bytes that were signed (`Purchase.getOriginalJson`).
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

  /// The names in the signed purchase, for a request to Google's server.
  package struct Names: Sendable {
    package let token: StoreTransactionID
    package let productIDs: [String]
    package let packageName: String
    /// Whether the purchase was acknowledged when the app received it.
    package let isAcknowledged: Bool
    package let isSubscription: Bool
  }

  /// Returns the names in a text with any signature; nil for a text that is not a signed purchase.
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
