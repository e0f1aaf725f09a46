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
  /// This try did not reach the giver; one before it may have.
  case unreached(String)
}

/// Has items given by a server of the project's owner.
///
/// A 2xx confirms, unless its body is a JSON object whose `success` or `ok` is false. That, and any other status, says
/// that nothing was given under the key, now or before. 502, 503 and 504 are a proxy's, which does not know, and count
/// as no answer.
///
/// The request's `idempotencyKey` is the same for every try, and so is its `webhook-id`, which has dots replaced by
/// `%2E`.
package struct HTTPItemGranter: ItemGranter {
  private let projectID: String
  private let post: SignedPost

  /// - Parameters:
  ///   - projectID: The project whose customers buy.
  ///   - url: The address that gives items.
  ///   - secrets: Sign the requests; none for no signature.
  ///   - timeout: How long a try may take; the customer's app waits for it.
  ///   - clock: Dates the signatures.
  package init(
    of projectID: String = "default", to url: OutgoingURL, secrets: [WebhookSecret] = [], sender: HTTPSender,
    timeout: Duration = HTTPSender.timeout,
    clock: LedgerClock = .system
  ) {
    self.projectID = projectID
    post = SignedPost(url: url, secrets: secrets, sender: sender, timeout: timeout, clock: clock)
  }

  package func grant(_ item: ItemID, to customer: CustomerID, key: IdempotencyKey) async -> ItemGrantOutcome {
    let document: JSONValue = [
      "projectId": .string(projectID), "item": .string(item.text), "quantity": 1, "customerId": .string(customer.text),
      "idempotencyKey": .string(key.text),
    ]
    switch await post.send(document, id: Percent.encoded(key.text).replacing(".", with: "%2E")) {
    case .success(let reply) where [502, 503, 504].contains(reply.status):
      return .unknown("The server of the items answered \(reply.status).")
    case .success(let reply) where !reply.isSuccess:
      return .refused("The server of the items answered \(reply.status).")
    case .success(let reply): return Self.denies(reply.body) ? .refused("It said that it gave nothing.") : .granted
    case .failure(let failure):
      return failure.mayHaveArrived ? .unknown(failure.description) : .unreached(failure.description)
    }
  }

  private static func denies(_ body: [UInt8]) -> Bool {
    do throws(JSONError) {
      let answer = try JSONValue.parse(body)
      return answer["success"] == false || answer["ok"] == false
    } catch { return false }
  }
}
#endif
