#if Server
/// An answer to a request.
package struct HTTPResponse: Sendable {
  package enum Content: Sendable {
    case bytes([UInt8])
    /// A body written over time, until one end closes it.
    case stream(HTTPStream)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var content: Content
  /// Whether the connection ends with this answer.
  package var closes = false
  /// The label of the request in metrics, such as the name of its operation.
  package var label = ""

  package init(status: Int, headers: [(name: String, value: String)] = [], content: Content = .bytes([])) {
    self.status = status
    self.headers = headers
    self.content = content
  }
}

/// The answer to a request: immediate, on the thread that read it, or after asynchronous work.
package enum HTTPAnswer: Sendable {
  case now(HTTPResponse)
  case later(@Sendable () async -> HTTPResponse)
}

/// The decision about a request after its head, before its body.
package enum HTTPBeginning: Sendable {
  /// The answer; the body is not read.
  case refused(HTTPResponse)
  /// The body is read within the bounds of its sender, then the answer begins.
  case accepted(from: BodySender, @Sendable (HTTPRequest) -> HTTPAnswer)
}

/// The sender of a body, as far as the head proves it.
package enum BodySender: Sendable {
  /// A sender with a key.
  case known
  /// A sender without a key.
  case unknown
}

/// Answers requests.
package protocol HTTPHandler: Sendable {
  /// Decides by the head; the request has no body yet. It is called on a thread of the server.
  func begin(_ head: HTTPRequest) -> HTTPBeginning

  /// Begins the answer. It is called on a thread of the server and blocks that thread's other connections.
  func answer(_ request: HTTPRequest) -> HTTPAnswer

  /// Returns the answer to a request refused before its head is complete, such as a request with two lengths.
  func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse

  /// Returns the answer to a request with a valid head and a refused body.
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

/// The log record of a request.
package struct HTTPSummary: Sendable {
  package var id: String
  package var method: String
  /// The path as it was sent, without the query.
  package var path: String
  /// The status; nil if the connection was lost before an answer.
  package var status: Int?
  /// ``HTTPResponse/label``; empty for a request that the transport refused.
  package var label: String
  package var client: String
  package var nanoseconds: Int64
  package var byteCount: Int
}
#endif
