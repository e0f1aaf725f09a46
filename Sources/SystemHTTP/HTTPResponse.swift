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

/// What happens with a request of which the head has come, and not the body.
package enum HTTPBeginning: Sendable {
  /// The answer; the body is not read.
  case refused(HTTPResponse)
  /// The body is read within the bounds for its sender, and then the answer begins.
  case accepted(from: BodySender, @Sendable (HTTPRequest) -> HTTPAnswer)
}

/// Who sends a body, as far as the head proves it.
package enum BodySender: Sendable {
  /// Somebody with a key.
  case known
  /// Anybody who reaches the server.
  case unknown
}

/// Answers requests.
package protocol HTTPHandler: Sendable {
  /// Decides from the head, whose request has no body yet. It is called on a thread of the server.
  func begin(_ head: HTTPRequest) -> HTTPBeginning

  /// Begins the answer. It is called on a thread of the server, which serves nobody else meanwhile.
  func answer(_ request: HTTPRequest) -> HTTPAnswer

  /// The answer to a request that is refused before it is whole, such as one with two lengths.
  func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse

  /// The answer to a request with a good head, of which the body is not taken.
  func refusal(status: Int, reason: String, of head: HTTPRequest) -> HTTPResponse

  /// Called when an answer was sent or the connection was lost.
  func finished(_ summary: HTTPSummary)
}

extension HTTPHandler {
  package func begin(_ head: HTTPRequest) -> HTTPBeginning { .accepted(from: .known, answer) }

  package func refusal(status: Int, reason: String, of head: HTTPRequest) -> HTTPResponse {
    refusal(status: status, reason: reason, requestID: head.id)
  }
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
