#if Server
package import GemLedger
package import SystemHTTP

/// Google Play's Developer API, as far as purchases take it.
package struct PlayDeveloperAPI: Sendable {
  /// Google's own address.
  package static let address = "https://androidpublisher.googleapis.com"
  static let scope = "https://www.googleapis.com/auth/androidpublisher"
  /// How long an answer may take: the SDKs of apps do nothing else while they wait for the answer to a purchase.
  package static let timeout = Duration.seconds(5)

  private let timeout: Duration
  private let baseURL: String
  private let sender: HTTPSender
  private let tokens: GoogleAccessTokens

  /// - Parameters:
  ///   - account: Has the right to see orders in the Play Console.
  ///   - sender: Sends the requests.
  ///   - baseURL: Where the API is, such as at a simulator.
  ///   - timeout: How long each answer may take, that of the token endpoint too.
  ///   - clock: Dates what the account signs; Google compares it with the time of day.
  /// - Throws: `LedgerError` with `invalid_request` where the address is none.
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

  /// Gets what a path below the app names.
  ///
  /// - Parameter path: Encoded, below `purchases`.
  /// - Throws: `LedgerError` with `backend_unreachable` without an answer, or without an access token.
  func get(_ path: String, of packageName: String) async throws(LedgerError) -> HTTPReply {
    let url = try url("\(Percent.encoded(packageName))/purchases/\(path)")
    return try await answer { (headers) in await sender.get(url, headers: headers, timeout: timeout) }
  }

  /// What completes a purchase, so that Google does not refund it.
  enum Completion: Hashable, Sendable {
    /// The product is used up, and can be bought again; this acknowledges the purchase too.
    case consume(product: String)
    case acknowledge(product: String)
    case acknowledgeSubscription(product: String)
  }

  /// Consumes or acknowledges a purchase; one that is already consumed or acknowledged counts as done.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if Google does not know the purchase in this state,
  ///   `backend_unreachable` for everything that may be different later.
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

  /// Refunds an order, all of it, and ends the right to what was bought.
  ///
  /// The service account needs the right to manage orders.
  ///
  /// - Parameter order: Google's own id of the order, such as `GPA.3372-4150-8203-17209`.
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

  /// Sends a request with an access token, and once more with a new one where Google takes the first no longer.
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

/// A refusal of Google's API: status, reason and message, as its errors state them.
struct PlayRefusal {
  let status: Int
  /// Google's word, such as `purchaseTokenNotFound`; empty without one.
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

  /// Whether the token is not known to this call: it is malformed, of another kind, of another app, too new or too old.
  var isOfToken: Bool { [400, 404, 405, 410, 501].contains(status) }

  var isAlreadyDone: Bool { status == 400 && (reason + message).lowercased().contains("already") }

  /// None of them proves that nobody paid: a token may be known later, and credentials are the seller's matter.
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

  /// The server's time of the reply, as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  var date: Timestamp? {
    let words = headers["Date"]?.split(separator: " ") ?? []
    guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])) else {
      return nil
    }
    return Timestamp("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
  }
}
#endif
