#if Server
package import GemLedger
package import StoreReceipts
package import SystemHTTP

/// Gives bought items to customers, where another server than this one does so.
package protocol ItemGranter: Sendable {
  /// Gives the item, once for each key.
  func grant(_ item: ItemID, to customer: CustomerID, key: IdempotencyKey) async -> ItemGrantOutcome
}

/// How the giving of an item ended.
package enum ItemGrantOutcome: Hashable, Sendable {
  case granted
  /// Nothing was given.
  case refused(String)
  /// No answer came, so it may have been given.
  case unknown(String)
}

/// Has items given by a server of the project's owner: a 2xx confirms, any other answer says that nothing was given.
///
/// The request's `idempotencyKey` is the same for every try, and so is its `webhook-id`, which has dots replaced by
/// `%2E`.
package struct HTTPItemGranter: ItemGranter {
  private let post: SignedPost

  /// - Parameters:
  ///   - url: The address that gives items.
  ///   - secrets: Sign the requests; none for no signature.
  ///   - timeout: How long a try may take; the customer's app waits for it.
  ///   - clock: Dates the signatures.
  package init(
    to url: OutgoingURL, secrets: [WebhookSecret] = [], sender: HTTPSender, timeout: Duration = HTTPSender.timeout,
    clock: LedgerClock = .system
  ) {
    post = SignedPost(url: url, secrets: secrets, sender: sender, timeout: timeout, clock: clock)
  }

  package func grant(_ item: ItemID, to customer: CustomerID, key: IdempotencyKey) async -> ItemGrantOutcome {
    let document: JSONValue = [
      "item": .string(item.text), "quantity": 1, "customerId": .string(customer.text),
      "idempotencyKey": .string(key.text),
    ]
    switch await post.send(document, id: Percent.encoded(key.text).replacing(".", with: "%2E")) {
    case .success(let reply) where reply.isSuccess: return .granted
    case .success(let reply): return .refused("The server of the items answered \(reply.status).")
    case .failure(let failure):
      return failure.mayHaveArrived ? .unknown(failure.description) : .refused(failure.description)
    }
  }
}
#endif
