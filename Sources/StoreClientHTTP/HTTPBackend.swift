#if Server
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The crediting side, reached over HTTP: a server such as `gemctl serve`.
public final class HTTPBackend: Sendable {
  let baseURL: URL
  let session: URLSession
  private let apiKey: String

  /// A backend at a base URL, such as `https://gems.example.com`.
  ///
  /// - Parameters:
  ///   - baseURL: The server, without `/v1`.
  ///   - apiKey: A public key of the app; never a secret key.
  public init(baseURL: URL, apiKey: String, session: URLSession = .shared) {
    self.baseURL = baseURL
    self.apiKey = apiKey
    self.session = session
  }
}
#endif
