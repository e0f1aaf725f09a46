#if Server
/// The answer of another server.
package struct HTTPReply: Sendable {
  /// The default limit of the body, in bytes.
  package static let bodyByteCountMax = 65_536
  /// The longest head that is read, in bytes.
  static let headByteCountMax = 32_768

  package let status: Int
  package let headers: HTTPHeaders
  /// The first bytes of the body.
  package let body: [UInt8]
  /// Whether the body has more bytes.
  package let isBodyCut: Bool

  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], isBodyCut: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isBodyCut = isBodyCut
  }

  /// Whether the status is 2xx; a redirect is a failure, since its target is unchecked.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// The reason for a request without an answer.
package struct HTTPSendFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The target is not allowed, or the request is malformed.
    case refused
    /// The host has no address.
    case unresolved
    /// No connection could be made.
    case unreachable
    /// The time limit was exceeded.
    case timedOut
    /// The connection ended before an answer.
    case lost
    /// Too many requests wait already.
    case overloaded
  }

  package let kind: Kind
  package let description: String
  /// Whether the other server may have received the request and acted on it.
  package let mayHaveArrived: Bool

  package init(_ kind: Kind, _ description: String, mayHaveArrived: Bool = false) {
    self.kind = kind
    self.description = description
    self.mayHaveArrived = mayHaveArrived
  }
}
#endif
