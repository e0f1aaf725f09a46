#if Server
package import GemLedger
package import SystemHTTP

/// The part of Google Play's Developer API that purchases need.
package struct PlayDeveloperAPI: Sendable {
  /// The address of Google's servers.
  package static let address = "https://androidpublisher.googleapis.com"
  static let scope = "https://www.googleapis.com/auth/androidpublisher"
  /// The time limit for an answer: apps' SDKs block while they wait for the answer to a purchase.
  package static let timeout = Duration.seconds(5)

  private let timeout: Duration
  private let baseURL: String
  private let sender: HTTPSender
  private let tokens: GoogleAccessTokens

  /// - Parameters:
  ///   - account: A service account with the right to see orders in the Play Console.
  ///   - sender: Sends the requests.
  ///   - baseURL: The address of the API, for example of a simulator.
  ///   - timeout: The time limit for each answer, also of the token endpoint.
  ///   - clock: Dates the account's signatures; Google compares it with the real time.
  /// - Throws: `LedgerError` with `invalid_request` for an invalid address.
  package init(
    account: GoogleServiceAccount, sender: HTTPSender, baseURL: String = Self.address, timeout: Duration = Self.timeout,
    clock: LedgerClock = .system
  ) throws(LedgerError) {
    _ = try OutgoingURL(baseURL)
    self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    self.sender = sender
    self.timeout = timeout
    tokens = GoogleAccessTokens(account, scope: Self.scope, sender: sender, timeout: timeout, clock: clock)
  }

  /// Gets a resource of the app.
  ///
  /// - Parameter path: The percent-encoded path below `purchases`.
  /// - Throws: `LedgerError` with `backend_unreachable` without an answer or an access token.
  func get(
    _ path: String, of packageName: String, bodyByteCountMax: Int = HTTPReply.bodyByteCountMax
  ) async throws(LedgerError) -> HTTPReply {
    let url = try url("\(Percent.encoded(packageName))/purchases/\(path)")
    return try await answer { (headers) in
      await sender.get(url, headers: headers, timeout: timeout, bodyByteCountMax: bodyByteCountMax)
    }
  }

  /// A call that completes a purchase, so that Google does not refund it.
  enum Completion: Hashable, Sendable {
    /// Consumes the product, so that it can be bought again; this also acknowledges the purchase.
    case consume(product: String)
    case acknowledge(product: String)
    case acknowledgeSubscription(product: String)
  }

  /// Consumes or acknowledges a purchase; succeeds also if it was already consumed or acknowledged.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if Google does not know the purchase in this state;
  ///   `backend_unreachable` if the call may succeed later.
  func complete(
    _ token: StoreTransactionID, by completion: Completion, of packageName: String
  ) async throws(LedgerError) {
    let (kind, product, verb) =
      switch completion {
      case .consume(let product): ("products", product, "consume")
      case .acknowledge(let product): ("products", product, "acknowledge")
      case .acknowledgeSubscription(let product): ("subscriptions", product, "acknowledge")
      }
    let url = try url(
      "\(Percent.encoded(packageName))/purchases/\(kind)/\(Percent.encoded(product))/tokens/\(Self.part(token)):\(verb)"
    )
    let reply = try await answer { (headers) in
      await sender.post(
        url, headers: headers + [("Content-Type", "application/json")], body: Array("{}".utf8), timeout: timeout)
    }
    guard !reply.isSuccess, !PlayRefusal(reply).isAlreadyDone else { return }
    throw PlayRefusal(reply).error
  }

  /// Refunds an order in full, and revokes the purchase.
  ///
  /// The service account needs the right to manage orders.
  ///
  /// - Parameter order: Google's id of the order, such as `GPA.3372-4150-8203-17209`.
  /// - Throws: As ``purchase(_:)``; `purchase_not_found` also for an order that cannot be refunded.
  func refund(order: String, of packageName: String) async throws(LedgerError) {
    let url = try url("\(Percent.encoded(packageName))/orders/\(Percent.encoded(order)):refund?revoke=true")
    let reply = try await answer { (headers) in await sender.post(url, headers: headers, body: [], timeout: timeout) }
    guard reply.isSuccess else { throw PlayRefusal(reply).error }
  }

  private func url(_ path: String) throws(LedgerError) -> OutgoingURL {
    try OutgoingURL("\(baseURL)/androidpublisher/v3/applications/\(path)")
  }

  static func part(_ token: StoreTransactionID) -> String { Percent.encoded(token.text) }

  /// Sends a request with an access token, and again with a new token if Google refuses the first.
  private func answer(
    _ send: ([(name: String, value: String)]) async -> Result<HTTPReply, HTTPSendFailure>
  ) async throws(LedgerError) -> HTTPReply {
    let token = try await tokens.current()
    let first = try Self.reply(await send(Self.headers(token)))
    guard first.status == 401 else { return first }
    tokens.drop(token)
    return try Self.reply(await send(Self.headers(try await tokens.current())))
  }

  private static func headers(_ token: String) -> [(name: String, value: String)] {
    [("Authorization", "Bearer \(token)"), ("Accept", "application/json")]
  }

  private static func reply(_ result: Result<HTTPReply, HTTPSendFailure>) throws(LedgerError) -> HTTPReply {
    switch result {
    case .success(let reply): return reply
    case .failure(let failure): throw .google("Play does not answer: \(failure)")
    }
  }
}

/// An error response of Google's API: status, reason and message.
struct PlayRefusal {
  let status: Int
  /// Google's reason, such as `purchaseTokenNotFound`; empty if absent.
  let reason: String
  private let message: String

  init(_ reply: HTTPReply) {
    status = reply.status
    let error = reply.json?["error"]
    reason = error?["errors"]?.array?.first?["reason"]?.text ?? ""
    message = error?["message"]?.text ?? ""
  }

  /// Whether the call does not exist at this address, as before Google introduced it.
  var isOfCall: Bool { [405, 501].contains(status) || status == 404 && reason != "purchaseTokenNotFound" }

  /// Whether the call does not know the token: malformed, of another kind or app, too new or too old.
  var isOfToken: Bool { [400, 404, 405, 410, 501].contains(status) }

  var isAlreadyDone: Bool { status == 400 && (reason + message).lowercased().contains("already") }

  /// The error for callers; no refusal proves a missing payment, since tokens and credentials may become valid later.
  var error: LedgerError {
    if isOfToken {
      return LedgerError(
        .purchaseNotFound,
        "Google Play does not know the purchase yet: status \(status)\(words). It is looked up again."
      )
    }
    let remedy =
      switch status {
      case 401: " The service account's key is not accepted: make a new one in Google Cloud's console."
      case 403: " Grant the service account the rights to view and to manage orders in the Play Console."
      default: ""
      }
    return .google("Play does not answer as it should: status \(status)\(words).\(remedy)")
  }

  private var words: String { reason.isEmpty ? "" : ", \(reason.prefix(60))" }
}

extension HTTPReply {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date of the reply in the format of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  var date: Timestamp? {
    let words = headers["Date"]?.split(separator: " ") ?? []
    guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])) else {
      return nil
    }
    return Timestamp("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
  }
}
#endif
