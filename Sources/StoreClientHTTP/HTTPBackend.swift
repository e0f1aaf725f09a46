#if Server
public import Foundation
public import GemLedger
public import StoreBackend

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The crediting side, reached over HTTP: a server such as `gemctl serve`.
///
/// ```swift
/// let backend = try HTTPBackend(baseURL: url, apiKey: "appl_…") { request in
///   try await myServer.sessionToken(for: request.customer.text)
/// }
/// StoreClient.defaults.mode = .payment(backend)
/// ```
///
/// A request is sent once; the client's receipt queue repeats it. Calls that book contain a key or a receipt, so that a
/// repeated call is booked once. The key is sent only to this server, and is in no error.
public final class HTTPBackend: PurchaseBackend {
  /// A request for a session token, with which a customer spends.
  public struct SessionTokenRequest: Hashable, Sendable {
    /// The customer.
    public let customer: CustomerID
    /// The token that the server just refused, for example as expired; nil at first.
    public let refused: String?
  }

  /// Requests a session token from the app's server, which may return a cached token that was not refused.
  public typealias SessionTokens = @Sendable (SessionTokenRequest) async throws -> String

  private let transport: any HTTPTransport
  private let apiKey: String
  private let sessionTokens: SessionTokens?
  private let timeLimit: Duration

  /// Creates a backend at a base URL, such as `https://gems.example.com`.
  ///
  /// - Parameters:
  ///   - baseURL: The server, without `/v1`.
  ///   - apiKey: A public key of the app; never a secret key.
  ///   - timeLimit: The time limit of a request with its answer.
  ///   - configuration: The settings of the requests; the default keeps no cookies and no answers.
  ///   - sessionTokens: Requests session tokens from the app's server; without it, there are no spends.
  /// - Throws: `LedgerError` with `configuration` for a secret key, or a URL that is not HTTP.
  public convenience init(
    baseURL: URL, apiKey: String, timeLimit: Duration = .seconds(30),
    configuration: URLSessionConfiguration = .ephemeral, sessionTokens: SessionTokens? = nil
  ) throws(LedgerError) {
    guard ["http", "https"].contains(baseURL.scheme?.lowercased()), baseURL.host()?.isEmpty == false,
      baseURL.query() == nil, baseURL.fragment() == nil
    else { throw LedgerError(.configuration, "The server's address must be like https://gems.example.com.") }
    var base = baseURL.absoluteString
    while base.hasSuffix("/") { base.removeLast() }
    try self.init(
      transport: URLSessionTransport(base: base, configuration: configuration), apiKey: apiKey, timeLimit: timeLimit,
      sessionTokens: sessionTokens)
  }

  package init(
    transport: any HTTPTransport, apiKey: String, timeLimit: Duration = .seconds(30),
    sessionTokens: SessionTokens? = nil
  ) throws(LedgerError) {
    guard !apiKey.hasPrefix("sk_") else {
      throw LedgerError(
        .configuration,
        "This is a secret key, which can be read from the app's files. Keep it on your server, and use a public key.")
    }
    guard !apiKey.isEmpty, apiKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw LedgerError(.configuration, "This is not a valid key.")
    }
    self.transport = transport
    self.apiKey = apiKey
    self.timeLimit = timeLimit
    self.sessionTokens = sessionTokens
  }
}

// Sending.
extension HTTPBackend {
  /// Sends a call, and reads its answer.
  func answer<Answer>(
    to call: BackendRequest, _ read: (WireObject) throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    let document = try await document(for: call)
    do throws(LedgerError) { return try read(document) } catch { throw AnswerReading.misread(error) }
  }

  /// Sends a call with the public key, and again with each session token that the server requests.
  private func document(for call: BackendRequest) async throws(LedgerError) -> WireObject {
    guard let sessionTokens else { return try await send(call, Credentials(key: apiKey)) }
    var credentials = Credentials(key: apiKey)
    switch call.session {
    case .needed: credentials.session = try await Self.token(sessionTokens, call.customer, refused: nil)
    case .preferred: credentials.session = await Self.tokenIfAny(sessionTokens, call.customer)
    case .asked: break
    }
    var isRefreshed = false
    while true {
      do throws(LedgerError) { return try await send(call, credentials) } catch {
        switch (error.code, error.text("needs")) {
        case (.forbidden, "session_token") where credentials.session == nil:
          credentials.session = try await Self.token(sessionTokens, call.customer, refused: nil)
        case (.forbidden, "new_session_token"):
          // The second refusal is of an expired token.
          guard let id = call.newCustomer, credentials.newSession == nil || !isRefreshed else { throw error }
          isRefreshed = credentials.newSession != nil
          let token = try await Self.token(sessionTokens, id, refused: credentials.newSession)
          guard token != credentials.newSession else { throw error }
          credentials.newSession = token
        case (.unauthenticated, _):
          guard let refused = credentials.session, !isRefreshed else { throw error }
          isRefreshed = true
          credentials.session = try await Self.token(sessionTokens, call.customer, refused: refused)
          guard credentials.session != refused else { throw error }
        default: throw error
        }
      }
    }
  }

  /// The credentials of a request.
  private struct Credentials {
    let key: String
    /// The customer's session token, which replaces the key.
    var session: String?
    /// A session token of the id that the request adds.
    var newSession: String?
  }

  /// Returns the token; nil if the app's server has none, for example for an anonymous id.
  private static func tokenIfAny(_ tokens: SessionTokens, _ customer: CustomerID) async -> String? {
    do throws(LedgerError) { return try await token(tokens, customer, refused: nil) } catch { return nil }
  }

  private static func token(
    _ tokens: SessionTokens, _ customer: CustomerID, refused: String?
  ) async throws(LedgerError) -> String {
    do {
      return try await tokens(SessionTokenRequest(customer: customer, refused: refused))
    } catch {
      if let error = error as? LedgerError { throw error }
      throw LedgerError(
        .unauthenticated, "The app's server returned no session token, which a spend requires.")
    }
  }

  private func send(_ call: BackendRequest, _ credentials: Credentials) async throws(LedgerError) -> WireObject {
    let request = call.request(
      credential: credentials.session ?? credentials.key, newSessionToken: credentials.newSession)
    return try AnswerReading.document(in: try await sendInTime(request))
  }

  /// Sends a request with the time limit.
  private func sendInTime(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    let (transport, timeLimit) = (transport, timeLimit)
    return try await withTaskGroup(of: Result<ClientAnswer, LedgerError>?.self) { group in
      group.addTask {
        do throws(LedgerError) { return .success(try await transport.send(request)) } catch { return .failure(error) }
      }
      group.addTask {
        do { try await Task.sleep(for: timeLimit) } catch { return nil }
        return .failure(.serverTimedOut)
      }
      defer { group.cancelAll() }
      for await result in group {
        if let result { return result }
      }
      return Result<ClientAnswer, LedgerError>.failure(.serverTimedOut)
    }.get()
  }
}
#endif
