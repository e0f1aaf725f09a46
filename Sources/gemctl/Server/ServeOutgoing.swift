#if Server
import GemLedger
import GemServer
import StoreReceipts
import SystemHTTP

/// Where a server sends requests of its own, as the options of `serve` say.
struct ServeOutgoing {
  private let target: OutgoingTarget
  private let sender: HTTPSender
  private let secrets: [WebhookSecret]
  private let deliveryURL: OutgoingURL?
  private let grantURL: OutgoingURL?

  init(_ parsed: Parsed) throws(LedgerError) {
    target = try OutgoingTarget(allowedHosts: parsed.values("--allow-host"))
    sender = HTTPSender(to: target)
    deliveryURL = try Self.url(parsed.value("--delivery-url"), target)
    grantURL = try Self.url(parsed.value("--grant-url"), target)
    secrets = try Self.secrets(parsed.value("--signing-secrets"))
  }

  private static func url(_ text: String?, _ target: OutgoingTarget) throws(LedgerError) -> OutgoingURL? {
    guard let text else { return nil }
    return try target.url(text)
  }

  /// One secret a line: the first signs, and while one is exchanged for another, both do.
  private static func secrets(_ path: String?) throws(LedgerError) -> [WebhookSecret] {
    guard let path else { return [] }
    var secrets: [WebhookSecret] = []
    for line in String(decoding: try FileAccess.read(path), as: UTF8.self).split(whereSeparator: \.isWhitespace) {
      secrets.append(try WebhookSecret(String(line)))
    }
    return secrets
  }

  var webhooks: HTTPWebhookSender { HTTPWebhookSender(sender, target: target) }

  /// Delivers paid orders to the game server; nil where there is none.
  func delivery(_ log: @escaping @Sendable (PurchaseCode, String) -> Void) -> HTTPDelivery? {
    deliveryURL.map { HTTPDelivery(to: $0, secrets: secrets, sender: sender, onFailure: log) }
  }

  /// Has bought items given by the server that does so; nil where the ledger alone counts them.
  var granter: HTTPItemGranter? { grantURL.map { HTTPItemGranter(to: $0, secrets: secrets, sender: sender) } }
}
#endif
