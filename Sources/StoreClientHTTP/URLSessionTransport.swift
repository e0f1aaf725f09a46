#if Server
internal import Foundation
internal import GemLedger

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends requests over a private URL session.
final class URLSessionTransport: HTTPTransport {
  private let base: String
  private let session: URLSession

  /// - Parameter base: The server, without a trailing slash.
  init(base: String, configuration: URLSessionConfiguration) {
    self.base = base
    session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    guard let url = URL(string: base + request.target) else {
      throw LedgerError(.configuration, "The server's address is not a valid URL.")
    }
    var sent = URLRequest(url: url)
    sent.httpMethod = request.method
    sent.httpBody = request.body.map { Data($0) }
    for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
    do {
      let (data, response) = try await session.data(for: sent)
      guard let response = response as? HTTPURLResponse else {
        throw LedgerError(.backendUnreachable, "The server's answer is not HTTP.")
      }
      let headers = response.allHeaderFields.compactMap { name, value in
        (name as? String).map { (name: $0, value: "\(value)") }
      }
      return ClientAnswer(status: response.statusCode, headers: headers, body: Array(data))
    } catch {
      throw Self.error(error)
    }
  }

  /// Returns the error without the address, which may contain a customer's id.
  private static func error(_ error: any Error) -> LedgerError {
    if let error = error as? LedgerError { return error }
    guard let error = error as? URLError else {
      return LedgerError(.backendUnreachable, "The server cannot be reached.")
    }
    if error.code == .timedOut { return .serverTimedOut }
    return LedgerError(
      .backendUnreachable, "The server cannot be reached (\(error.code.rawValue)).",
      details: [.integer("url_error", Int64(error.code.rawValue))])
  }
}

extension HTTPBackend {
  /// Returns the transport over a URL session to a server, for a decorator.
  package static func network(to base: String) -> any HTTPTransport {
    URLSessionTransport(base: base, configuration: .ephemeral)
  }
}

/// Leaves redirects to the caller.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}

extension LedgerError {
  static let serverTimedOut = LedgerError(
    .timedOut, "The server did not answer in time, but may have completed the request.")
}
#endif
