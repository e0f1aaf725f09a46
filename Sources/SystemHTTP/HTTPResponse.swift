#if Server
/// An answer to a request.
package struct HTTPResponse: Sendable {
  package enum Content: Sendable {
    case bytes([UInt8])
    /// Written as time goes by, for as long as both ends want.
    case stream(HTTPStream)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var content: Content
  /// Whether the connection ends with this answer.
  package var closes = false
  /// What the request counts as in figures, such as the name of its operation.
  package var label = ""

  package init(status: Int, headers: [(name: String, value: String)] = [], content: Content = .bytes([])) {
    self.status = status
    self.headers = headers
    self.content = content
  }
}

/// How a request is answered: at once, on the thread that read it, or once work is done that may wait.
package enum HTTPAnswer: Sendable {
  case now(HTTPResponse)
  case later(@Sendable () async -> HTTPResponse)
}

/// Answers requests.
package protocol HTTPHandler: Sendable {
  /// Begins the answer. It is called on a thread of the server, which serves nobody else meanwhile.
  func answer(_ request: HTTPRequest) -> HTTPAnswer

  /// The answer to a request that is refused before it is whole, such as one with two lengths.
  func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse

  /// Called when an answer was sent or the connection was lost.
  func finished(_ summary: HTTPSummary)
}

/// What a log says about a request.
package struct HTTPSummary: Sendable {
  package var id: String
  package var method: String
  /// The path as it was sent, without the query.
  package var path: String
  /// The status; nil where the connection was lost before an answer.
  package var status: Int?
  /// ``HTTPResponse/label``; empty for a request that the transport refused.
  package var label: String
  package var client: String
  package var nanoseconds: Int64
  package var byteCount: Int
}
#endif
