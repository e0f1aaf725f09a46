#if Server
/// The answer of another server.
package struct HTTPReply: Sendable {
  /// The longest body that is read unless the request says otherwise, in bytes.
  package static let bodyByteCountMax = 65_536
  /// The longest head that is read, in bytes.
  static let headByteCountMax = 32_768

  package let status: Int
  package let headers: HTTPHeaders
  /// The first bytes of the body.
  package let body: [UInt8]
  /// Whether the body went on behind those.
  package let isBodyCut: Bool

  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], isBodyCut: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isBodyCut = isBodyCut
  }

  /// Whether it is a 2xx; a redirect is a failure, since nobody checked where it leads.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why a request has no answer.
package struct HTTPSendFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The target is not one that requests may go out to, or the request is malformed.
    case refused
    /// The host has no address.
    case unresolved
    /// No connection came about.
    case unreachable
    /// It took longer than it may.
    case timedOut
    /// The connection ended before an answer.
    case lost
    /// Too many requests wait already.
    case overloaded
  }

  package let kind: Kind
  package let description: String
  /// Whether the other server may have the request, so that nobody knows whether it acted on it.
  package let mayHaveArrived: Bool

  package init(_ kind: Kind, _ description: String, mayHaveArrived: Bool = false) {
    self.kind = kind
    self.description = description
    self.mayHaveArrived = mayHaveArrived
  }
}
#endif
