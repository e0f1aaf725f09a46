#if Server
internal import GemLedger
internal import StoreReceipts

/// The dependencies of the webhook delivery.
struct WebhookContext: Sendable {
  let ledger: Ledger
  let store: WebhookStore
  let sender: any WebhookSender
  let clock: LedgerClock
  let settings: WebhookSettings
  /// The name of this process in leases.
  let owner: String
  /// The project's id, sent as `app_id` in the messages.
  let appID: String

  /// Sends a message about an event.
  ///
  /// - Throws: `LedgerError` if the ledger cannot be read.
  func send(_ event: FeedEvent, to endpoint: WebhookEndpoint) async throws(LedgerError) -> WebhookOutcome {
    let (ledger, appID) = (ledger, appID)
    let message = try await BlockingWork.run { () throws(LedgerError) in
      try WebhookEvent.load(event, from: ledger, appID: appID)
    }
    return WebhookOutcome(try await post(message, to: endpoint))
  }

  /// Posts a message; each attempt is signed with a new timestamp.
  func post(_ message: WebhookEvent, to endpoint: WebhookEndpoint) async throws(LedgerError) -> WebhookAnswer {
    let (body, now) = (message.body, clock.now())
    let secrets = try endpoint.secrets(at: now).map { (text) throws(LedgerError) in try WebhookSecret(text) }
    let signature = try WebhookSignature(body, id: message.id, at: now, secrets: secrets)
    var headers = [
      (name: "Content-Type", value: "application/json"), (name: "webhook-id", value: signature.id),
      (name: "webhook-timestamp", value: signature.timestamp),
      (name: "webhook-signature", value: signature.signatures),
    ]
    if let authorization = endpoint.authorization { headers.append(("Authorization", authorization)) }
    return await sender.post(endpoint.url, headers: headers, body: body)
  }
}

/// Runs the work on the elements concurrently, with at most `limit` elements at a time.
func concurrently<Element: Sendable, Value: Sendable>(
  _ elements: [Element], atMost limit: Int, _ work: @escaping @Sendable (Element) async -> Value
) async -> [Value] {
  await withTaskGroup(of: (Int, Value).self) { group in
    var values = [Value?](repeating: nil, count: elements.count)
    for (index, element) in elements.enumerated() {
      if index >= limit, let (done, value) = await group.next() { values[done] = value }
      group.addTask { (index, await work(element)) }
    }
    for await (done, value) in group { values[done] = value }
    return values.compactMap { $0 }
  }
}
#endif
