#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import StoreReceipts
internal import Synchronization
internal import SystemHTTP

// Real-time developer notifications, pushed as Pub/Sub does.
extension SimulatedGoogle {
  /// Pushes notifications to an address from now on; nil stops the pushes.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for an invalid address.
  func push(to address: String?) throws(LedgerError) {
    let url = try address.map { (text) throws(LedgerError) in try OutgoingURL(text) }
    state.withLock { $0.pushURL = url }
    play.sendsPurchaseNotices = url != nil
  }

  /// Pushes the content of a store notice.
  ///
  /// - Throws: `LedgerError` with `backend_unreachable` unless the address answers with a 2xx; the notice then waits.
  func push(_ numbered: NumberedNotice) async throws(LedgerError) {
    guard let url = state.withLock({ $0.pushURL }), let content = notification(of: numbered.notice) else { return }
    let now = play.clock.now
    var data: JSONObject = [
      "version": "1.0", "packageName": .string(content.package),
      "eventTimeMillis": .string(String(now.milliseconds)),
    ]
    data[content.name] = .object(content.members)
    let id = String(numbered.id)
    let body: JSONValue = [
      "message": [
        "data": .string(Base64.text(Array(JSONValue.object(data).text().utf8))), "messageId": .string(id),
        "message_id": .string(id), "publishTime": .string(now.description), "attributes": [:],
      ],
      "subscription": "projects/gemledger-simulator/subscriptions/google-play",
    ]
    let result = await sender.post(
      url, headers: [("Content-Type", "application/json")], body: Array(body.text().utf8))
    switch result {
    case .success(let reply) where reply.isSuccess: return
    case .success(let reply): throw Self.unanswered("status \(reply.status)")
    case .failure(let failure): throw Self.unanswered("\(failure)")
    }
  }

  private static func unanswered(_ what: String) -> LedgerError {
    LedgerError(
      .backendUnreachable,
      "The notification address failed: \(what). The notification waits and is sent again.")
  }

  private typealias Content = (name: String, members: JSONObject, package: String)

  private func notification(of notice: StoreNotice) -> Content? {
    switch notice {
    case .oneTimePurchased(let token): purchase(token, oneTime: 1, subscription: 4)
    case .oneTimeCanceled(let token): purchase(token, oneTime: 2, subscription: 20)
    case .renewed(let evidence): purchase(evidence.transaction.id, oneTime: 1, subscription: 2)
    case .voided(let voided, let evidence):
      (
        "voidedPurchaseNotification",
        [
          "purchaseToken": .string(voided.purchaseToken.text), "orderId": .string(voided.orderID ?? ""),
          "productType": .integer(evidence.transaction.productType.isSubscription ? 1 : 2),
          "refundType": .integer(voided.isPartial ? 2 : 1),
        ], evidence.transaction.bundleID
      )
    case .oneTimeCharge, .refunded, .refundReversed, .revoked, .consumptionRequest, .refundDeclined: nil
    }
  }

  /// The notification with Google's number for the kind of the purchased product.
  private func purchase(_ token: StoreTransactionID, oneTime: Int64, subscription: Int64) -> Content? {
    guard let bought = play.purchase(token: token) else { return nil }
    let (product, token) = (JSONValue.string(bought.productID), JSONValue.string(token.text))
    let package = bought.transaction.bundleID
    guard bought.isSubscription else {
      return (
        "oneTimeProductNotification",
        ["version": "1.0", "notificationType": .integer(oneTime), "purchaseToken": token, "sku": product], package
      )
    }
    return (
      "subscriptionNotification",
      [
        "version": "1.0", "notificationType": .integer(subscription), "purchaseToken": token,
        "subscriptionId": product,
      ], package
    )
  }
}
#endif
