#if Server
/// A complete request.
///
/// All parts are as sent, except the path. The path is split and then each part decoded, so that an encoded slash stays
/// inside its part.
package struct HTTPRequest: Sendable {
  /// In capitals, such as `GET`.
  package var method: String
  /// The decoded parts between the slashes.
  package var path: [String]
  /// The decoded names and values after the question mark, in order.
  package var query: [(name: String, value: String)]
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The peer's address, without its port.
  package var client: String
  /// The id of the request in logs and answers.
  package var id: String
  /// The proven credentials of the request's connection; nil without a connection.
  package var proofs: ConnectionProofs?

  package init(
    method: String, path: [String], query: [(name: String, value: String)] = [], headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = [], client: String = "127.0.0.1", id: String, proofs: ConnectionProofs? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.client = client
    self.id = id
    self.proofs = proofs
  }
}

/// Names and values of a message's head, in order; names are case-insensitive.
package struct HTTPHeaders: Sendable {
  package private(set) var fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// The value of the first field with this name.
  package subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

  /// The values of all fields with this name.
  package func values(of name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

  /// Returns the number of fields with this name.
  package func count(of name: String) -> Int { fields.count { Self.isSame($0.name, name) } }

  /// Reserves room for this number of fields.
  package mutating func reserve(_ count: Int) { fields.reserveCapacity(count) }

  package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  /// Returns whether two names are equal, ignoring ASCII case.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Most senders write names as this server does, and short texts are compared in one step.
    return left == right || zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
#endif
