#if Server
/// A part of a server with its own answers, such as its console: the requests of some paths.
package struct HTTPArea: Sendable {
  fileprivate let contains: @Sendable (_ path: [String]) -> Bool
  fileprivate let begin: @Sendable (HTTPRequest) -> HTTPBeginning

  /// - Parameters:
  ///   - contains: Whether a path belongs to it.
  ///   - begin: As ``HTTPHandler/begin(_:)``.
  package init(
    contains: @escaping @Sendable (_ path: [String]) -> Bool,
    begin: @escaping @Sendable (HTTPRequest) -> HTTPBeginning
  ) {
    self.contains = contains
    self.begin = begin
  }
}

/// Passes each request to the area of its path, and all others to a handler.
package struct HTTPAreas: HTTPHandler {
  private let areas: [HTTPArea]
  private let others: any HTTPHandler

  package init(_ areas: [HTTPArea], others: any HTTPHandler) {
    self.areas = areas
    self.others = others
  }

  package func begin(_ head: HTTPRequest) -> HTTPBeginning {
    areas.first { $0.contains(head.path) }?.begin(head) ?? others.begin(head)
  }

  package func answer(_ request: HTTPRequest) -> HTTPAnswer {
    switch begin(request) {
    case .refused(let response): .now(response)
    case .accepted(_, let answer): answer(request)
    }
  }

  package func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse {
    others.refusal(status: status, reason: reason, requestID: requestID)
  }

  package func refusal(status: Int, reason: String, of head: HTTPRequest) -> HTTPResponse {
    others.refusal(status: status, reason: reason, of: head)
  }

  package func finished(_ summary: HTTPSummary) { others.finished(summary) }
}
#endif
