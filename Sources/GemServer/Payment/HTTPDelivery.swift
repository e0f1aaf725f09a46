#if Server
package import GemLedger
package import StoreBackend
package import StoreReceipts
package import SystemHTTP

/// Delivers paid orders to a game server over HTTP.
///
/// The game server confirms with status 200 and the member `"success": true`. After any other answer, or none, the
/// backend tries the delivery again on its schedule. The game server may receive a delivery more than once, and
/// recognizes it by `purchaseCode`, which is also the `webhook-id` of every try.
package struct HTTPDelivery: DeliveryTarget {
  private let projectID: String
  private let post: SignedPost
  private let onFailure: @Sendable (PurchaseCode, String) -> Void

  /// - Parameters:
  ///   - projectID: The project of the orders.
  ///   - url: The game server's address for deliveries.
  ///   - secrets: The secrets that sign the deliveries; none for no signature, two during a rotation.
  ///   - timeout: The time limit for a try; the buyer's app waits for the first try.
  ///   - clock: Dates the signatures.
  ///   - onFailure: Receives the reason why a try was not confirmed.
  package init(
    of projectID: String = "default", to url: OutgoingURL, secrets: [WebhookSecret] = [], sender: HTTPSender,
    timeout: Duration = HTTPSender.timeout,
    clock: LedgerClock = .system, onFailure: @escaping @Sendable (PurchaseCode, String) -> Void = { _, _ in }
  ) {
    self.projectID = projectID
    post = SignedPost(url: url, secrets: secrets, sender: sender, timeout: timeout, clock: clock)
    self.onFailure = onFailure
  }

  package func deliver(_ delivery: Delivery) async -> Bool {
    switch await post.send(document(delivery), id: delivery.purchaseCode.text) {
    case .failure(let failure):
      onFailure(delivery.purchaseCode, failure.description)
      return false
    case .success(let reply):
      guard Self.isConfirmed(reply) else {
        onFailure(delivery.purchaseCode, "It answered \(reply.status) without \"success\": true.")
        return false
      }
      return true
    }
  }

  /// Returns whether the answer is exactly the confirmation: a truncated answer or another value than `true` is not.
  private static func isConfirmed(_ reply: HTTPReply) -> Bool {
    guard reply.status == 200, !reply.isBodyCut else { return false }
    do throws(JSONError) { return try JSONValue.parse(reply.body)["success"]?.bool == true } catch { return false }
  }

  private func document(_ delivery: Delivery) -> JSONValue {
    let context = delivery.context
    let items = delivery.items.map { item -> JSONValue in
      ["itemId": .string(item.id), "quantity": .integer(item.quantity)]
    }
    var document: JSONObject = [
      "projectId": .string(projectID), "purchaseCode": .string(delivery.purchaseCode.text),
      "gameUserId": .string(delivery.customer.text),
      "productId": .string(delivery.storeProductID ?? delivery.product.text),
      "amount": PaymentAmount.json(delivery.price), "currency": JSONValue(delivery.price?.currency),
      "items": .array(items), "roleId": JSONValue(context.roleID), "serverGameId": JSONValue(context.serverID),
      "transactionId": .string(delivery.storeTransactionID.text),
      "platform": .string(PaymentMethod.word(for: delivery.store)),
    ]
    if let extraData = context.extraData { document["extraData"] = .string(extraData) }
    return .object(document)
  }
}
#endif
