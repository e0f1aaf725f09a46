#if Server
package import GemLedger
internal import StoreReceipts
package import SystemHTTP

/// Google Play's Developer API, as far as one-time purchases take it.
package struct PlayDeveloperAPI: Sendable {
  /// Google's own address.
  package static let address = "https://androidpublisher.googleapis.com"
  static let scope = "https://www.googleapis.com/auth/androidpublisher"

  private let baseURL: String
  private let sender: HTTPSender
  private let tokens: GoogleAccessTokens

  /// - Parameters:
  ///   - account: Has the right to see orders in the Play Console.
  ///   - sender: Sends the requests.
  ///   - baseURL: Where the API is, such as at a simulator.
  ///   - clock: Dates what the account signs; Google compares it with the time of day.
  /// - Throws: `LedgerError` with `invalid_request` where the address is none.
  package init(
    account: GoogleServiceAccount, sender: HTTPSender, baseURL: String = Self.address, clock: LedgerClock = .system
  ) throws(LedgerError) {
    _ = try OutgoingURL(baseURL)
    self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    self.sender = sender
    tokens = GoogleAccessTokens(account, scope: Self.scope, sender: sender, clock: clock)
  }

  /// Looks a one-time purchase up (`purchases.productsv2`).
  ///
  /// The answer is dated by its `Date`, so that servers whose clocks differ agree; without one, by the request.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where Google knows no such purchase of the app,
  ///   `receipt_malformed` where the answer has no form that is known here, `backend_unreachable` for everything that
  ///   may be different later.
  func purchase(_ request: PlayProductPurchase.Request) async throws(LedgerError) -> PlayProductPurchase {
    let url = try url("\(Percent.encoded(request.packageName))/purchases/productsv2/tokens/\(Self.part(request.token))")
    let reply = try await answer { (headers) in await sender.get(url, headers: headers) }
    guard reply.isSuccess, reply.json != nil else { throw Self.refusal(reply) }
    var request = request
    if let date = reply.date { request.fetchedAt = date }
    return try PlayProductPurchase(json: reply.body, for: request)
  }

  /// Acknowledges a purchase of a product; a second time changes nothing.
  ///
  /// - Throws: As ``purchase(_:)``.
  func acknowledge(
    _ token: StoreTransactionID, product: String, of packageName: String
  ) async throws(LedgerError) {
    let url = try url(
      "\(Percent.encoded(packageName))/purchases/products/\(Percent.encoded(product))/tokens/\(Self.part(token))"
        + ":acknowledge")
    let reply = try await answer { (headers) in
      await sender.post(url, headers: headers + [("Content-Type", "application/json")], body: Array("{}".utf8))
    }
    guard reply.isSuccess else { throw Self.refusal(reply) }
  }

  /// Refunds an order, all of it, and ends the right to what was bought.
  ///
  /// The service account needs the right to manage orders.
  ///
  /// - Parameter order: Google's own id of the order, such as `GPA.3372-4150-8203-17209`.
  /// - Throws: As ``purchase(_:)``; `purchase_not_found` also for an order that cannot be refunded.
  func refund(order: String, of packageName: String) async throws(LedgerError) {
    let url = try url("\(Percent.encoded(packageName))/orders/\(Percent.encoded(order)):refund?revoke=true")
    let reply = try await answer { (headers) in await sender.post(url, headers: headers, body: []) }
    guard reply.isSuccess else { throw Self.refusal(reply) }
  }

  private func url(_ path: String) throws(LedgerError) -> OutgoingURL {
    try OutgoingURL("\(baseURL)/androidpublisher/v3/applications/\(path)")
  }

  private static func part(_ token: StoreTransactionID) -> String { Percent.encoded(token.text) }

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

  /// A token that is none is 400, one of another app 404, one of long ago 410.
  private static func refusal(_ reply: HTTPReply) -> LedgerError {
    guard [400, 404, 410].contains(reply.status) else {
      return .google("Play does not answer as it should: status \(reply.status).")
    }
    return LedgerError(.purchaseNotFound, "Google Play knows no such purchase of the app: status \(reply.status).")
  }
}

extension HTTPReply {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The server's time of the reply, as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  fileprivate var date: Timestamp? {
    let words = headers["Date"]?.split(separator: " ") ?? []
    guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])) else {
      return nil
    }
    return Timestamp("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
  }
}
#endif
