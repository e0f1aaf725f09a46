#if Server
package import GemLedger
package import StoreReceipts
package import SystemHTTP

/// Grants bought items to customers by another server.
package protocol ItemGranter: Sendable {
  /// Grants the item, once for each key.
  func grant(_ item: ItemID, to customer: CustomerID, key: IdempotencyKey) async -> ItemGrantOutcome
}

/// The outcome of a grant.
package enum ItemGrantOutcome: Hashable, Sendable {
  case granted
  /// The item was not granted.
  case refused(String)
  /// No answer arrived, so the item may have been granted.
  case unknown(String)
  /// This try did not reach the server, but an earlier try may have.
  case unreached(String)
}

/// Grants items by a server of the project's owner.
///
/// A 2xx confirms the grant, unless its body is a JSON object whose `success` or `ok` is false. In that case, and for
/// any other status, the server has never granted the item under the key. 502, 503 and 504 come from a proxy, which
/// does not know, and count as no answer.
///
/// The request's `idempotencyKey` is the same for every try. So is its `webhook-id`: the key with dots replaced by
/// `%2E`.
package struct HTTPItemGranter: ItemGranter {
  private let projectID: String
  private let post: SignedPost

  /// - Parameters:
  ///   - projectID: The project of the customers.
  ///   - url: The address that grants items.
  ///   - secrets: The secrets that sign the requests; none for no signature.
  ///   - timeout: The time limit for a try; the customer's app waits for it.
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
      return .unknown("The item server answered with status \(reply.status).")
    case .success(let reply) where !reply.isSuccess:
      return .refused("The item server answered with status \(reply.status).")
    case .success(let reply): return Self.denies(reply.body) ? .refused("The item server granted nothing.") : .granted
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
