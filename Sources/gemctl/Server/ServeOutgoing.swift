#if Server
import GemLedger
import GemServer
import StoreBackend
import StoreReceipts
import SystemHTTP

/// The targets of a server's outgoing requests, from the options of `serve`.
struct ServeOutgoing {
  private let target: OutgoingTarget
  private let sender: HTTPSender
  private let secrets: [WebhookSecret]
  private let deliveryURLs: [String: OutgoingURL]
  private let grantURLs: [String: OutgoingURL]
  /// Asks Google Play; nil without a service account.
  private let playAPI: PlayDeveloperAPI?
  private let packageNames: ProjectOption
  private let pushToken: String?
  /// Asks the App Store; nil without a key.
  private let appStoreAPI: AppStoreServerAPI?
  private let testSession: String?
  private let refundsUndelivered: Bool
  private let log: ServerLog

  /// - Parameter projects: The ids of all projects.
  init(_ parsed: Parsed, _ projects: [String], _ log: ServerLog) throws(LedgerError) {
    self.log = log
    target = try OutgoingTarget(allowedHosts: parsed.values("--allow-host"))
    sender = HTTPSender(to: target)
    deliveryURLs = try Self.urls("--delivery-url", parsed, projects, target)
    grantURLs = try Self.urls("--grant-url", parsed, projects, target)
    secrets = try Self.secrets(parsed.value("--signing-secrets"))
    packageNames = try ProjectOption("--package-name", parsed, of: projects)
    playAPI = try Self.playAPI(parsed, target)
    pushToken = try Self.pushToken(parsed)
    guard pushToken == nil || playAPI != nil else {
      throw .invalid("--google-push-token needs --google-service-account, with which notifications are looked up.")
    }
    appStoreAPI = try Self.appStoreAPI(parsed, target)
    testSession = parsed.value("--test-receipts")
    refundsUndelivered = parsed.has("--refund-undelivered")
  }

  /// The addresses by project.
  private static func urls(
    _ name: String, _ parsed: Parsed, _ projects: [String], _ target: OutgoingTarget
  ) throws(LedgerError) -> [String: OutgoingURL] {
    let option = try ProjectOption(name, parsed, of: projects)
    var urls: [String: OutgoingURL] = [:]
    for project in projects {
      if let text = option[project] { urls[project] = try target.url(text) }
    }
    return urls
  }

  /// One secret per line: the first signs; during an exchange of secrets both sign.
  private static func secrets(_ path: String?) throws(LedgerError) -> [WebhookSecret] {
    guard let path else { return [] }
    var secrets: [WebhookSecret] = []
    for line in String(decoding: try FileAccess.read(path), as: UTF8.self).split(whereSeparator: \.isWhitespace) {
      secrets.append(try WebhookSecret(String(line)))
    }
    return secrets
  }

  /// Returns the refund issuer for unconfirmed orders of a project; nil if a person handles them.
  func refundIssuer(of project: String, _ ledger: Ledger, _ shop: HomeShop?) -> (any RefundIssuer)? {
    guard refundsUndelivered else { return nil }
    if let shop { return ShopRefunds(shop.shop) }
    return playAPI.map { [log] api in
      PlayRefunds(api: api, ledger: ledger, packageName: packageNames[project]) { purchase, error in
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

  /// Returns the delivery of a project's paid orders to its game server; nil if there is none.
  func delivery(of project: String) -> HTTPDelivery? {
    deliveryURLs[project].map { [log] url in
      HTTPDelivery(of: project, to: url, secrets: secrets, sender: sender) { code, reason in
        log.event(
          .error, "A delivery was not confirmed.",
          ["project": .string(project), "purchase_code": .string(code.text), "reason": .string(reason)])
      }
    }
  }

  /// It has separate threads: forged notifications must not delay deliveries.
  private static func playAPI(_ parsed: Parsed, _ target: OutgoingTarget) throws(LedgerError) -> PlayDeveloperAPI? {
    guard let path = parsed.value("--google-service-account") else { return nil }
    let baseURL = parsed.value("--google-api-url") ?? PlayDeveloperAPI.address
    _ = try target.url(baseURL)
    return try PlayDeveloperAPI(
      account: GoogleServiceAccount(json: try FileAccess.read(path)), sender: HTTPSender(to: target, threadCount: 4),
      baseURL: baseURL)
  }

  /// It has separate threads: posts of apps must not delay deliveries.
  private static func appStoreAPI(
    _ parsed: Parsed, _ target: OutgoingTarget
  ) throws(LedgerError) -> AppStoreServerAPI? {
    let names = ["--app-store-key", "--app-store-key-id", "--app-store-issuer"]
    let values = names.compactMap { parsed.value($0) }
    guard values.count == names.count else {
      guard let given = names.first(where: { parsed.has($0) }) else { return nil }
      let missing = names.filter { parsed.value($0) == nil }.joined(separator: " and ")
      throw .invalid("\(given) needs \(missing): App Store Connect shows all three.")
    }
    guard parsed.has("--root") || parsed.has("--fingerprint") else {
      throw .invalid("--app-store-key needs --root: the App Store's answers are verified under it.")
    }
    let key: AppStoreServerKey
    do throws(LedgerError) {
      key = try AppStoreServerKey(pem: try FileAccess.read(values[0]), keyID: values[1], issuerID: values[2])
    } catch {
      guard error.code == .configuration else { throw error }
      throw .invalid("\(values[0].quotedForPeople): \(error.message)")
    }
    let addresses = try parsed.value("--app-store-api-url").map { (text) throws(LedgerError) in
      _ = try target.url(text)
      return try AppStoreServerAPI.Addresses(all: text)
    }
    return AppStoreServerAPI(
      key: key, sender: HTTPSender(to: target, threadCount: 8), addresses: addresses ?? .apple)
  }

  /// Looks up posts of a project's apps at the App Store.
  func appStore(verifier: any ReceiptVerifier) -> AppStoreReceipts {
    AppStoreReceipts(api: appStoreAPI, verifier: verifier, testSession: testSession) { [log] message, facts in
      log.event(.error, message, facts)
    }
  }

  private static func pushToken(_ parsed: Parsed) throws(LedgerError) -> String? {
    let pushToken = try parsed.value("--google-push-token").map { (path) throws(LedgerError) in
      String(decoding: try FileAccess.read(path), as: UTF8.self).filter { !$0.isWhitespace }
    }
    guard pushToken != "" else { throw .invalid("The file of --google-push-token is empty.") }
    return pushToken
  }

  /// Applies Google Play's notifications to a project; nil without a service account.
  func playNotices(of project: String) -> PlayNotices? {
    playAPI.map { [log] api in
      PlayNotices(api: api, packageName: packageNames[project], pushToken: pushToken) { message, facts in
        log.event(.error, message, facts)
      }
    }
  }

  /// Returns the server that delivers a project's bought items; nil if the ledger alone counts them.
  func granter(of project: String) -> HTTPItemGranter? {
    grantURLs[project].map { HTTPItemGranter(of: project, to: $0, secrets: secrets, sender: sender) }
  }
}
#endif
