#if Server
internal import GemLedger
internal import StoreReceipts
internal import SystemHTTP

/// Posts JSON documents to a server of the project's owner, signed by Standard Webhooks if there is a secret.
struct SignedPost: Sendable {
  let url: OutgoingURL
  let secrets: [WebhookSecret]
  let sender: HTTPSender
  let timeout: Duration
  let clock: LedgerClock

  /// - Parameter id: The message's id, the same for every try.
  func send(_ document: JSONValue, id: String) async -> Result<HTTPReply, HTTPSendFailure> {
    let body = Array(document.text().utf8)
    var headers = [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json")]
    if !secrets.isEmpty {
      let signature: WebhookSignature
      do throws(LedgerError) {
        signature = try WebhookSignature(body, id: id, at: clock.now(), secrets: secrets)
      } catch {
        return .failure(HTTPSendFailure(.refused, error.message))
      }
      headers += [
        ("webhook-id", signature.id), ("webhook-timestamp", signature.timestamp),
        ("webhook-signature", signature.signatures),
      ]
    }
    return await sender.post(url, headers: headers, body: body, timeout: timeout)
  }
}
#endif
