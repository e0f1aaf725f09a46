#if Server
import GemLedger
import GemServer
import StoreBackend
import StoreReceipts
import SystemHTTP

/// Where a server sends requests of its own, as the options of `serve` say.
struct ServeOutgoing {
  private let target: OutgoingTarget
  private let sender: HTTPSender
  private let secrets: [WebhookSecret]
  private let deliveryURL: OutgoingURL?
  private let grantURL: OutgoingURL?
  /// Asks Google Play; nil without a service account.
  private let playAPI: PlayDeveloperAPI?
  private let packageName: String?
  private let refundsUndelivered: Bool
  /// Applies what Google Play notifies of; nil without a service account.
  let playNotices: PlayNotices?

  init(_ parsed: Parsed, _ log: ServerLog) throws(LedgerError) {
    target = try OutgoingTarget(allowedHosts: parsed.values("--allow-host"))
    sender = HTTPSender(to: target)
    deliveryURL = try Self.url(parsed.value("--delivery-url"), target)
    grantURL = try Self.url(parsed.value("--grant-url"), target)
    secrets = try Self.secrets(parsed.value("--signing-secrets"))
    packageName = parsed.value("--package-name")
    playAPI = try Self.playAPI(parsed, target)
    playNotices = try playAPI.map { (api) throws(LedgerError) in try Self.playNotices(of: api, parsed, log) }
    refundsUndelivered = parsed.flags.contains("--refund-undelivered")
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

  /// Refunds the orders of a ledger that no game server confirmed; nil where a person looks at them.
  func refundIssuer(of ledger: Ledger, _ shop: HomeShop?, _ log: ServerLog) -> (any RefundIssuer)? {
    guard refundsUndelivered else { return nil }
    if let shop { return ShopRefunds(shop.shop) }
    return playAPI.map { api in
      PlayRefunds(api: api, ledger: ledger, packageName: packageName) { purchase, error in
        log.event(
          .error, "An undelivered purchase was not refunded.",
          [
            "store_transaction_id": .string(purchase.storeTransactionID.text), "code": .string(error.code.description),
            "reason": .string(error.message),
          ])
      }
    }
  }

  var webhooks: HTTPWebhookSender { HTTPWebhookSender(sender, target: target) }

  /// Delivers paid orders to the game server; nil where there is none.
  func delivery(_ log: @escaping @Sendable (PurchaseCode, String) -> Void) -> HTTPDelivery? {
    deliveryURL.map { HTTPDelivery(to: $0, secrets: secrets, sender: sender, onFailure: log) }
  }

  /// It has threads of its own: notifications that anybody can forge must not hold up deliveries.
  private static func playAPI(_ parsed: Parsed, _ target: OutgoingTarget) throws(LedgerError) -> PlayDeveloperAPI? {
    guard let path = parsed.value("--google-service-account") else { return nil }
    let baseURL = parsed.value("--google-api-url") ?? PlayDeveloperAPI.address
    _ = try target.url(baseURL)
    return try PlayDeveloperAPI(
      account: GoogleServiceAccount(json: try FileAccess.read(path)), sender: HTTPSender(to: target, threadCount: 4),
      baseURL: baseURL)
  }

  private static func playNotices(
    of api: PlayDeveloperAPI, _ parsed: Parsed, _ log: ServerLog
  ) throws(LedgerError) -> PlayNotices {
    let pushToken = try parsed.value("--google-push-token").map { (path) throws(LedgerError) in
      String(decoding: try FileAccess.read(path), as: UTF8.self).filter { !$0.isWhitespace }
    }
    guard pushToken != "" else { throw .invalid("The file of --google-push-token is empty.") }
    return PlayNotices(api: api, packageName: parsed.value("--package-name"), pushToken: pushToken) { message, facts in
      log.event(.error, message, facts)
    }
  }

  /// Has bought items given by the server that does so; nil where the ledger alone counts them.
  var granter: HTTPItemGranter? { grantURL.map { HTTPItemGranter(to: $0, secrets: secrets, sender: sender) } }
}
#endif
